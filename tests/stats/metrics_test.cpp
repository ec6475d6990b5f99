// tests/stats/metrics_test.cpp - the aggregates and comparisons on matrices with known answers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mneme/error.h"
#include "mneme/stats.h"
#include "stats/fixtures.h"
#include "stats/sum.h"

namespace mneme::stats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Metrics, AggregatesOfTheFixtures) {
  EXPECT_DOUBLE_EQ(mean(fixture_x()), 0.639);
  EXPECT_DOUBLE_EQ(median(fixture_x()), 0.718);
  EXPECT_DOUBLE_EQ(iqm(fixture_x()), 0.716);
  EXPECT_DOUBLE_EQ(optimality_gap(fixture_x()), 0.362);
  EXPECT_DOUBLE_EQ(mean(fixture_y()), 0.5625);
  EXPECT_DOUBLE_EQ(median(fixture_y()), 0.623);
  EXPECT_DOUBLE_EQ(iqm(fixture_y()), 0.622);
  EXPECT_DOUBLE_EQ(optimality_gap(fixture_y()), 0.4375);
}

// Sums of more than 8 and more than 128 terms, where NumPy adds in another order than one would
// write.
TEST(Metrics, SameBitsAsNumPy) {
  const ScoreMatrix z = fixture_z();
  EXPECT_EQ(z.task(0)[0], 0.175);
  EXPECT_EQ(z.task(19)[0], 1.068);
  EXPECT_EQ(median(z), 0x1.28d4fdf3b645ap-1);
  EXPECT_EQ(mean(z), 0x1.2fe86833c6002p-1);
  EXPECT_EQ(optimality_gap(z), 0x1.b013a92a30554p-2);
  EXPECT_DOUBLE_EQ(iqm(z), 0x1.2d75e2046c765p-1);
  const ScoreMatrix one_task = fixture_z(10, 1);
  EXPECT_EQ(mean(one_task), 0x1.f851eb851eb85p-2);
  EXPECT_EQ(optimality_gap(one_task), 0x1.0cd9e83e425afp-1);
  EXPECT_DOUBLE_EQ(iqm(one_task), 0x1.df92c5f92c5f9p-2);
}

TEST(Metrics, ComparisonsOfTheFixtures) {
  const ScoreMatrix x = fixture_x(), y = fixture_y();
  EXPECT_NEAR(gain(x, y), 13.6, 1e-12);
  EXPECT_DOUBLE_EQ(probability_of_improvement(x, y), 0.79);
  const std::vector<double> by_task = probability_of_improvement_by_task(x, y);
  for (std::size_t m = 0; m < 4; ++m)
    EXPECT_DOUBLE_EQ(by_task[m], (std::array{.80, .92, .72, .72})[m]);
  EXPECT_DOUBLE_EQ(probability_of_improvement(y, x), 1 - 0.79);
  EXPECT_DOUBLE_EQ(probability_of_improvement(x, x), 0.5);
  EXPECT_NEAR(optimality_gap_reduction(x, y), 100 * (1 - 0.362 / 0.4375), 1e-12);
}

TEST(Metrics, ProfilesOfTheFixture) {
  const std::array taus{0.0, .25, .5, .75, 1.0};
  EXPECT_EQ(score_profile(fixture_x(), taus), (std::vector{1.0, .8, .7, .5, .05}));
  EXPECT_EQ(average_score_profile(fixture_x(), taus), (std::vector{1.0, .75, .75, .5, 0.0}));
  // Strictly above: a score equal to tau does not count.
  EXPECT_EQ(score_profile(fixture_x(), std::array{1.02, 1.0199})[0], 0);
  EXPECT_EQ(score_profile(fixture_x(), std::array{1.02, 1.0199})[1], .05);
}

