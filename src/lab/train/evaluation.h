// lab/train/evaluation.h - what a policy is worth: whole episodes without exploration, in
// environments of their own.
#pragma once

#include <string>
#include <vector>

#include "agents/agent.h"
#include "lab/train/run_config.h"

namespace mneme::lab {

/// One task, over its episodes.
struct Evaluation {
  std::string task;
  Index episodes = 0;
  double mean_return = 0, deviation = 0;  ///< over episodes
  double score = 0;                       ///< normalised mean return
  double success = 0;                     ///< share of episodes; NaN where success is not defined
  double length = 0;                      ///< decisions
};

/// `episodes` of every task, each in an environment of its own. `round` picks the initial states:
/// the same number gives the same ones, and the agent's own generators are not touched.
std::vector<Evaluation> evaluate(Agent& agent, const RunConfig& run, Index episodes,
                                 std::uint64_t round);

}  // namespace mneme::lab
