// run/evaluation.cpp - a quota of episodes per environment, so that short ones do not count
// twice.
#include "run/evaluation.h"

#include <algorithm>
#include <cmath>

#include "envs/remote/suites.h"
#include "mneme/rng.h"

namespace mneme::lab {
namespace {

constexpr std::uint32_t kPurpose = 0x6576616c;  // "eval"
constexpr std::uint32_t kKept = 0x6b657074;     // "kept"

struct Episode {
  double sum = 0, length = 0;
  bool success = false;
};

// Everything its environments played, one list per environment.
using Played = std::vector<std::vector<Episode>>;

// The agent sees rows of the run's widest task, whatever tasks these environments are of.
void widen(std::span<const float> from, std::span<float> to, std::size_t rows) {
  const std::size_t width = from.size() / rows, wide = to.size() / rows;
  for (std::size_t row = 0; row < rows; ++row)
    std::copy_n(from.data() + row * width, width, to.data() + row * wide);
}

// `quota` episodes in every environment. A cut row does not count as a step, and an episode of nothing else (an
// environment that was given up) does not count; it uses up the quota all the same.
Played play(Agent& agent, const RunConfig& run, VecEnv& envs,
            const std::vector<std::int32_t>& task_of, Index quota) {
  EnvMemory memory(envs);
  const auto rows = memory.rows();
  envs.reset(rows);
  const auto count = static_cast<std::size_t>(envs.count());
  const auto action_size = static_cast<std::size_t>(envs.action_size());
  const auto wide_action = static_cast<std::size_t>(run.shape.action());
  std::vector<float> observations(count * static_cast<std::size_t>(run.shape.observation()));
  std::vector<float> wide_actions(count * wide_action), actions(count * action_size);
  Played played(count);
  std::vector<Episode> now(count);
  std::vector<Index> left(count, quota);
  for (std::size_t busy = count; busy > 0;) {
    widen(rows.observation, observations, count);
    agent.act({observations, task_of}, wide_actions, Acting::evaluate);
    for (std::size_t e = 0; e < count; ++e)
      std::copy_n(wide_actions.data() + e * wide_action, action_size,
                  actions.data() + e * action_size);
    envs.step(actions, rows);
    for (std::size_t e = 0; e < count; ++e) {
      if (left[e] == 0) continue;
      if (rows.cut[e] == 0) {
        now[e].sum += static_cast<double>(rows.reward[e]);
        now[e].length += 1;
        now[e].success |= rows.success[e] != 0;
      }
      if (rows.terminated[e] == 0 && rows.truncated[e] == 0) continue;
      if (now[e].length > 0) played[e].push_back(now[e]);
      now[e] = {};
      if (--left[e] == 0) --busy;
    }
  }
  return played;
}

Evaluation summary(const TaskInfo& task, std::span<const std::vector<Episode>> played) {
  Evaluation result{.task = std::string(task.name)};
  for (const auto& episodes : played) result.episodes += static_cast<Index>(episodes.size());
  const auto n = static_cast<double>(result.episodes);
  double squares = 0;
  for (const auto& episodes : played) {
    for (const Episode& one : episodes) {
      result.mean_return += one.sum / n;
      squares += one.sum * one.sum / n;
      result.length += one.length / n;
      result.success += one.success ? 1 / n : 0;
    }
  }
  result.deviation = std::sqrt(std::max(0.0, squares - result.mean_return * result.mean_return));
  result.score = task.score_is_success
                     ? result.success
                     : (result.mean_return - task.score_low) / (task.score_high - task.score_low);
  if (task.success.empty()) result.success = std::nan("");
  if (result.episodes == 0)
    result.mean_return = result.deviation = result.score = result.success = result.length =
        std::nan("");
  return result;
}

}  // namespace

MakeEnvs real_envs() {
  return [](const std::vector<std::string>& specs, const VecEnvOptions& options) {
    return make_vec_env(specs, options);
  };
}

Evaluator::Evaluator(const RunConfig& run, MakeEnvs make) : run_(run), make_(std::move(make)) {
  for (std::size_t k = 0; k < run.tasks.size(); ++k)
    (envs::find_python_suite(run.tasks[k]) == nullptr ? native_ : python_).push_back(k);
}

std::vector<std::string> Evaluator::specs_of(const std::vector<std::size_t>& tasks) const {
  const std::vector<std::string> all = run_.env_specs();
  std::vector<std::string> specs;
  for (const std::size_t task : tasks) specs.push_back(envs::evaluation_spec(all[task]));
  return specs;
}

std::vector<Evaluation> Evaluator::operator()(Agent& agent, Index episodes, std::uint64_t round) {
  std::vector<Evaluation> results(run_.tasks.size());
  const auto evaluate = [&](const std::vector<std::size_t>& tasks, VecEnv& envs) {
    const auto each = static_cast<std::size_t>(envs.count()) / tasks.size();
    std::vector<std::int32_t> task_of(static_cast<std::size_t>(envs.count()));
    for (std::size_t e = 0; e < task_of.size(); ++e)
      task_of[e] = static_cast<std::int32_t>(tasks[e / each]);
    const Index side_by_side = static_cast<Index>(each);
    const Played played =
        play(agent, run_, envs, task_of, (episodes + side_by_side - 1) / side_by_side);
    for (std::size_t k = 0; k < tasks.size(); ++k)
      results[tasks[k]] = summary(envs.task(static_cast<Index>(k * each)),
                                  std::span(played).subspan(k * each, each));
  };

  if (!native_.empty()) {
    const std::uint64_t seed = Rng({run_.seed, kPurpose, 0, round}).word();
    evaluate(native_,
             *make_(specs_of(native_), {.count = episodes, .threads = run_.threads, .seed = seed}));
  }
  if (!python_.empty()) {
    if (!kept_) {
      const bool side_by_side = std::all_of(python_.begin(), python_.end(), [&](std::size_t task) {
        return envs::find_python_suite(run_.tasks[task])->steps_together;
      });
      kept_ = make_(specs_of(python_), {.count = side_by_side ? episodes : 1,
                                        .threads = run_.threads,
                                        .seed = Rng(run_.seed, kKept).word()});
    }
    evaluate(python_, *kept_);
  }
  return results;
}

}  // namespace mneme::lab
