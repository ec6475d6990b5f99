// tests/envs/allocation_test.cpp - stepping takes no memory, over ends of episodes and with
// threads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "mneme/vec_env.h"
#include "support/allocations.h"

namespace mneme {
namespace {

bool here(const std::string& name) {
  for (const TaskInfo& info : registered_tasks())
    if (info.name == name) return info.available;
  return false;
}

TEST(Allocation, StepAllocatesNothing) {
  for (const char* spec : {"dummy/count:limit=7,repeat=2", "dmc/cheetah-run:limit=20",
                           "dmc/reacher-easy:limit=20", "hb/h1-walk:limit=10"}) {
    std::string name = spec;
    name.resize(name.find(':'));
    if (!here(name)) continue;
    const auto envs = make_vec_env(spec, {.count = 5, .threads = 2});
    EnvMemory memory(*envs);
    const auto rows = memory.rows();
    const std::vector<float> actions(static_cast<std::size_t>(5 * envs->action_size()), 0.3F);
    envs->reset(rows);
    envs->step(actions, rows);
    const long before = testing::allocations.load();
    for (int step = 0; step < 45; ++step) envs->step(actions, rows);
    EXPECT_EQ(testing::allocations.load(), before) << spec;
    EXPECT_GT(envs->counts().episodes, 0U) << spec;
  }
}

// Bytes of this process that are in memory, or 0 where /proc does not tell.
double resident() {
  std::ifstream in("/proc/self/statm");
  double total = 0, pages = 0;
  in >> total >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Neither with 128 environments of tasks of different width side by side, which take 1.5 GB at
// most.
TEST(Allocation, NoneWithMixedTasks) {
  if (!here("hb/h1hand-walk")) GTEST_SKIP() << "needs MuJoCo";
  std::vector<std::string> tasks;
  const std::vector<std::string> set = task_set("hb-hands-29");
  while (tasks.size() < 128) tasks.push_back(set[tasks.size() % set.size()] + ":limit=2");
  const double empty = resident();
  const auto envs = make_vec_env(tasks, {.threads = 2});
  EnvMemory memory(*envs);
  const auto rows = memory.rows();
  const std::vector<float> actions(static_cast<std::size_t>(128 * envs->action_size()), 0.3F);
  envs->reset(rows);
  envs->step(actions, rows);
  const long before = testing::allocations.load();
  for (int step = 0; step < 5; ++step) envs->step(actions, rows);
  EXPECT_EQ(testing::allocations.load(), before);
  EXPECT_GE(envs->counts().episodes, 128U);
  const double taken = resident() - empty;
  if (resident() > 0) {
    EXPECT_GT(taken, 1e7) << "nothing was measured";
  }
  EXPECT_LT(taken, 1.5e9);
  RecordProperty("megabytes", std::to_string(taken / 1e6));
}

// The counter does count.
TEST(Allocation, CounterCounts) {
  const long before = testing::allocations.load();
  const std::vector<int> some(100);
  EXPECT_GT(testing::allocations.load(), before + static_cast<long>(some.empty()));
}

}  // namespace
}  // namespace mneme
