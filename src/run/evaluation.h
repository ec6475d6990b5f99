// run/evaluation.h - returns of a policy: whole episodes without exploration, in environments of
// their own.
//
// Native tasks get an environment per episode, made anew each time. Environments in Python take
// seconds to make, and some freeze their goal when they are made: those are kept, one per task, and
// play one episode after the other (one per episode where the suite steps many at once anyway).
// Their seed is that of the run's evaluations, so that goals are others than in training, and the
// same after a resume.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "mneme/vec_env.h"
#include "run/run_config.h"

namespace mneme::lab {

/// How environments are made: make_vec_env, or a test's own function.
using MakeEnvs = std::function<std::unique_ptr<VecEnv>(const std::vector<std::string>& specs,
                                                       const VecEnvOptions& options)>;
MakeEnvs real_envs();

/// One task, over its episodes.
struct Evaluation {
  std::string task;
  Index episodes = 0;                     ///< 0: none could be played, and the numbers are NaN
  double mean_return = 0, deviation = 0;  ///< over episodes
  double score = 0;    ///< normalized mean return, or success where the suite is scored by it
  double success = 0;  ///< share of episodes; NaN where success is not defined
  double length = 0;   ///< decisions
};

class Evaluator {
 public:
  /// Keeps a reference to `run`. Makes nothing yet.
  explicit Evaluator(const RunConfig& run, MakeEnvs make = real_envs());

  /// `episodes` of every task, in the order of the run. `round` picks the initial states of native
  /// tasks: the same number gives the same ones. The agent's own generators are not touched.
  std::vector<Evaluation> operator()(Agent& agent, Index episodes, std::uint64_t round);

 private:
  std::vector<std::string> specs_of(const std::vector<std::size_t>& tasks) const;

  const RunConfig& run_;
  MakeEnvs make_;
  std::vector<std::size_t> native_, python_;  // places in the run's list of tasks
  std::unique_ptr<VecEnv> kept_;              // of the tasks in Python, once made
};

}  // namespace mneme::lab
