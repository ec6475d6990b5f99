// tests/envs/remote/python_test.cpp - the real worker in a real interpreter: scripted environments
// whose every number is known (python/mneme/worker/suites/synthetic.py), and Gymnasium.
//
// Needs .cache/worker, which scripts/test makes (requirements/worker.txt).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"
#include "support/failing_disk.h"
#include "support/places.h"

namespace mneme::envs {
namespace {

class PythonSuiteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string python = mneme::test::source_path(".cache/worker/bin/python");
    if (!std::filesystem::exists(python))
      GTEST_SKIP() << "needs .cache/worker: scripts/test release";
    for (const char* variable : {"MNEME_PYTHON_SYNTHETIC", "MNEME_PYTHON_GYM"})
      setenv(variable, python.c_str(), 1);
  }
  void TearDown() override {
    for (const char* variable : {"MNEME_PYTHON_SYNTHETIC", "MNEME_PYTHON_GYM"}) unsetenv(variable);
  }
};

struct Transition {
  std::vector<double> before, after;
  double reward = 0;
  bool terminated = false, truncated = false, success = false;
  bool operator==(const Transition&) const = default;
};

// The transitions of every environment.
std::vector<std::vector<Transition>> streams(const std::string& spec, Index count, Index threads,
                                             int steps) {
  const auto envs = make_vec_env(spec + ",dtype=f64,seed=5", {.count = count, .threads = threads});
  EnvMemoryOf<double> memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  const auto width = static_cast<std::size_t>(envs->observation_size());
  const auto actions = static_cast<std::size_t>(envs->action_size());
  std::vector<double> action(static_cast<std::size_t>(count) * actions);
  std::vector<std::vector<Transition>> all(static_cast<std::size_t>(count));
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> before(rows.observation.begin(), rows.observation.end());
    // By what the environment has seen, not by the clock: modes that lose a step see the same.
    for (std::size_t env = 0; env < all.size(); ++env)
      for (std::size_t i = 0; i < actions; ++i)
        action[env * actions + i] =
            std::round(1000 * std::sin(static_cast<double>(all[env].size() + 3 * env + i))) / 1000;
    envs->step(action, rows);
    for (std::size_t env = 0; env < all.size(); ++env) {
      if (rows.cut[env] != 0) continue;
      const auto row = [&](const auto& from) {
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(env * width);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width));
      };
      all[env].push_back({row(before), row(rows.final_observation), rows.reward[env],
                          rows.terminated[env] != 0, rows.truncated[env] != 0,
                          rows.success[env] != 0});
    }
  }
  return all;
}

TEST_F(PythonSuiteTest, EveryAutoresetModeGivesTheSameTransitions) {
  const auto expected = streams("synthetic/loop:lengths=3/5/2", 3, 1, 60);
  // Transitions follow each other: the next begins where the last led, unless an episode ended.
  int ends = 0;
  for (const auto& stream : expected)
    for (std::size_t i = 1; i < stream.size(); ++i) {
      const bool over = stream[i - 1].terminated || stream[i - 1].truncated;
      EXPECT_EQ(stream[i].before == stream[i - 1].after, !over);
      ends += over;
    }
  EXPECT_GT(ends, 30);
  EXPECT_NE(expected[0], expected[1]);
  for (const char* mode : {"loop", "same_step", "disabled", "next_step"})
    for (const Index threads : {1, 2}) {
      const auto found = streams(concat("synthetic/", mode, ":lengths=3/5/2"), 3, threads, 60);
      for (std::size_t env = 0; env < 3; ++env) {
        // NEXT_STEP spends a step of every episode on its reset and gets less far.
        const std::size_t common = std::min(found[env].size(), expected[env].size());
        EXPECT_GT(common, 40U);
        for (std::size_t i = 0; i < common; ++i)
          EXPECT_EQ(found[env][i], expected[env][i]) << mode << ' ' << env << ' ' << i;
      }
    }
}

TEST_F(PythonSuiteTest, RepeatAndLimitCountAsInNativeTasks) {
  const auto once = streams("synthetic/loop:lengths=7", 1, 1, 12)[0];
  const auto held = streams("synthetic/loop:lengths=7,repeat=3", 1, 1, 6)[0];
  EXPECT_EQ(held[0].after[2], 3);  // steps of the episode
  EXPECT_EQ(held[1].after[2], 6);
  EXPECT_EQ(held[2].after[2], 7);  // the third stops where the episode ends
  EXPECT_TRUE(held[2].terminated);
  EXPECT_EQ(once[6].after[2], 7);
  const auto limited = streams("synthetic/loop:lengths=7,limit=5", 1, 1, 12)[0];
  EXPECT_TRUE(limited[4].truncated);
  EXPECT_FALSE(limited[4].terminated);
  EXPECT_EQ(limited[5].before[2], 0);
}

