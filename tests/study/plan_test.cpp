// tests/study/plan_test.cpp - from a study to its runs.
#include "study/plan.h"

#include <gtest/gtest.h>

#include <set>

#include "mneme/error.h"
#include "os/command_line.h"
#include "run/requirements.h"
#include "study/estimate.h"
#include "study/study_process.h"
#include "suites/task_lookup.h"

namespace mneme::lab {
namespace {

std::vector<PlannedRun> plan(const std::string& text) {
  return plan_runs(read_study(text, "mine", {}));
}

std::string complaint(const std::string& text) {
  try {
    plan(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Matrix, EverySamplerHasEverySeed) {
  const auto runs = plan(small_study(3, 100) + "sweep = {utd = [\"1/2\", 1]}\n");
  ASSERT_EQ(runs.size(), 12U);
  std::set<std::string> keys;
  std::map<std::string, std::set<Index>> seeds;
  for (const PlannedRun& run : runs) {
    keys.insert(run.key);
    seeds[run.method].insert(run.seed);
    EXPECT_EQ(run.config.seed, static_cast<std::uint64_t>(run.seed));
    EXPECT_EQ(run.config.settings->run.steps, 100);
    EXPECT_EQ(run.config.settings->run.eval_every, 25);
    EXPECT_EQ(run.key.find('/'), std::string::npos);
  }
  EXPECT_EQ(keys.size(), runs.size());
  EXPECT_EQ(seeds["uniform"], seeds["truncated_geometric:alpha=5"]);
  EXPECT_EQ(seeds["uniform"].size(), 3U);
  EXPECT_EQ(runs.front().factors, (Settings{{"utd", "1/2"}}));
  EXPECT_NE(command_line(runs.front().arguments).find("--set utd=1/2"), std::string::npos);
}

TEST(Matrix, SweepsReachIntoTheSpecsOfSamplersThatHaveTheParameter) {
  const auto runs = plan(small_study(1, 100) + "sweep = {sampler = {alpha = [1, 7]}}\n");
  // Uniform has no alpha: one run, not two.
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].method, "uniform");
  EXPECT_EQ(runs[1].method, "truncated_geometric:alpha=1");
  EXPECT_EQ(runs[2].method, "truncated_geometric:alpha=7");
  EXPECT_EQ(runs[2].config.settings->run.sampler, "truncated_geometric:alpha=7");
  EXPECT_EQ(runs[2].factors, (Settings{{"sampler.alpha", "7"}}));
}

TEST(Matrix, TasksOneByOneOrTogether) {
  const std::string start =
      "agent = \"brc\"\ntasks = [\"dummy/count:limit=9\", "
      "\"dummy/count:limit=8\"]\n";
  EXPECT_EQ(plan(start).size(), 2U);
  const auto runs = plan(start + "together = true\n");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.front().config.tasks.size(), 2U);
}

TEST(Matrix, MissingSuitesAreReportedAndOthersPlanned) {
  const auto runs =
      plan("agent = \"simbav2\"\ntasks = [\"metaworld/reach\", \"dummy/count\", \"myo/pose\"]\n");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_NE(runs[0].missing.find("Meta-World: mneme envs install metaworld"), std::string::npos);
  EXPECT_EQ(runs[1].missing, "");
  EXPECT_NE(runs[2].missing.find("MyoSuite"), std::string::npos);
  EXPECT_NE(configuration_of(runs[0]).find("cannot run on this machine"), std::string::npos);
  EXPECT_EQ(tasks_named("hb-hands-29").size(), 29U);
  EXPECT_EQ(tasks_named("brc-hb-20").size(), 20U);
  EXPECT_EQ(tasks_named("mt50").size(), 50U);
  EXPECT_EQ(tasks_named("isaac-6").size(), 6U);
  EXPECT_EQ(tasks_named("myo-10").size(), 10U);
  EXPECT_EQ(tasks_named("mt50").front(), "metaworld/assembly");
  EXPECT_NE(missing_for("gym/Anything-v3").find("mneme envs install gym"), std::string::npos);
  EXPECT_NE(missing_for("isaac/Velocity-Flat-H1").find("mneme envs register isaac"),
            std::string::npos);
  EXPECT_THROW(missing_for("metaworld/raech"), NotFound);
}

TEST(Matrix, CombinationsThatCannotBeARunAreNamed) {
  const auto says = [](const std::string& text, const std::string& words) {
    const std::string said = complaint(text);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("agent = \"simba\"\ntasks = [\"dummy/count\"]", "did you mean 'simbav2'");
  says("agent = \"simbav2\"\ntasks = [\"dummy/coutn\"]", "dummy/count");
  says("agent = \"simbav2\"\ntasks = [\"dmc-dosg\"]", "dmc-dogs");
  says("agent = \"simbav2\"\ntasks = [\"dummy/count\"]\nsettings = {critic_widht = 3}",
       "critic_width");
  says("agent = \"simbav2\"\ntasks = [\"dummy/count\"]\nsettings = {batch_size = 5000}",
       "learning_starts");
  says("agent = \"simbav2\"\ntasks = [\"dummy/count\"]\nsamplers = [\"unifrom\"]", "uniform");
  says("agent = \"simbav2\"\ntogether = true\ntasks = [\"dummy/count\", \"dummy/count:limit=3\"]",
       "one task");
  says("agent = \"simbav2\"\ntasks = [\"dummy/count\"]\nsettings = {actor_sampler = \"per\"}",
       "without priorities");
}

// A study of an older version: its runs keep their keys and are made with present names.
TEST(Matrix, FormerSettingsOfAStudyFileArePlannedUnderPresentNames) {
  const auto runs = plan(
      "agent = \"simbav2\"\ntasks = [\"dummy/count\"]\n"
      "settings = {first_update = 700, first_rate = 0.5}\nsweep = {batch = [8, 16]}\n");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_NE(runs[1].key.find("batch=16"), std::string::npos) << runs[1].key;
  EXPECT_EQ(runs[1].config.settings->run.batch_size, 16);
  EXPECT_EQ(runs[1].config.settings->run.learning_starts, 700);
  const std::string command = command_line(runs[1].arguments);
  for (const char* one : {"batch_size=16", "learning_starts=700", "learning_rate=0.5"})
    EXPECT_NE(command.find(one), std::string::npos) << command;
  EXPECT_EQ(command.find("first_"), std::string::npos) << command;

  const auto sac = plan("agent = \"baseline\"\ntasks = [\"dummy/count\"]\n");
  EXPECT_EQ(sac.front().config.agent, "sac");
  const auto td3 =
      plan("agent = \"baseline\"\ntasks = [\"dummy/count\"]\nsettings = {algorithm = \"td3\"}\n");
  EXPECT_EQ(td3.front().arguments.at(1), "td3");
}

TEST(Matrix, TooManyRunsAreRefusedBeforeTheyAreListed) {
  const std::string said =
      complaint("agent = \"simbav2\"\ntasks = [\"dummy/count\"]\nseeds = 100000\n");
  EXPECT_NE(said.find("100000 runs; at most 20000"), std::string::npos) << said;
}

// The replay buffer is in host memory, whatever the device of the agent.
TEST(Matrix, RunThatNeedsMoreMemoryThanThereIsIsRefusedOnEveryDevice) {
  RunConfig run = resolve_run("simbav2", "laptop", {"dummy/count"},
                              {"steps=1000000000000", "capacity=1000000000000"});
  run.replay = "memory";
  for (const char* device : {"cpu", "cuda"}) {
    run.device = device;
    try {
      check_requirements(run, ".");
      FAIL() << device;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("of memory"), std::string::npos) << error.what();
    }
  }
}

TEST(Matrix, EstimatesGrowWithTheWork) {
  Estimator estimate(nullptr);
  const auto runs = plan(small_study(1, 1000));
  const Estimate small = estimate(runs.front());
  EXPECT_GT(small.seconds, 0);
  EXPECT_GT(small.memory, 1e8);
  const auto longer = plan(small_study(1, 4000));
  EXPECT_GT(estimate(longer.front()).seconds, 2 * small.seconds);
  const auto wider = plan(small_study(1, 1000) + "sweep = {critic_width = [1024]}\n");
  EXPECT_GT(estimate(wider.front()).seconds, small.seconds);
}

}  // namespace
}  // namespace mneme::lab
