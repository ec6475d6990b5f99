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
  std::string missing = {};                 ///< not empty: it cannot go here, and why
  RunConfig config = {};                    ///< resolved, if it can
  std::vector<std::string> arguments = {};  ///< of mneme train, without the directory
};

/// Runs of the same seed have the same environments and initial weights whatever their sampler.
/// Throws InvalidArgument or NotFound for a combination that can never be a run, naming it.
std::vector<PlannedRun> plan_runs(const StudyFile& study);

/// Everything the run's config.toml will say, or what was asked for if it cannot go here.
std::string configuration_of(const PlannedRun& run);

/// A command line, words with blanks in quotes.
std::string command_line(const std::vector<std::string>& words);

}  // namespace mneme::lab
