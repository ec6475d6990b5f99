// tests/stats/speed_up_test.cpp - times to a level, the ratio of two, and its interval.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "mneme/bootstrap.h"
#include "mneme/error.h"
#include "mneme/rng.h"

namespace mneme::stats {
namespace {

constexpr std::array kSteps{1e4, 2e4, 3e4, 4e4, 5e4, 6e4, 7e4, 8e4, 9e4, 1e5};
constexpr std::array kBaseline{.05, .12, .20, .28, .35, .41, .46, .50, .53, .55};
constexpr std::array kCurve{.06, .16, .27, .37, .45, .51, .56, .59, .61, .62};

TEST(SpeedUp, Fixture) {
  const SpeedUp result = speed_up(kSteps, kBaseline, kCurve);
  EXPECT_EQ(result.level, 0.55);
  EXPECT_NEAR(time_to_reach(kSteps, kCurve, 0.55), 68'000, 1e-9);
  EXPECT_NEAR(result.at_final, 1.470588, 5e-7);
  EXPECT_NEAR(result.fraction_of_training, 0.68, 1e-12);
  const std::array levels{.1, .2, .3, .4, .5},
      expected{1.224490, 1.269231, 1.298701, 1.333333, 1.371429};
  for (std::size_t i = 0; i < levels.size(); ++i)
    EXPECT_NEAR(
        time_to_reach(kSteps, kBaseline, levels[i]) / time_to_reach(kSteps, kCurve, levels[i]),
        expected[i], 5e-7);
  EXPECT_NEAR(result.up_to, 1.470588, 5e-7);  // here the last level is the best
  EXPECT_EQ(result.up_to_level, 0.55);
}

TEST(SpeedUp, AucAndGainOfTheFixture) {
  const Curves b{
      {"t"}, {{"0"}}, {kSteps.begin(), kSteps.end()}, {{{kBaseline.begin(), kBaseline.end()}}}};
  const Curves x{
      {"t"}, {{"0"}}, {kSteps.begin(), kSteps.end()}, {{{kCurve.begin(), kCurve.end()}}}};
  EXPECT_NEAR(mean(auc(b)), 0.345, 1e-15);  // a trapezoid would give 0.35
  EXPECT_NEAR(mean(auc(x)), 0.420, 1e-15);  // and 0.428889
  EXPECT_NEAR(gain(auc(x), auc(b)), 21.739130, 5e-7);
}

TEST(SpeedUp, UpToIsTheSupremumOverAllLevels) {
  Rng rng(31);
  for (int trial = 0; trial < 50; ++trial) {
    // Curves with dips and plateaus.
    std::array<double, 8> steps, b, x;
    for (std::size_t k = 0; k < 8; ++k) {
      steps[k] = static_cast<double>(k + 1);
      b[k] = std::floor(10 * rng.uniform() * steps[k]) / 10;
      x[k] = std::floor(10 * rng.uniform() * steps[k]) / 10;
    }
    const SpeedUp result = speed_up(steps, b, x);
    double best = std::numeric_limits<double>::quiet_NaN();
    for (int i = 1; i <= 20'000; ++i) {
      const double level = b[0] + (result.level - b[0]) * i / 20'000.0;
      if (!(level > b[0])) continue;
      const double ratio = time_to_reach(steps, b, level) / time_to_reach(steps, x, level);
      if (!(ratio <= best) && !std::isnan(ratio)) best = ratio;
    }
    ASSERT_EQ(std::isnan(result.up_to), std::isnan(best)) << trial;
    if (std::isnan(best)) continue;
    EXPECT_GE(result.up_to, best - 1e-9) << trial;
    EXPECT_NEAR(result.up_to, best, 0.01 * best) << trial;
  }
}

TEST(SpeedUp, UndefinedNotOneWhenTheLevelIsNeverReached) {
  const std::array low{.01, .02, .03, .04, .05, .06, .07, .08, .09, .10};
  const SpeedUp result = speed_up(kSteps, kBaseline, low);
  EXPECT_TRUE(std::isnan(result.at_final));
  EXPECT_TRUE(std::isnan(result.fraction_of_training));
  EXPECT_LT(result.up_to, 1);  // but it reaches some levels, late
  const std::array never{0., 0., 0., 0., 0., 0., 0., 0., 0., 0.};
  EXPECT_TRUE(std::isnan(speed_up(kSteps, kBaseline, never).up_to));
}

TEST(SpeedUp, RunningMaximumNotLastValue) {
  const std::array steps{1., 2., 3.}, dip{.5, .2, .9};
  EXPECT_EQ(time_to_reach(steps, dip, 0.5), 1);
  EXPECT_NEAR(time_to_reach(steps, dip, 0.7), 2.5, 1e-12);
  EXPECT_EQ(time_to_reach(steps, dip, 0.1), 1);
  EXPECT_TRUE(std::isnan(time_to_reach(steps, dip, 0.91)));
}

TEST(SpeedUp, UndefinedWhenTheBaselineNeverRises) {
  for (const SpeedUp& result :
       {speed_up(std::array{1.}, std::array{.5}, std::array{.6}),
        speed_up(std::array{1., 2.}, std::array{.5, .4}, std::array{.6, .7})}) {
    EXPECT_TRUE(std::isnan(result.at_final));
    EXPECT_TRUE(std::isnan(result.fraction_of_training));
    EXPECT_TRUE(std::isnan(result.up_to));
  }
}

TEST(SpeedUp, RefusesMismatchedCurves) {
  EXPECT_THROW(speed_up(kSteps, kBaseline, std::array{1.}), InvalidArgument);
  EXPECT_THROW(time_to_reach({}, {}, 1), InvalidArgument);
  EXPECT_THROW(time_to_reach(std::array{2., 1.}, std::array{1., 1.}, 1), InvalidArgument);
  EXPECT_THROW(time_to_reach(std::array{1.}, std::array{std::nan("")}, 1), InvalidArgument);
  EXPECT_THROW(time_to_reach(std::array{1.}, std::array{1.}, std::nan("")), InvalidArgument);
}

// Five runs of the fixture, shifted by a little each.
Curves shifted(std::span<const double> curve, double shift) {
  Curves curves{{"t"}, {{}}, {kSteps.begin(), kSteps.end()}, {{}}};
  for (int r = -2; r <= 2; ++r) {
    curves.runs[0].emplace_back(1, static_cast<char>(99 + r));  // a to e
    std::vector<double>& values = curves.values[0].emplace_back();
    for (const double value : curve) values.push_back(value + shift * r);
  }
  return curves;
}

TEST(SpeedUpBootstrap, HoldsTheEstimateAndKeepsCurvesWhole) {
  const Curves b = shifted(kBaseline, 0.01), x = shifted(kCurve, 0.01);
  const SpeedUpIntervals intervals = bootstrap_speed_up(b, x, {.repetitions = 5000});
  EXPECT_NEAR(intervals.at_final.estimate, 1.470588, 5e-7);
  EXPECT_GT(intervals.at_final.low, 1.2);
  EXPECT_LT(intervals.at_final.low, 1.45);
  EXPECT_GT(intervals.at_final.high, 1.49);
  EXPECT_EQ(intervals.at_final.undefined, 0u);
  EXPECT_LT(intervals.fraction_of_training.low, 0.68);
  EXPECT_GT(intervals.fraction_of_training.high, 0.68);
  // Equal runs: whatever is drawn, the curve is the same, so there is no spread at all.
  const SpeedUpIntervals same =
      bootstrap_speed_up(shifted(kBaseline, 0), shifted(kCurve, 0), {.repetitions = 100});
  EXPECT_NEAR(same.at_final.low, 1.470588, 5e-7);
  EXPECT_NEAR(same.at_final.high, 1.470588, 5e-7);
}

TEST(SpeedUpBootstrap, LevelsSometimesNeverReachedLeaveTheEndOpen) {
  const Curves b = shifted(kBaseline, 0.03), x = shifted(kBaseline, 0.03);
  const SpeedUpIntervals intervals = bootstrap_speed_up(b, x, {.repetitions = 2000});
  EXPECT_GT(intervals.at_final.undefined, 500u);
  EXPECT_TRUE(std::isnan(intervals.at_final.low));
  EXPECT_GT(intervals.at_final.high, 1);
  EXPECT_LT(intervals.fraction_of_training.low, 1);
  EXPECT_TRUE(std::isnan(intervals.fraction_of_training.high));
}

TEST(SpeedUpBootstrap, RefusesCurvesOfDifferentShape) {
  Curves other = shifted(kCurve, 0);
  other.tasks = {"u"};
  EXPECT_THROW(bootstrap_speed_up(shifted(kBaseline, 0), other), InvalidArgument);
}

}  // namespace
}  // namespace mneme::stats
