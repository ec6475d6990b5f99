// tests/envs/remote/suites_test.cpp - facts of the Python suites, and what follows from them.
#include "envs/remote/suites.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "envs/remote/worker_group.h"
#include "mneme/error.h"
#include "support/failing_disk.h"
#include "support/places.h"

namespace mneme::envs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFacts = R"(# a comment
[suite]
title = Some Suite
summary = 2 tasks
packages = some-suite numpy
pip = yes
python = 3.11 3.12.1
score = success
success = info[done]
starts = episodes
steps_per_second = 100
checked = one
notes =
    A first note.
    A second one.

[tasks]
one = 3 2 100 starts=none
two = 4 2 50 -1.5 20
)";

TEST(SuiteFacts, ReadsEveryKey) {
  const PythonSuite suite = parse_suite_facts("some", kFacts);
  EXPECT_EQ(suite.title, "Some Suite");
  EXPECT_EQ(suite.packages, (std::vector<std::string>{"some-suite", "numpy"}));
  EXPECT_TRUE(suite.installable);
  EXPECT_FALSE(suite.open);
  EXPECT_EQ(suite.pythons.first, (PythonVersion{3, 11, 0}));
  EXPECT_EQ(suite.pythons.end, (PythonVersion{3, 12, 1}));
  EXPECT_EQ(suite.notes.size(), 2U);
  ASSERT_EQ(suite.tasks.size(), 2U);
  EXPECT_EQ(suite.tasks[1].name, "some/two");
  EXPECT_EQ(suite.tasks[0].observation, 3);
  EXPECT_EQ(suite.tasks[1].score_low, -1.5);
  EXPECT_EQ(suite.tasks[0].score_high, 1);
  EXPECT_TRUE(suite.tasks[0].score_is_success);
  EXPECT_EQ(suite.tasks[0].success, "info[done]");
}

TEST(SuiteFacts, RejectsMalformedFilesWithLine) {
  const auto message = [](const std::string& from, const std::string& to) {
    std::string text = kFacts;
    text.replace(text.find(from), from.size(), to);
    try {
      parse_suite_facts("some", text);
    } catch (const CorruptData& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(message("pip = yes", "pip = maybe"), "suites/some.ini, line 6: pip must be yes or no");
  EXPECT_EQ(message("pip = yes", "pipp = yes"), "suites/some.ini, line 6: unknown key pipp");
  EXPECT_EQ(message("title = Some Suite\n", ""),
            "suites/some.ini, line 1: [suite] must have title");
  EXPECT_EQ(message("one = 3 2 100 starts=none", "one = 3 x 100"),
            "suites/some.ini, line 18: 'x' must be a number");
  EXPECT_EQ(
      message("one = 3 2 100 starts=none", "one = 3 2"),
      "suites/some.ini, line 18: a task must have 3 numbers, or 5 with the returns of score 0 "
      "and 1");
  EXPECT_EQ(message("[tasks]", "[task]"), "suites/some.ini, line 18: unknown section [task]");
  EXPECT_EQ(message("two = 4", "one = 4"), "suites/some.ini, line 19: one is given twice");
  EXPECT_EQ(message("python = 3.11 3.12.1", "python = new"),
            "suites/some.ini, line 7: python must be FIRST or FIRST END, such as 3.11 3.14");
  EXPECT_EQ(message("steps_per_second = 100", "steps_per_second = 0"),
            "suites/some.ini, line 11: steps_per_second must be above 0");
  EXPECT_EQ(message("success = info[done]\n", ""),
            "suites/some.ini, line 8: score = success needs a line success = HOW IT IS DEFINED");
}

// One suite is its .ini file, its module and its requirements; nothing else lists it.
TEST(SuiteFacts, EverySuiteHasModuleAndRequirements) {
  EXPECT_EQ(python_suites().size(), 9U);
  EXPECT_EQ(python_suites().back().name, "synthetic");
  for (const PythonSuite& suite : python_suites()) {
    const fs::path folder = mneme::test::source_path("python/mneme/worker");
    EXPECT_TRUE(fs::exists(folder / "suites" / concat(suite.name, ".py"))) << suite.name;
    EXPECT_EQ(fs::exists(folder / "requirements" / concat(suite.name, ".txt")), suite.installable)
        << suite.name;
    EXPECT_TRUE(suite.installable || !suite.needs.empty()) << suite.name;
  }
  EXPECT_EQ(find_python_suite("metaworld")->tasks.size(), 50U);
  EXPECT_EQ(find_python_suite("myo/reach")->tasks.size(), 10U);
  EXPECT_EQ(find_python_suite("dmc/walker-run"), nullptr);
}

// FastTD3's evaluation starts episodes at step 0. With the training default every first episode of
// Isaac Lab would be cut short, and they are the ones that are scored.
TEST(EvaluationSpec, AddsOptionsOfTheSuiteUnlessGiven) {
  EXPECT_EQ(evaluation_spec("isaac/Velocity-Flat-G1"), "isaac/Velocity-Flat-G1:random_start=false");
  EXPECT_EQ(evaluation_spec("isaac/Velocity-Flat-G1:bound=2.0,fault=restart"),
            "isaac/Velocity-Flat-G1:fault=restart,bound=2.0,random_start=false");
  EXPECT_EQ(evaluation_spec("isaac/Velocity-Flat-G1:random_start=true"),
            "isaac/Velocity-Flat-G1:random_start=true");
  for (const char* same : {"metaworld/reach", "dmc/walker-run:repeat=2", "gym/Pendulum-v1:g=5"})
    EXPECT_EQ(evaluation_spec(same), same);
}

TEST(WorkerPlan, OneSimulatorPerTaskWhereASuiteNeedsIt) {
  const mneme::testing::TemporaryDirectory directory;
  const std::string python = directory / "python";
  std::ofstream(python) << "";
  for (const char* variable : {"MNEME_PYTHON_ISAAC", "MNEME_PYTHON_METAWORLD"})
    setenv(variable, python.c_str(), 1);
  const auto plan = [](std::vector<std::string> tasks, Index threads) {
    std::vector<EnvSpec> specs;
    for (const std::string& task : tasks) specs.push_back(parse_env_spec(task));
    std::vector<const EnvSpec*> environments;
    for (const EnvSpec& spec : specs)
      for (int i = 0; i < 4; ++i) environments.push_back(&spec);
    std::vector<Index> counts;
    for (const WorkerGroup& group : plan_worker_groups(environments, {.threads = threads})) {
      counts.push_back(group.count);
      EXPECT_EQ(group.request.rows(), group.count);
    }
    return counts;
  };
  using Counts = std::vector<Index>;
  EXPECT_EQ(plan({"isaac/Velocity-Flat-G1"}, 3), Counts{4});
  EXPECT_EQ(plan({"isaac/Velocity-Flat-G1", "isaac/Velocity-Flat-H1"}, 3), (Counts{4, 4}));
  EXPECT_EQ(plan({"metaworld/reach"}, 3), (Counts{1, 1, 2}));
  EXPECT_EQ(plan({"metaworld/reach", "metaworld/push"}, 1), Counts{8});
  for (const char* variable : {"MNEME_PYTHON_ISAAC", "MNEME_PYTHON_METAWORLD"}) unsetenv(variable);
}

}  // namespace
}  // namespace mneme::envs
