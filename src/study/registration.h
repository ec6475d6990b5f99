// study/registration.h - the runs of a study and their rows in the ledger.
#pragma once

#include <filesystem>
#include <vector>

#include "ledger/ledger.h"
#include "study/plan.h"

namespace mneme::lab {

/// One number per planned run. Runs the ledger has stay as they are; those whose directory holds a
/// finished run are taken from there, so that a lost ledger is made again. Throws InvalidArgument
/// with the difference if the study was another one when its runs were made and `force` is not
/// set. With it, runs whose configuration has changed are kept as superseded, and made anew.
std::vector<Id> enrol(Ledger& ledger, const StudyFile& study, const std::vector<PlannedRun>& runs,
                      const std::filesystem::path& directory, bool force);

}  // namespace mneme::lab
