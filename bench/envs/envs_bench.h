// bench/envs/envs_bench.h - steps of environments, timed.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "mneme/index.h"

namespace mneme::lab {

struct EnvsBench {
  std::vector<std::string> tasks;
  std::vector<std::string> peers;  ///< NAME=COMMAND, see bench/harness/peer.h
  Index threads = 2;               ///< of the second contestant
  Index count = 16;                ///< environments
  Index pairs = 15;                ///< interleaved rounds
  double seconds = 0.1;            ///< of each measurement
  bool json = false;
};

/// Measures and prints. Throws InvalidArgument, NotFound for a task, IoError for a peer.
void bench_envs(std::ostream& out, const EnvsBench& options);

}  // namespace mneme::lab
