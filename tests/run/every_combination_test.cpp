// tests/run/every_combination_test.cpp - every agent with every sampler on every shape of
// streams: one environment, several side by side, several tasks. Short runs, from the first step to
// the last evaluation.
#include <gtest/gtest.h>

#include "mneme/error.h"
#include "mneme/sampler.h"
#include "run/trainer.h"
#include "support/failing_disk.h"

namespace mneme::lab {
namespace {

using mneme::testing::TemporaryDirectory;

struct Streams {
  const char* name;
  std::vector<std::string> tasks;
  const char* environments;
};

const std::vector<Streams>& stream_shapes() {
  static const std::vector<Streams> all{
      {"one", {"dummy/count:limit=9"}, "1"},
      {"parallel", {"dummy/count:limit=9"}, "5"},
      {"tasks", {"dummy/count:limit=9", "dummy/count:limit=7"}, "1"},
  };
  return all;
}

class EveryAgent : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryAgent, WithEverySamplerOnEveryShapeOfStreams) {
  std::vector<std::string> samplers;
  for (const SamplerInfo* info : registered_samplers()) samplers.emplace_back(info->name);
  ASSERT_GT(samplers.size(), 10U);
  // Networks of layers that need not be alike name each of them.
  const auto width = [](const std::string& network) {
    return network + (GetParam() == "sac" || GetParam() == "td3" ? "_layers=8" : "_width=8");
  };
  int ran = 0;
  for (const Streams& streams : stream_shapes()) {
    for (const std::string& sampler : samplers) {
      SCOPED_TRACE(std::string(streams.name) + " " + sampler);
      std::vector<std::string> settings{"steps=20",
                                        "random_steps=5",
                                        "learning_starts=12",
                                        "batch_size=8",
                                        "capacity=64",
                                        "eval_every=20",
                                        "eval_episodes=1",
                                        width("critic"),
                                        width("actor"),
                                        "n_step=2",
                                        "utd=1",
                                        "sampler=" + sampler,
                                        std::string("num_envs=") + streams.environments};
      RunConfig run;
      try {
        run = resolve_run(GetParam(), "laptop", streams.tasks, settings);
      } catch (const InvalidArgument& error) {
        // An agent for one task says so; nothing else is refused.
        ASSERT_GT(streams.tasks.size(), 1U) << error.what();
        EXPECT_NE(std::string(error.what()).find("one task"), std::string::npos) << error.what();
        continue;
      }
      run.replay = "memory";
      const TemporaryDirectory directory;
      const auto trainer = Trainer::create(std::move(run), directory / "run");
      while (!trainer->done()) trainer->step();
      EXPECT_GE(trainer->updates_done(), 8);
      EXPECT_EQ(trainer->last_evaluation().size(), streams.tasks.size());
      ++ran;
    }
  }
  EXPECT_GE(ran, static_cast<int>(2 * samplers.size()));
}

INSTANTIATE_TEST_SUITE_P(Agents, EveryAgent, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const AgentInfo& one : registered_agents())
                             names.emplace_back(one.name);
                           return names;
                         }()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace mneme::lab
