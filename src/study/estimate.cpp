// study/estimate.cpp - counting parameters, rows and steps.
#include "study/estimate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "base/text.h"
#include "envs/worker/suites.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"
#include "os/machine.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

// Between what an idle and a busy core of a virtual machine did: dense products in single
// precision, and what an update costs however small it is.
constexpr double kFlopsPerSecond = 50e9, kUpdateOverhead = 4e-3;
// Environments in Python are not measured: making one takes seconds, fifty of them minutes. These
// are steps per second of one environment in one process, by what a step consists of: MuJoCo
// sub-steps (5 with an arm, 10 with a hand of 39 muscles, 5 with a body) and the Python around
// them. Isaac Lab steps thousands at once on its card, here shared out over them. Once a run of the
// same kind is in the ledger, its time counts instead.
struct PythonRate {
  std::string_view suite;
  double steps_per_second;
};
constexpr std::array kPythonRates{PythonRate{"metaworld", 1'000},    PythonRate{"myo", 500},
                                  PythonRate{"gym", 5'000},          PythonRate{"robotics", 1'000},
                                  PythonRate{"dm_control", 2'000},   PythonRate{"envpool", 10'000},
                                  PythonRate{"humanoid_bench", 300}, PythonRate{"isaac", 50'000},
                                  PythonRate{"synthetic", 50'000}};
// An interpreter with its suite in it; a run has one for each thread and suite, and one more to
// evaluate.
constexpr double kPythonBytes = 300e6;
// A process with LibTorch in it.
constexpr double kProcessBytes = 350e6;
// Weights, target, gradient and the optimiser's two moments, in single precision.
constexpr double kBytesPerParameter = 20;

double row_bytes(const RunConfig& run) {
  const double number = run.settings->run.storage == "f32" ? 4 : 2;
  return number * static_cast<double>(run.shape.observation()) +
         4 * static_cast<double>(run.shape.action()) + 8;
}

double buffer_bytes(const RunConfig& run) {
  const RunSettings& s = run.settings->run;
  return static_cast<double>(std::min(s.capacity, s.steps)) *
         static_cast<double>(run.shape.streams()) * row_bytes(run);
}

double python_bytes(const RunConfig& run) {
  std::set<std::string_view> suites;
  for (const std::string& task : run.tasks)
    if (const envs::PythonSuite* suite = envs::find_python_suite(task)) suites.insert(suite->name);
  return kPythonBytes * 2 * static_cast<double>(suites.size()) * static_cast<double>(run.threads);
}

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

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return concat(rounded(bytes / 1e3, 0), " kB");
  if (bytes < 1e9) return concat(rounded(bytes / 1e6, 0), " MB");
  return concat(rounded(bytes / 1e9, 1), " GB");
}

Needs needs_of(const RunConfig& run) {
  const auto parameters = static_cast<double>(run.settings->network_shapes(run.shape).parameters());
  const double buffer = buffer_bytes(run);
  const bool on_disk = run.replay == "disk";
  // Twice the state: the next checkpoint is written before the last one goes.
  return {
      kProcessBytes + kBytesPerParameter * parameters + python_bytes(run) + (on_disk ? 0 : buffer),
      (on_disk ? buffer : 0) + 2 * 16 * parameters + 1e6};
}

void check_needs(const RunConfig& run, const std::filesystem::path& directory) {
  const Needs needs = needs_of(run);
  const double memory = free_memory(), disk = free_disk(directory);
  if (run.device == "cpu" && needs.memory > memory)
    throw InvalidArgument(concat(
        "this run needs about ", bytes_text(needs.memory), " of memory and ", bytes_text(memory),
        " are free; ",
        run.replay == "disk" ? "narrower networks need less (--preset laptop, --set critic_width=)"
                             : "--replay disk keeps the buffer out of it, --set storage=f16 halves "
                               "it, --capacity shortens it"));
  if (needs.disk > disk)
    throw InvalidArgument(concat("this run needs about ", bytes_text(needs.disk),
                                 " on the disk of ", directory.string(), " and ", bytes_text(disk),
                                 " are free; --set storage=f16 halves its buffer, --capacity ",
                                 "shortens it, --out puts it elsewhere"));
}

double Estimator::environment_seconds(const std::string& task) {
  const auto [at, fresh] = environments_.try_emplace(task, 0);
  if (!fresh) return at->second;
  if (const envs::PythonSuite* suite = envs::find_python_suite(task)) {
    for (const PythonRate& rate : kPythonRates)
      if (rate.suite == suite->name) return at->second = 1 / rate.steps_per_second;
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
  const Needs needs = needs_of(run.config);
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

}  // namespace mneme::lab
