// study/estimate.cpp - counting parameters, rows and steps.
#include "study/estimate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "base/text.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"
#include "os/machine.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

// Between what an idle and a busy core of a virtual machine did: dense products in single
// precision, and what an update costs however small it is.
constexpr double kFlopsPerSecond = 50e9, kUpdateOverhead = 4e-3;
// An interpreter with its suite in it; a run has one for each thread and suite, and one more to
// evaluate.
constexpr double kPythonBytes = 300e6;
// A process with LibTorch in it.
constexpr double kProcessBytes = 350e6;
// Weights, target, gradient and the optimiser's two moments, in single precision.
constexpr double kBytesPerParameter = 20;

std::string text(const RunConfig& run, const std::string& name) {
  for (const Field& field : run.settings->list())
    if (field.name == name) return field.value;
  return {};
}

double setting(const RunConfig& run, const std::string& name, double otherwise) {
  return parse_number(text(run, name)).value_or(otherwise);
}

struct Parameters {
  double critic, actor;
};

// Of all critics and of the actor: first layer, residual blocks of twice (hypersphere: eight times)
// the width squared, last layer.
Parameters parameters_of(const RunConfig& run) {
  const auto in = static_cast<double>(run.shape.observation());
  const auto out = static_cast<double>(run.shape.action());
  const double critic = setting(run, "critic_width", 256), actor = setting(run, "actor_width", 256);
  const double per_block = run.agent == "simbav2" ? 2 * setting(run, "expansion", 4) : 2;
  const double blocks = run.agent == "fasttd3" ? 0.35 : setting(run, "critic_blocks", 2);
  const double actor_blocks = run.agent == "fasttd3" ? 0.35 : setting(run, "actor_blocks", 1);
  const double atoms = setting(run, "atoms", 101);
  const bool one_critic = run.agent == "simbav2" && text(run, "two_critics") == "false";
  return {(one_critic ? 1 : 2) * critic * (in + out + blocks * per_block * critic + atoms),
          actor * (in + actor_blocks * per_block * actor + 2 * out)};
}

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
  for (const char* name : {"batch", "utd", "critic_width", "actor_width", "critic_blocks",
                           "environments", "repeat", "n_step"})
    text += concat(' ', shortest_number(setting(run, name, 0)));
  return text;
}

}  // namespace

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return concat(rounded(bytes / 1e3, 0), " kB");
  if (bytes < 1e9) return concat(rounded(bytes / 1e6, 0), " MB");
  return concat(rounded(bytes / 1e9, 1), " GB");
}

Needs needs_of(const RunConfig& run) {
  const auto [critic, actor] = parameters_of(run);
  const double buffer = buffer_bytes(run);
  const bool on_disk = run.replay == "disk";
  // Twice the state: the next checkpoint is written before the last one goes.
  return {kProcessBytes + kBytesPerParameter * (critic + actor) + python_bytes(run) +
              (on_disk ? 0 : buffer),
          (on_disk ? buffer : 0) + 2 * 16 * (critic + actor) + 1e6};
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
  const auto [critic, actor] = parameters_of(run.config);
  const auto steps = static_cast<double>(s.steps), batch = static_cast<double>(s.batch);
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
    const double one = environment_seconds(task) * static_cast<double>(s.repeat);
    per_step += one * static_cast<double>(s.environments);
    evaluation += one * static_cast<double>(horizon > 0 ? horizon : 1000) /
                  static_cast<double>(s.repeat) * static_cast<double>(s.eval_episodes);
  }
  all.seconds = steps * per_step + evaluation * steps / static_cast<double>(s.eval_every);
  return all;
}

}  // namespace mneme::lab