// The cases of RLiable's own tests: ties, and methods with different numbers of runs.
TEST(Metrics, RliablesOwnTestCases) {
  const ScoreMatrix x(4, 2, std::array{1., 2., 2., 2., 1., 1., 2., 1.});
  const ScoreMatrix y(3, 2, std::array{1., 1., 2., 2., 3., 3.});
  for (const auto metric : {mean, median, iqm}) {
    EXPECT_DOUBLE_EQ(metric(x), 1.5);
    EXPECT_DOUBLE_EQ(metric(y), 2);
  }
  EXPECT_DOUBLE_EQ(probability_of_improvement(x, y), 1.0 / 3);
}

TEST(Metrics, MedianOfAnOddNumberOfTasksIsTheMiddleOne) {
  EXPECT_EQ(median(ScoreMatrix(1, 3, std::array{5., 1., 2.})), 2);
}

TEST(Metrics, IqmDropsWholeScoresOnly) {
  // floor(7 / 4) = 1 at each end.
  EXPECT_DOUBLE_EQ(iqm(ScoreMatrix(7, 1, std::array{100., 1., 2., 3., 4., 5., -50.})), 3);
  EXPECT_DOUBLE_EQ(iqm(ScoreMatrix(3, 1, std::array{1., 2., 6.})), 3);  // nothing to drop
}

TEST(Metrics, TasksWeighTheSameWhateverTheirRuns) {
  const ScoreMatrix ragged({{1, 1, 1, 1}, {0}});
  EXPECT_EQ(mean(ragged), 0.5);
  EXPECT_EQ(optimality_gap(ragged), 0.5);
  EXPECT_EQ(ragged.fewest_runs(), 1u);
  EXPECT_EQ(ragged.most_runs(), 4u);
  EXPECT_FALSE(ragged.rectangular());
}

TEST(Metrics, OptimalityGapGivesNoCreditBeyondGamma) {
  const ScoreMatrix scores(1, 2, std::array{1.58, 0.5});
  EXPECT_DOUBLE_EQ(optimality_gap(scores), 0.25);
  EXPECT_DOUBLE_EQ(optimality_gap(scores, 2), 2 - 1.04);
  EXPECT_THROW(optimality_gap(scores, kNan), InvalidArgument);
}

TEST(Metrics, PercentagesOfNothingAreUndefined) {
  const ScoreMatrix zero(1, 1, std::array{0.0}), one(1, 1, std::array{1.0});
  EXPECT_TRUE(std::isnan(gain(one, zero)));
  EXPECT_TRUE(std::isnan(optimality_gap_reduction(zero, one)));
}

TEST(Metrics, RefusesWhatIsNotAMatrix) {
  EXPECT_THROW(ScoreMatrix(0, 4, {}), InvalidArgument);
  EXPECT_THROW(ScoreMatrix(2, 2, std::array{1., 2., 3.}), InvalidArgument);
  EXPECT_THROW(ScoreMatrix(~std::size_t{0}, 2, std::array{1., 2.}), InvalidArgument);
  EXPECT_THROW(ScoreMatrix(1, 1, std::array{kNan}), InvalidArgument);
  EXPECT_THROW(ScoreMatrix(std::vector<std::vector<double>>{}), InvalidArgument);
  EXPECT_THROW(ScoreMatrix({{1.0}, {}}), InvalidArgument);
  EXPECT_THROW(gain(fixture_x(), fixture_z()), InvalidArgument);
  EXPECT_THROW(score_profile(fixture_x(), std::array{kNan}), InvalidArgument);
  ScoreMatrix x = fixture_x();
  EXPECT_THROW(x.assign(std::array{1.0}), InvalidArgument);
  EXPECT_DOUBLE_EQ(mean(x), 0.639);
}

TEST(Sum, PairwiseAddsEveryTermOnce) {
  for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 127u, 128u, 129u, 1000u}) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i + 1);
    EXPECT_EQ(detail::pairwise_sum(x), static_cast<double>(n * (n + 1) / 2)) << n;
  }
}

}  // namespace
}  // namespace mneme::stats
