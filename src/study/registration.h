// study/registration.h - rows in the ledger for the runs of a study.
#pragma once

#include <filesystem>
#include <vector>

#include "ledger/ledger.h"
#include "study/plan.h"

namespace mneme::lab {

/// One number per planned run. Runs the ledger has stay as they are; those whose directory holds a
/// finished run are read from there, so that a lost ledger can be rebuilt. Throws InvalidArgument
/// with the difference if the study has changed since its runs were made and `force` is not set.
/// With it, runs whose configuration has changed are kept as superseded, and made again.
std::vector<Id> register_runs(Ledger& ledger, const StudyFile& study,
                              const std::vector<PlannedRun>& runs,
                              const std::filesystem::path& directory, bool force);

}  // namespace mneme::lab
