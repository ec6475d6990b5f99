// study/estimate.cpp - measuring environments, counting updates.
#include "study/estimate.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"
#include "run/requirements.h"

namespace mneme::lab {
namespace {

// Between what an idle and a busy core of a virtual machine did: matmuls in single precision, and
// the overhead of an update of any size.
constexpr double kFlopsPerSecond = 50e9, kUpdateOverhead = 4e-3;

// What decides the time of a step, beside the sampler.
std::string sizes_of(const RunConfig& run, const std::string& task) {
  std::string text = concat(run.agent, ' ', task);
  const RunSettings& s = run.settings->run;
  for (const double number :
       {static_cast<double>(s.batch_size), s.utd, static_cast<double>(s.num_envs),
        static_cast<double>(s.action_repeat), static_cast<double>(s.n_step),
        static_cast<double>(run.settings->network_shapes(run.shape).parameters())})
    text += concat(' ', shortest_number(number));
  return text;
}

}  // namespace

double Estimator::environment_seconds(const std::string& task) {
  const auto [at, fresh] = environments_.try_emplace(task, 0);
  if (!fresh) return at->second;
  if (const envs::PythonSuite* suite = envs::find_python_suite(task)) {
    // Not measured: making a Python environment takes seconds. Once a run of the same kind is in the
    // ledger, its time counts instead.
    return at->second = 1 / suite->steps_per_second;
  }
  const auto envs = make_vec_env(task);
  EnvMemory memory(*envs);
  envs->reset(memory.rows());
  const std::vector<float> actions(static_cast<std::size_t>(envs->action_size()), 0.1F);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  std::chrono::duration<double> took{};
  int steps = 0;
  for (; took.count() < 0.01 && steps < 100; ++steps, took = Clock::now() - begun)
    envs->step(actions, memory.rows());
  return at->second = took.count() / std::max(1, steps);
}

std::optional<double> Estimator::seconds_per_step(const PlannedRun& run) {
  if (ledger_ == nullptr) return std::nullopt;
  const std::string sizes = sizes_of(run.config, run.task);
  const auto [at, fresh] = past_.try_emplace(sizes);
  if (!fresh) return at->second;
  std::vector<double> rates;
  for (const RunRow& row : ledger_->runs({.task = run.task, .state = "done"})) {
    if (row.agent != run.config.agent || row.steps < 1 || !(row.seconds > 0)) continue;
    RunConfig past;
    try {
      past = from_toml(ledger_->configuration(row.id), row.key);
    } catch (const std::exception&) {
      continue;  // of a program with other settings
    }
    if (sizes_of(past, row.task) == sizes)
      rates.push_back(row.seconds / static_cast<double>(row.steps));
    if (rates.size() >= 9) break;
  }
  if (rates.empty()) return std::nullopt;
  std::sort(rates.begin(), rates.end());
  return at->second = rates[rates.size() / 2];
}

Estimate Estimator::operator()(const PlannedRun& run) {
  const RunSettings& s = run.config.settings->run;
  const NetworkShapes networks = run.config.settings->network_shapes(run.config.shape);
  const auto critic = static_cast<double>(networks.critic.matrix_parameters());
  const auto actor = static_cast<double>(networks.actor.matrix_parameters());
  const auto steps = static_cast<double>(s.steps), batch = static_cast<double>(s.batch_size);
  Estimate all;
  const Requirements needs = requirements_of(run.config);
  // Rows on disk too: several runs that push each other's out of memory would crawl.
  all.memory = needs.memory + (run.config.replay == "disk" ? buffer_bytes(run.config) : 0);
  all.disk = needs.disk;
  if (const auto measured = seconds_per_step(run)) {
    all.seconds = *measured * steps;
    all.from_runs = true;
    return all;
  }
  double per_step = s.utd * (kUpdateOverhead + (12 * critic + 8 * actor) * batch / kFlopsPerSecond);
  double evaluation = 0;
  for (std::size_t k = 0; k < run.config.tasks.size(); ++k) {
    const std::string& task = run.config.tasks[k];
    const Index horizon = run.config.shape.tasks[k].horizon;
    const double one = environment_seconds(task) * static_cast<double>(s.action_repeat);
    per_step += one * static_cast<double>(s.num_envs);
    evaluation += one * static_cast<double>(horizon > 0 ? horizon : 1000) /
                  static_cast<double>(s.action_repeat) * static_cast<double>(s.eval_episodes);
  }
  all.seconds = steps * per_step + evaluation * steps / static_cast<double>(s.eval_every);
  return all;
}

std::vector<StudyRun> estimate_runs(const Ledger* ledger, std::vector<PlannedRun> plans) {
  Estimator estimate(ledger);
  std::vector<StudyRun> runs;
  for (PlannedRun& plan : plans) {
    StudyRun run;
    run.plan = std::move(plan);
    if (run.plan.missing.empty()) run.estimate = estimate(run.plan);
    runs.push_back(std::move(run));
  }
  return runs;
}

Totals totals_of(const std::vector<StudyRun>& runs, Index jobs, bool keep) {
  Totals all;
  all.runs = runs.size();
  std::vector<double> memory, disk;
  for (const StudyRun& run : runs) {
    if (!run.plan.missing.empty()) continue;
    ++all.available;
    if (run.state == RunState::done || run.state == RunState::failed) continue;
    ++all.to_do;
    all.seconds += run.estimate.seconds;
    memory.push_back(run.estimate.memory);
    disk.push_back(run.estimate.disk);
  }
  all.seconds /= static_cast<double>(std::max<Index>(1, jobs));
  std::sort(memory.rbegin(), memory.rend());
  std::sort(disk.rbegin(), disk.rend());
  for (std::size_t at = 0; at < memory.size(); ++at) {
    const bool at_once = static_cast<Index>(at) < jobs;
    if (at_once) all.memory += memory[at];
    // What stays of a run: its tables, and its rows in the ledger.
    all.disk += at_once || keep ? disk[at] : 2e5;
  }
  return all;
}

}  // namespace mneme::lab