TEST_F(PythonSuiteTest, FailureNamesTaskStepAndOutput) {
  struct Case {
    const char* options;
    std::vector<const char*> words;
  };
  for (const auto& [options, words] : std::vector<Case>{
           {"throw=3,row=1",
            {"environment 1", "step 3 of its episode", "scripted to throw", "Traceback"}},
           {"die=3", {"exited with code 7"}},
           {"crash=3", {"signal 11", "Segmentation fault"}},
           {"hang=3,timeout=0.5", {"no reply within 0.5 seconds"}},
           {"nan=3", {"environment 0", "not finite"}},
           {"lengths=x", {"ValueError", "mneme envs doctor synthetic"}},
           {"color=blue", {"color", "lengths"}}}) {
    std::string said = "nothing";
    try {
      const auto envs = make_vec_env(
          concat("synthetic/loop:", std::string(options).find("lengths") == 0 ? "" : "lengths=50,",
                 options),
          {.count = 2});
      EnvMemory memory(*envs);
      envs->reset(memory.rows());
      const std::vector<float> actions(4);
      for (int step = 0; step < 5; ++step) envs->step(actions, memory.rows());
    } catch (const Error& error) {
      said = error.what();
    }
    for (const char* word : words)
      EXPECT_NE(said.find(word), std::string::npos) << word << " in " << said;
  }
}

// A file of the user's working directory must not stand in for a package.
TEST_F(PythonSuiteTest, ImportsNothingFromWorkingDirectory) {
  namespace fs = std::filesystem;
  const mneme::testing::TemporaryDirectory directory;
  const fs::path mark = directory / "PWNED", before = fs::current_path();
  for (const char* module : {"numpy", "json", "sitecustomize", "gymnasium", "mneme_worker"})
    std::ofstream(directory / concat(module, ".py")) << "open('" << mark.string() << "', 'w')\n";
  fs::current_path(directory.path());
  for (const char* path : {"", ":", ".", ":/nonexistent"}) {
    setenv("PYTHONPATH", path, 1);
    EXPECT_NO_THROW(make_vec_env("synthetic/loop")) << "PYTHONPATH=" << path;
    EXPECT_FALSE(fs::exists(mark)) << "PYTHONPATH=" << path;
  }
  unsetenv("PYTHONPATH");
  fs::current_path(before);
}

TEST_F(PythonSuiteTest, DropAndRestartContinue) {
  for (const char* fault : {"drop", "restart"}) {
    const auto envs =
        make_vec_env(concat("synthetic/loop:lengths=50,throw=3,row=1,fault=", fault), {.count = 3});
    EnvMemory memory(*envs);
    const auto rows = memory.rows();
    envs->reset(rows);
    const std::vector<float> actions(6);
    int cuts[3] = {0, 0, 0};
    for (int step = 0; step < 8; ++step) {
      envs->step(actions, rows);
      for (std::size_t env = 0; env < 3; ++env) cuts[env] += rows.cut[env];
    }
    // Dropped from the third step on; or all cut when their worker was restarted, twice.
    EXPECT_EQ(cuts[1], std::string(fault) == "drop" ? 6 : 2) << fault;
    EXPECT_EQ(cuts[0], std::string(fault) == "drop" ? 0 : 2) << fault;
  }
}

TEST_F(PythonSuiteTest, SeedsReachTheSuiteAndResumeUsesOthers) {
  const auto first = [](std::uint64_t seed, bool resumed) {
    const auto envs = make_vec_env("gym/Pendulum-v1", {.count = 2, .seed = seed});
    EnvMemory memory(*envs);
    if (resumed) envs->set_state(0, envs->state(0));
    envs->reset(memory.rows());
    return std::vector<float>(memory.rows().observation.begin(), memory.rows().observation.end());
  };
  EXPECT_EQ(first(1, false), first(1, false));
  EXPECT_NE(first(1, false), first(2, false));
  EXPECT_NE(first(1, false), first(1, true));
  const std::vector<float> two = first(1, false);
  EXPECT_NE(std::vector<float>(two.begin(), two.begin() + 3),
            std::vector<float>(two.begin() + 3, two.end()));
}

TEST_F(PythonSuiteTest, MakesAnyContinuousGymnasiumId) {
  const auto envs = make_vec_env(
      std::vector<std::string>{"gym/Pendulum-v1:g=5.0", "gym/MountainCarContinuous-v0:limit=30"},
      {.count = 2, .threads = 2});
  EXPECT_EQ(envs->observation_size(), 3);
  EXPECT_EQ(envs->task(0).horizon, 200);
  EXPECT_EQ(envs->spec(0), "gym/Pendulum-v1:g=5.0");
  EnvMemory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  const std::vector<float> actions(4, 1);
  for (int step = 1; step <= 30; ++step) envs->step(actions, rows);
  EXPECT_EQ(rows.truncated[2], 1);
  EXPECT_EQ(rows.truncated[0], 0);
  EXPECT_EQ(rows.observation[2 * 3 + 2], 0);  // narrower observations end in zeros
  for (const auto& [spec, word] : std::vector<std::pair<const char*, const char*>>{
           {"gym/CartPole-v1", "Discrete"}, {"gym/NoSuchThing-v0", "NoSuchThing"}}) {
    try {
      make_vec_env(spec);
      ADD_FAILURE() << spec;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace mneme::envs
