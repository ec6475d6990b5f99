// study/plan.h - from a study to its runs: every combination, looked up and checked before
// anything starts.
#pragma once

#include <string>
#include <vector>

#include "run/run_config.h"
#include "study/spec.h"

namespace mneme::lab {

struct PlannedRun {
  std::string key = {};     ///< unique within the study, usable as the name of a directory
  std::string method = {};  ///< the sampler or arm
  std::string task = {};    ///< or the name of the set that is learned together
  Index seed = 0;
  std::vector<std::pair<std::string, std::string>> factors = {};
  std::string missing = {};                 ///< not empty: why it cannot run on this machine
  RunConfig config = {};                    ///< resolved, if it can
  std::vector<std::string> arguments = {};  ///< of mneme train, without the directory
};

/// Runs of the same seed have the same environments and initial weights whatever their sampler.
/// Throws InvalidArgument or NotFound for a combination that can never be a run, naming it;
/// InvalidArgument for more than kMostRuns runs, before they are listed.
std::vector<PlannedRun> plan_runs(const StudyFile& study);

/// The text of the run's config.toml, or its command if it cannot run on this machine.
std::string configuration_of(const PlannedRun& run);

}  // namespace mneme::lab
