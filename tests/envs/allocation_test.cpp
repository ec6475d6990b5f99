// tests/envs/allocation_test.cpp - stepping takes no memory, over ends of episodes and with
// threads.
#include <gtest/gtest.h>

#include "mneme/vec_env.h"
#include "support/allocations.h"

namespace mneme {
namespace {

TEST(Allocation, NoneWhileStepping) {
  for (const char* spec : {"dummy/count:limit=7,repeat=2", "dmc/cheetah-run:limit=20",
                           "dmc/reacher-easy:limit=20", "hb/h1-walk:limit=10"}) {
    std::string name = spec;
    name.resize(name.find(':'));
    bool here = false;
    for (const TaskInfo& info : registered_tasks())
      here = here || (info.name == name && info.available);
    if (!here) continue;
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

// The counter does count.
TEST(Allocation, TheCounterCounts) {
  const long before = testing::allocations.load();
  const std::vector<int> some(100);
  EXPECT_GT(testing::allocations.load(), before + static_cast<long>(some.empty()));
}

}  // namespace
}  // namespace mneme
