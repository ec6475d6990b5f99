// lab/train/evaluation.cpp - one environment per episode, so that short ones do not count twice.
#include "lab/train/evaluation.h"

#include <cmath>

#include "mneme/rng.h"
#include "mneme/vec_env.h"

namespace mneme::lab {
namespace {

constexpr std::uint32_t kPurpose = 0x6576616c;  // "eval"

}  // namespace

std::vector<Evaluation> evaluate(Agent& agent, const RunConfig& run, Index episodes,
                                 std::uint64_t round) {
  const std::uint64_t seed = Rng({run.seed, kPurpose, 0, round}).word();
  const auto envs =
      make_vec_env(run.env_specs(), {.count = episodes, .threads = run.threads, .seed = seed});
  EnvMemory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  const auto count = static_cast<std::size_t>(envs->count());
  std::vector<std::int32_t> tasks(count);
  for (std::size_t e = 0; e < count; ++e)
    tasks[e] = static_cast<std::int32_t>(static_cast<Index>(e) / episodes);
  std::vector<float> actions(count * static_cast<std::size_t>(envs->action_size()));
  std::vector<double> returns(count), lengths(count);
  std::vector<std::uint8_t> done(count), success(count);
  for (std::size_t left = count; left > 0;) {
    agent.act({rows.observation, tasks}, actions, Acting::evaluate);
    envs->step(actions, rows);
    for (std::size_t e = 0; e < count; ++e) {
      if (done[e] != 0) continue;
      returns[e] += static_cast<double>(rows.reward[e]);
      lengths[e] += 1;
      success[e] |= rows.success[e];
      done[e] = rows.terminated[e] | rows.truncated[e];
      if (done[e] != 0) --left;
    }
  }

  std::vector<Evaluation> results;
  const auto n = static_cast<double>(episodes);
  for (std::size_t first = 0; first < count; first += static_cast<std::size_t>(episodes)) {
    const TaskInfo& task = envs->task(static_cast<Index>(first));
    Evaluation result{.task = std::string(task.name), .episodes = episodes};
    double squares = 0;
    for (std::size_t e = first; e < first + static_cast<std::size_t>(episodes); ++e) {
      result.mean_return += returns[e] / n;
      squares += returns[e] * returns[e] / n;
      result.length += lengths[e] / n;
      result.success += success[e] / n;
    }
    result.deviation = std::sqrt(std::max(0.0, squares - result.mean_return * result.mean_return));
    result.score = (result.mean_return - task.score_low) / (task.score_high - task.score_low);
    if (task.success.empty()) result.success = std::nan("");
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace mneme::lab
