// envs/remote/worker_group.cpp - which worker hosts which environments, and with which seeds.
#include "envs/remote/worker_group.h"

#include <algorithm>

#include "base/text.h"
#include "envs/registry.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"
#include "mneme/rng.h"

namespace mneme::envs {
namespace {

constexpr std::uint32_t kSeedPurpose = 0x70797468;  // "pyth"
constexpr Index kMostSeed = (Index{1} << 31) - 1;

bool can_share_a_worker(const EnvSpec* a, const EnvSpec* b) {
  const PythonSuite* suite = find_python_suite(a->name);
  return suite == find_python_suite(b->name) && a->fault == b->fault && a->timeout == b->timeout &&
         (!suite->worker_per_task || a == b);
}

std::uint32_t seed_of(const EnvSpec& spec, Index env, std::uint64_t seed) {
  const Index number =
      spec.seed >= 0
          ? spec.seed + env
          : static_cast<Index>(Rng(seed, kSeedPurpose, static_cast<std::uint32_t>(env)).word());
  return static_cast<std::uint32_t>(number & kMostSeed);
}

// Environments [first, first + count) as groups of one task each.
std::vector<EnvGroup> env_groups(const std::vector<const EnvSpec*>& specs, Index first, Index count,
                                 std::uint64_t seed) {
  std::vector<EnvGroup> groups;
  const EnvSpec* last = nullptr;
  for (Index env = first; env < first + count; ++env) {
    const EnvSpec* spec = specs[static_cast<std::size_t>(env)];
    if (spec != last)
      groups.push_back({.task = spec->name.substr(spec->name.find('/') + 1),
                        .count = 0,
                        .seeds = {},
                        .spec = *spec});
    last = spec;
    ++groups.back().count;
    groups.back().seeds.push_back(seed_of(*spec, env, seed));
  }
  return groups;
}

}  // namespace

std::vector<WorkerGroup> plan_worker_groups(const std::vector<const EnvSpec*>& specs,
                                            const VecEnvOptions& options) {
  const std::filesystem::path folder = worker_folder();
  const Index count = static_cast<Index>(specs.size());
  const auto at = [&](Index env) { return specs[static_cast<std::size_t>(env)]; };
  std::vector<WorkerGroup> groups;
  for (Index first = 0, end = 0; first < count; first = end) {
    while (end < count && can_share_a_worker(at(first), at(end))) ++end;
    const EnvSpec& spec = *at(first);
    const PythonSuite& suite = *find_python_suite(spec.name);
    const std::filesystem::path interpreter = interpreter_of(suite.name);
    if (interpreter.empty())
      throw NotFound(concat(spec.name, " cannot run here: ", python_task_info(spec.name).install));
    const Index workers = suite.worker_per_task ? 1 : std::min<Index>(options.threads, end - first);
    for (Index w = 0; w < workers; ++w) {
      const Index begin = first + (end - first) * w / workers;
      const Index rows = first + (end - first) * (w + 1) / workers - begin;
      groups.push_back({.request = {.suite = std::string(suite.name),
                                    .interpreter = interpreter,
                                    .folder = folder,
                                    .dtype = spec.dtype,
                                    .fault = spec.fault,
                                    .timeout = spec.timeout,
                                    .groups = env_groups(specs, begin, rows, options.seed)},
                        .first = begin,
                        .count = rows});
    }
  }
  return groups;
}

}  // namespace mneme::envs
