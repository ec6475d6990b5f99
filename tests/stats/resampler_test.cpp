// tests/stats/resampler_test.cpp - the draws: NumPy's number for number, ours without bias,
// clusters whole.
#include "stats/resampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mneme/error.h"
#include "stats/fixtures.h"

namespace mneme::stats {
namespace {

using Draws = std::vector<std::uint32_t>;

Draws draws_of(Generator generator, std::uint64_t seed, std::uint32_t bound, std::size_t count) {
  detail::IndexSource source(generator, seed);
  const Draws bounds(count, bound);
  Draws out(count);
  source.draw(bounds, out);
  return out;
}

TEST(IndexSource, FirstDrawsOfNumPy) {
  EXPECT_EQ(draws_of(Generator::rliable, 0, 5, 20),
            (Draws{4, 0, 3, 3, 3, 1, 3, 2, 4, 0, 0, 4, 2, 1, 0, 1, 1, 0, 1, 4}));
  EXPECT_EQ(draws_of(Generator::rliable, 42, 5, 20),
            (Draws{3, 4, 2, 4, 4, 1, 2, 2, 2, 4, 3, 2, 4, 1, 3, 1, 3, 4, 0, 3}));
}

TEST(IndexSource, OneRunTakesNoNumberFromNumPy) {
  detail::IndexSource source(Generator::rliable, 42);
  const Draws ones(7, 1), fives(3, 5);
  Draws zeros(7, 9), out(3);
  source.draw(ones, zeros);
  EXPECT_EQ(zeros, Draws(7, 0));
  source.draw(fives, out);
  EXPECT_EQ(out, (Draws{3, 4, 2}));
}

// Golden: seeded intervals in saved reports depend on these. They change only in a commit that says
// so.
TEST(IndexSource, GoldenSequence) {
  EXPECT_EQ(draws_of(Generator::mneme, 20260, 10, 12), (Draws{5, 8, 5, 2, 3, 6, 5, 0, 7, 0, 6, 7}));
}

TEST(IndexSource, OwnDrawsAreUniformAndTheCheckHasPower) {
  // Chi-square with 6 degrees of freedom; 38.3 is exceeded with probability 1e-6.
  const auto chi_square = [](const Draws& draws) {
    std::array<double, 7> counts{};
    for (const std::uint32_t d : draws) ++counts.at(d);
    const double expected = static_cast<double>(draws.size()) / 7;
    double sum = 0;
    for (const double c : counts) sum += (c - expected) * (c - expected) / expected;
    return sum;
  };
  Draws draws = draws_of(Generator::mneme, 3, 7, 700'000);
  EXPECT_LT(chi_square(draws), 38.3);
  for (std::size_t i = 0; i < draws.size(); i += 50) draws[i] = std::min(draws[i] + 1, 6u);
  EXPECT_GT(chi_square(draws), 38.3) << "this check has no power";
}

// A bound of 3 * 2^30 rejects a quarter of all draws: without rejection, every third value would
// come up twice as often.
TEST(IndexSource, RejectsTheSurplusOfAHugeBound) {
  const std::uint32_t bound = 3u << 30;
  const Draws draws = draws_of(Generator::mneme, 5, bound, 300'000);
  std::array<int, 3> counts{};
  for (const std::uint32_t d : draws) ++counts.at(d % 3);
  for (const int c : counts) EXPECT_NEAR(c, 100'000, 5 * 258.2);
}

TEST(Resampler, StratifiedStaysInTheTaskAndClustersKeepTheRun) {
  const ScoreMatrix z = fixture_z(10, 20);
  detail::IndexSource source(Generator::mneme, 1);
  detail::Resampler stratified(z, {}), cluster(z, {.resampling = Resampling::run_cluster});
  bool mixed = false;
  for (int repetition = 0; repetition < 50; ++repetition) {
    const auto cells = stratified.draw(source);
    for (std::size_t c = 0; c < cells.size(); ++c) EXPECT_EQ(cells[c] / 10, c % 20);
    for (std::size_t c = 1; c < 20; ++c) mixed = mixed || cells[c] % 10 != cells[0] % 10;
    const auto rows = cluster.draw(source);
    for (std::size_t c = 0; c < rows.size(); ++c) {
      EXPECT_EQ(rows[c] / 10, c % 20);
      EXPECT_EQ(rows[c] % 10, rows[c - c % 20] % 10) << "a run was taken apart";
    }
  }
  EXPECT_TRUE(mixed);
}

TEST(Resampler, TasksWithFewerRunsDrawFromTheirOwn) {
  const ScoreMatrix ragged({{0, 1, 2}, {3}, {4, 5}});
  detail::Resampler resampler(ragged, {});
  detail::IndexSource source(Generator::mneme, 1);
  for (int repetition = 0; repetition < 50; ++repetition) {
    const auto cells = resampler.draw(source);
    ASSERT_EQ(cells.size(), 6u);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const double value = ragged.values()[cells[c]];
      EXPECT_EQ(resampler.tasks()[c], value < 3 ? 0u : value < 4 ? 1u : 2u);
    }
  }
}

TEST(Percentile, InterpolatesLikeNumPy) {
  std::vector<double> x{4, 1, 3, 2};
  EXPECT_EQ(percentile(x, 0), 1);
  EXPECT_EQ(percentile(x, 1), 4);
  EXPECT_EQ(percentile(x, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(percentile(x, 0.025), 1.075);
  EXPECT_DOUBLE_EQ(percentile(x, 0.975), 3.925);
  std::vector<double> one{7};
  EXPECT_EQ(percentile(one, 0.3), 7);
}

TEST(Percentile, UndefinedCountsAsLowest) {
  std::vector<double> x{2, std::numeric_limits<double>::quiet_NaN(), 1, 3, 4};
  EXPECT_TRUE(std::isnan(percentile(x, 0.2)));
  EXPECT_EQ(percentile(x, 0.25), 1);
  EXPECT_EQ(percentile(x, 1), 4);
}

TEST(Percentile, RefusesEmptyAndInvalidInput) {
  std::vector<double> none, one{1};
  EXPECT_THROW(percentile(none, 0.5), InvalidArgument);
  EXPECT_THROW(percentile(one, 1.5), InvalidArgument);
  EXPECT_THROW(percentile(one, std::nan("")), InvalidArgument);
}

}  // namespace
}  // namespace mneme::stats
