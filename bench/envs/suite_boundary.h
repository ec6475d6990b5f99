// bench/envs/suite_boundary.h - cost of the boundary to a Python suite.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "mneme/index.h"

namespace mneme::lab {

struct SuiteBenchOptions {
  Index pairs = 15;      ///< interleaved rounds
  double seconds = 0.1;  ///< of each measurement
  bool json = false;
};

/// Steps `tasks` (none: some of the suite's) in one worker and in two, against a plain loop of the
/// same package in the same interpreter. Throws NotFound for a suite that is not installed.
void bench_suite(std::ostream& out, const std::string& suite, std::vector<std::string> tasks,
                 const SuiteBenchOptions& options);

}  // namespace mneme::lab
