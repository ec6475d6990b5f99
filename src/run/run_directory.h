// run/run_directory.h - the state of a run, from the files of its directory.
#pragma once

#include <filesystem>
#include <string>

#include "mneme/index.h"
#include "run/run_files.h"

namespace mneme::lab {

enum class RunProgress {
  none,        ///< no run: no such directory, or nothing of a run in it
  unstarted,   ///< stopped before its first checkpoint; nothing is lost by starting again
  resumable,   ///< has a checkpoint; may be at its last step
  finished,    ///< the last step is evaluated; buffer and checkpoint are removed
  unreadable,  ///< a run, but its files do not fit together or cannot be read
};

struct RunInspection {
  RunProgress progress = RunProgress::none;
  std::string reason = {};  ///< of `unreadable`
};

/// Reads the directory, changes nothing, throws nothing.
RunInspection inspect_run(const std::filesystem::path& directory);

/// Whether eval.csv has the last step of config.toml; empty if it does, else the reason.
std::string why_not_finished(const std::filesystem::path& directory);

/// Throws IoError if one of its directories is a link: what is written or removed in it would be
/// elsewhere.
void check_no_links(const std::filesystem::path& directory);

/// The text of its config.toml; empty if it is missing or cannot be read.
std::string configuration_in(const std::filesystem::path& directory);

/// Removes the replay buffer and the checkpoint of a finished run; its tables stay. May be
/// interrupted and repeated. Does nothing to a directory that is not a run.
void clear_finished(const std::filesystem::path& directory);

/// Removes an unstarted run's files; its log stays.
void clear_unstarted(const std::filesystem::path& directory);

/// Removes the checkpoints that are not `keep` (the name of a file).
void remove_old_checkpoints(const std::filesystem::path& directory, const std::string& keep);

}  // namespace mneme::lab
