// bench/agents/agents_bench.h - updates of the agents, timed.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "mneme/index.h"

namespace mneme::lab {

struct AgentsBench {
  std::string agent, size;         ///< empty: all of them
  std::string file;                ///< the JSON goes here too; empty: nowhere
  std::vector<std::string> peers;  ///< NAME=COMMAND, see bench/harness/peer.h
  Index rounds = 15;               ///< interleaved
  Index threads = 1;               ///< of tensor operations
  bool json = false;
};

/// Measures and prints. Throws InvalidArgument, NotFound for an agent or size, IoError for a peer.
void bench_agents(std::ostream& out, const AgentsBench& options);

}  // namespace mneme::lab
