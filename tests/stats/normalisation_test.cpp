// tests/stats/normalisation_test.cpp - the built-in constants, names that slip, and the scales
// without constants.
#include <gtest/gtest.h>

#include "mneme/error.h"
#include "mneme/scores.h"

namespace mneme::stats {
namespace {

template <class E>
std::string complaint(auto call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "none";
}

TEST(Normalisation, HumanoidBenchConstants) {
  const auto expect = [](std::string_view task, double random, double threshold) {
    const Scale scale = scale_of(task, Suite::humanoidbench);
    EXPECT_EQ(scale.random, random) << task;
    EXPECT_EQ(scale.threshold, threshold) << task;
  };
  expect("h1-walk-v0", 2.377, 700);
  expect("h1-reach", 260.302, 12000);
  expect("h1-crawl", 272.658, 700);
  expect("h1hand-package-v0", -10040.932, 1500);
  expect("h1hand-kitchen", 0, 4);
  expect("h1hand-crawl", 278.868, 800);
  expect("h1hand-window", 2.713, 650);
}

TEST(Normalisation, CrawlThresholdOfTheBenchmark) {
  EXPECT_EQ(scale_of("h1hand-crawl-v0", Suite::humanoidbench, 700).threshold, 700);
  EXPECT_EQ(scale_of("h1hand-walk-v0", Suite::humanoidbench, 750).threshold, 700);
  EXPECT_THROW(scale_of("h1hand-crawl", Suite::humanoidbench, 200), InvalidArgument);
}

TEST(Normalisation, AutomaticGoesByTheName) {
  EXPECT_EQ(scale_of("h1-run-v0", Suite::automatic).suite, Suite::humanoidbench);
  EXPECT_EQ(scale_of("dog-run", Suite::automatic).threshold, 1000);
  EXPECT_EQ(scale_of("humanoid_CMU-run", Suite::automatic).suite, Suite::dmc);
  EXPECT_EQ(scale_of("finger-turn_hard", Suite::automatic).suite, Suite::dmc);
  EXPECT_EQ(scale_of("dog", Suite::automatic).suite, Suite::none);
  EXPECT_EQ(scale_of("button-press-v2", Suite::automatic).suite, Suite::none);
}

TEST(Normalisation, UnknownNamesSuggestTheNearest) {
  const std::string slip = complaint<NotFound>([] { scale_of("h1-wlak-v0", Suite::automatic); });
  EXPECT_NE(slip.find("h1-wlak"), std::string::npos) << slip;
  EXPECT_NE(slip.find("did you mean 'h1-walk'"), std::string::npos) << slip;
  EXPECT_THROW(scale_of("dgo-run", Suite::dmc), NotFound);
  const std::string suite = complaint<NotFound>([] { suite_of("humanoidbnch"); });
  EXPECT_NE(suite.find("did you mean 'humanoidbench'"), std::string::npos) << suite;
  EXPECT_EQ(suite_of("auto"), Suite::automatic);
  EXPECT_EQ(name_of(Suite::isaaclab), "isaaclab");
}

Curves one_task(const std::string& task, std::vector<double> values) {
  return {{task}, {{"0"}}, std::vector<double>{1, 2}, {{std::move(values)}}};
}

TEST(Normalisation, AppliesTheScaleWithoutClipping) {
  Curves curves = one_task("h1-crawl", {272.658, 947.658});
  normalise(curves, std::array{scale_of("h1-crawl", Suite::automatic)});
  EXPECT_EQ(curves.values[0][0][0], 0);
  EXPECT_NEAR(curves.values[0][0][1], 675 / 427.342, 1e-12);
}

TEST(Normalisation, SuccessRatesAreCheckedAndKept) {
  Curves curves = one_task("reach-v2", {0.5, 1});
  normalise(curves, std::array{scale_of("reach-v2", Suite::metaworld)});
  EXPECT_EQ(curves.values[0][0], (std::vector<double>{0.5, 1}));
  Curves percent = one_task("reach-v2", {0.5, 85});
  EXPECT_THROW(normalise(percent, std::array{scale_of("reach-v2", Suite::myosuite)}),
               InvalidArgument);
  EXPECT_EQ(percent.values[0][0][1], 85);
  EXPECT_THROW(normalise(percent, {}), InvalidArgument);
}

TEST(Normalisation, IsaacLabDividesByTheBaselinesFinalReturn) {
  Curves baseline = one_task("Isaac-Ant", {10, 40});
  const std::vector<Scale> scales = final_return_scales(baseline);
  normalise(baseline, scales);
  EXPECT_EQ(baseline.values[0][0], (std::vector<double>{0.25, 1}));
  EXPECT_THROW(final_return_scales(one_task("Isaac-Ant", {10, -1})), InvalidArgument);
  EXPECT_THROW(scale_of("Isaac-Ant", Suite::isaaclab), InvalidArgument);
}

}  // namespace
}  // namespace mneme::stats
