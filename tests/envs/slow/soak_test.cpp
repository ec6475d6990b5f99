// tests/envs/slow/soak_test.cpp - ten million steps over all native tasks: nothing is cut, nothing
// leaks (under AddressSanitizer). MuJoCo's own library is not instrumented: its reads and writes of
// our memory are only checked where it calls malloc, memcpy and the like.
//
// MNEME_SOAK_STEPS=N sets how many steps (10,000,000), MNEME_SOAK_SEED=N the seed (11): where time
// is short, several runs with seeds of their own add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "envs/remote/suites.h"
#include "mneme/rng.h"
#include "mneme/vec_env.h"

namespace mneme {
namespace {

struct Runner {
  std::unique_ptr<VecEnv> envs;
  std::unique_ptr<EnvMemory> memory;
  double seconds = 0;
  std::uint64_t steps = 0;
};

TEST(Soak, TenMillionSteps) {
  const char* wanted = std::getenv("MNEME_SOAK_STEPS");
  const std::uint64_t target = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 10'000'000;
  const char* other = std::getenv("MNEME_SOAK_SEED");
  const std::uint64_t seed = other != nullptr ? std::strtoull(other, nullptr, 10) : 11;
  constexpr Index kCount = 4;
  constexpr int kRound = 100;

  std::vector<Runner> runners;
  for (const TaskInfo& info : registered_tasks()) {
    if (!info.available || envs::find_python_suite(info.name) != nullptr) continue;
    Runner runner;
    runner.envs = make_vec_env(info.name, {.count = kCount, .threads = 2, .seed = seed});
    runner.memory = std::make_unique<EnvMemory>(*runner.envs);
    runner.envs->reset(runner.memory->rows());
    runners.push_back(std::move(runner));
  }
  ASSERT_FALSE(runners.empty());

  // First all tasks get their least share, several episodes of the longest ones; then the next
  // round goes to the one that has had the least time and not yet the most steps, so that small
  // models get many and no single one nearly all.
  const std::uint64_t least = target / 500, most = std::max(least, target / 20);
  const auto next_runner = [&] {
    Runner* next = nullptr;
    for (Runner& runner : runners)
      if (runner.steps < least && (next == nullptr || runner.steps < next->steps)) next = &runner;
    if (next != nullptr) return next;
    for (Runner& runner : runners)
      if (runner.steps < most && (next == nullptr || runner.seconds < next->seconds))
        next = &runner;
    return next;
  };
  Rng rng(seed + 1);
  std::vector<float> actions;
  std::uint64_t total = 0;
  while (total < target) {
    Runner* next = next_runner();
    ASSERT_NE(next, nullptr) << "too few tasks for so many steps";
    const auto begin = std::chrono::steady_clock::now();
    actions.resize(static_cast<std::size_t>(kCount * next->envs->action_size()));
    for (int step = 0; step < kRound; ++step) {
      // Every tenth round far outside the usual range: learners may do that too.
      const float scale = next->steps % (10 * kRound * kCount) == 0 ? 20.F : 2.F;
      for (float& action : actions) action = scale * (static_cast<float>(rng.uniform()) - 0.5F);
      next->envs->step(actions, next->memory->rows());
    }
    next->seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    next->steps += kRound * kCount;
    total += kRound * kCount;
  }
  std::uint64_t fewest = target;
  for (const Runner& runner : runners) {
    const EnvCounts counts = runner.envs->counts();
    fewest = std::min(fewest, runner.steps);
    std::printf("%-30s %10llu steps %8llu episodes\n", runner.envs->spec(0).c_str(),
                static_cast<unsigned long long>(counts.steps),
                static_cast<unsigned long long>(counts.episodes));
    EXPECT_EQ(counts.cuts, 0U) << counts.last_cut;
    EXPECT_EQ(counts.steps, runner.steps) << runner.envs->spec(0);
    EXPECT_GT(runner.steps, 0U) << runner.envs->spec(0);
  }
  std::printf("%llu steps over %zu tasks, at least %llu of each\n",
              static_cast<unsigned long long>(total), runners.size(),
              static_cast<unsigned long long>(fewest));
}

}  // namespace
}  // namespace mneme
