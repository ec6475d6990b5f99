// run/run_files.h - the files that mneme writes into the directory of a run.
#pragma once

#include "os/remove.h"

namespace mneme::lab {

/// All of them; config.toml marks the directory.
const KnownFiles& run_files();

/// Without log.txt and the ones before it, which a study writes.
std::span<const std::string_view> run_files_but_log();

}  // namespace mneme::lab
