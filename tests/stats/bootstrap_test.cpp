// tests/stats/bootstrap_test.cpp - intervals: RLiable's seeded ones bit for bit, our own within
// their own noise.
#include "mneme/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "mneme/error.h"
#include "stats/fixtures.h"

namespace mneme::stats {
namespace {

BootstrapOptions like_rliable(std::size_t repetitions, std::uint64_t seed = 42) {
  return {.repetitions = repetitions, .seed = seed, .generator = Generator::rliable};
}

// EXPECT_EQ on doubles: the same bits.
void expect_interval(const Interval& interval, double low, double high) {
  EXPECT_EQ(interval.low, low);
  EXPECT_EQ(interval.high, high);
}

TEST(Bootstrap, SameBitsAsRliable) {
  const Aggregates few = bootstrap_aggregates(fixture_x(), like_rliable(2000));
  expect_interval(few.median, 0x1.5b22d0e560419p-1, 0x1.828f5c28f5c29p-1);  // 0.678 0.755
  expect_interval(few.mean, 0x1.3891d14e3bcd4p-1, 0x1.5645a1cac0831p-1);    // 0.6104875 0.6685
  expect_interval(few.optimality_gap, 0x1.547ae147ae14ap-2, 0x1.8fdf3b645a1cap-2);  // 0.3325 0.3905
  const Aggregates many = bootstrap_aggregates(fixture_x(), like_rliable(50'000));
  expect_interval(many.median, 0x1.5ba5e353f7ceep-1, 0x1.83126e978d4fep-1);  // 0.679 0.756
  expect_interval(many.mean, 0x1.3810624dd2f1bp-1, 0x1.5645a1cac0831p-1);    // 0.6095 0.6685
  expect_interval(many.optimality_gap, 0x1.54fdf3b645a1cp-2, 0x1.90624dd2f1a9ep-2);  // 0.333 0.391
  // The sum of an interquartile mean depends on the order np.partition leaves, which differs
  // between processors.
  EXPECT_NEAR(few.iqm.low, 0.677975, 4e-16);
  EXPECT_NEAR(few.iqm.high, 0.753, 4e-16);
  EXPECT_NEAR(many.iqm.low, 0.679, 4e-16);
  EXPECT_NEAR(many.iqm.high, 0.754, 4e-16);
}

TEST(Bootstrap, SameBitsAsRliableOnALargerMatrix) {
  const Aggregates z = bootstrap_aggregates(fixture_z(), like_rliable(2000));
  expect_interval(z.median, 0x1.0e764adff822bp-1, 0x1.4e9129888f862p-1);
  expect_interval(z.mean, 0x1.193cff64cf8d7p-1, 0x1.46932d6ece13fp-1);
  expect_interval(z.optimality_gap, 0x1.84a60913a4f87p-2, 0x1.db8676a7264a0p-2);
  EXPECT_NEAR(z.iqm.low, 0.52436475, 4e-16);
  EXPECT_NEAR(z.iqm.high, 0.6549775, 4e-16);
  const Aggregates one_task = bootstrap_aggregates(fixture_z(10, 1), like_rliable(500, 3));
  expect_interval(one_task.mean, 0x1.271758e219654p-2, 0x1.7245f5ad96a6ap-1);
  expect_interval(one_task.optimality_gap, 0x1.462cba732df50p-2, 0x1.6c74538ef34d6p-1);
}

TEST(Bootstrap, TaskBootstrapDrawsTasksAfterRunsLikeRliable) {
  BootstrapOptions options = like_rliable(2000);
  options.task_bootstrap = true;
  const Aggregates x = bootstrap_aggregates(fixture_x(), options);
  expect_interval(x.median, 0x1.7ad42c3c9eecdp-3, 0x1.de3886594af4dp-1);
  expect_interval(x.mean, 0x1.4cac083126e9cp-2, 0x1.c7ae147ae147bp-1);
  expect_interval(x.optimality_gap, 0x1.cab367a0f9090p-4, 0x1.59a9fbe76c8aep-1);
  EXPECT_NEAR(x.iqm.low, 0.221, 4e-16);
  EXPECT_NEAR(x.iqm.high, 0.91805, 4e-16);
}

TEST(Bootstrap, TwoMethodsDrawnInTurnLikeRliable) {
  const Interval pi =
      bootstrap_probability_of_improvement(fixture_x(), fixture_y(), like_rliable(2000));
  expect_interval(pi, 0x1.3d70a3d70a3d7p-1, 0x1.d72b020c49b9ap-1);  // 0.62 0.92025
  const Interval g = bootstrap_gain(fixture_x(), fixture_y(), like_rliable(2000));
  expect_interval(g, 0x1.a6f9b66cb4f68p+2, 0x1.4d2d43d2a69abp+4);  // 6.608991 20.823551
}

TEST(Bootstrap, ProfilesLikeRliable) {
  const std::array taus{0.0, .25, .5, .75, 1.0};
  const auto all = bootstrap_score_profile(fixture_x(), taus, like_rliable(2000));
  const auto means = bootstrap_average_score_profile(fixture_x(), taus, like_rliable(2000));
  const std::array low{1.0, .75, .6, .5, 0.0}, high{1.0, .9, .75, .5, .15};
  const std::array mean_low{1.0, .75, .75, .5, 0.0}, mean_high{1.0, 1.0, .75, .5, 0.0};
  for (std::size_t k = 0; k < 5; ++k) {
    expect_interval(all[k], low[k], high[k]);
    expect_interval(means[k], mean_low[k], mean_high[k]);
  }
}

// Against intervals of 4 million repetitions; the tolerance is one step of the lattice the
// statistic lives on.
TEST(Bootstrap, OwnGeneratorFindsTheKnownIntervals) {
  for (const std::uint64_t seed : {0u, 1u}) {
    const BootstrapOptions options{.seed = seed};
    const Aggregates x = bootstrap_aggregates(fixture_x(), options);
    EXPECT_NEAR(x.mean.low, 0.6095, 5.1e-4);
    EXPECT_NEAR(x.mean.high, 0.6685, 5.1e-4);
    EXPECT_NEAR(x.median.low, 0.679, 1.01e-3);
    EXPECT_NEAR(x.median.high, 0.755, 1.01e-3);
    EXPECT_NEAR(x.iqm.low, 0.679, 1.01e-3);
    EXPECT_NEAR(x.iqm.high, 0.754, 1.01e-3);
    EXPECT_NEAR(x.optimality_gap.low, 0.333, 1e-3);
    EXPECT_NEAR(x.optimality_gap.high, 0.391, 1e-3);
    const Aggregates y = bootstrap_aggregates(fixture_y(), options);
    EXPECT_NEAR(y.mean.low, 0.5390, 5.1e-4);
    EXPECT_NEAR(y.mean.high, 0.5860, 5.1e-4);
    EXPECT_NEAR(y.median.low, 0.594, 1.01e-3);
    EXPECT_NEAR(y.median.high, 0.654, 1.01e-3);
    EXPECT_NEAR(y.iqm.low, 0.594, 1.01e-3);
    EXPECT_NEAR(y.iqm.high, 0.654, 1.01e-3);
    EXPECT_NEAR(y.optimality_gap.low, 0.414, 1e-3);
    EXPECT_NEAR(y.optimality_gap.high, 0.461, 1e-3);
    // 0.044 is the standard error of an end at 50,000 repetitions: five of them.
    const Interval g = bootstrap_gain(fixture_x(), fixture_y(), options);
    EXPECT_NEAR(g.low, 6.7299, 0.22);
    EXPECT_NEAR(g.high, 20.8333, 0.22);
    const Interval pi = bootstrap_probability_of_improvement(fixture_x(), fixture_y(), options);
    EXPECT_NEAR(pi.low, 0.63, 0.0101);
    EXPECT_NEAR(pi.high, 0.92, 0.0101);
  }
}

// The standard deviation of the resampled mean is known exactly: 0.0150033330 for X, 0.0119498954
// for Y.
TEST(Bootstrap, SpreadOfTheMeanIsExact) {
  for (const auto& [scores, exact] :
       {std::pair{fixture_x(), 0.0150033330}, std::pair{fixture_y(), 0.0119498954}}) {
    double sum = 0, squares = 0, count = 0;
    bool first = true;
    bootstrap({&scores, 1}, 1, [&](std::span<const ScoreMatrix> s, std::span<double> out) {
      out[0] = mean(s[0]);
      if (std::exchange(first, false)) return;  // the estimate itself
      sum += out[0];
      squares += out[0] * out[0];
      ++count;
    });
    EXPECT_EQ(count, 50'000);
    const double sd = std::sqrt(squares / count - sum / count * (sum / count));
    EXPECT_NEAR(sd, exact, 5 * exact / std::sqrt(2 * count));  // false alarm 6e-7
    EXPECT_NEAR(sum / count, mean(scores), 5 * exact / std::sqrt(count));
  }
}

TEST(Bootstrap, KernelAgreesWithThePlainFunctions) {
  const auto plain = [](std::span<const ScoreMatrix> s, std::span<double> out) {
    out[0] = mean(s[0]);
    out[1] = median(s[0]);
    out[2] = iqm(s[0]);
    out[3] = optimality_gap(s[0]);
  };
  const ScoreMatrix ragged({{.1, .2, .9, 1.3}, {.5, .5}, {.4, .7, .8}});
  for (const ScoreMatrix& scores :
       {fixture_x(), fixture_z(), fixture_z(10, 1), fixture_z(3, 7), ragged}) {
    for (const bool cluster : {false, true}) {
      if (cluster && !scores.rectangular()) continue;
      BootstrapOptions options{.repetitions = 501, .seed = 9};
      if (cluster) options.resampling = Resampling::run_cluster;
      const Aggregates fast = bootstrap_aggregates(scores, options);
      const std::vector<Interval> slow = bootstrap({&scores, 1}, 4, plain, options);
      expect_interval(fast.mean, slow[0].low, slow[0].high);
      expect_interval(fast.median, slow[1].low, slow[1].high);
      EXPECT_NEAR(fast.iqm.low, slow[2].low, 1e-15);
      EXPECT_NEAR(fast.iqm.high, slow[2].high, 1e-15);
      expect_interval(fast.optimality_gap, slow[3].low, slow[3].high);
      EXPECT_EQ(fast.iqm.estimate, slow[2].estimate);
    }
  }
}

TEST(Bootstrap, ComparisonIsEachOfItsPartsAlone) {
  const BootstrapOptions options{.repetitions = 1000, .seed = 8};
  const Comparison all = bootstrap_comparison(fixture_x(), fixture_y(), options);
  const Interval g = bootstrap_gain(fixture_x(), fixture_y(), options);
  expect_interval(all.gain, g.low, g.high);
  const Interval pi = bootstrap_probability_of_improvement(fixture_x(), fixture_y(), options);
  expect_interval(all.probability_of_improvement, pi.low, pi.high);
  EXPECT_NEAR(all.difference.estimate, 0.0765, 1e-15);
  EXPECT_NEAR(all.optimality_gap_reduction.estimate, 100 * (1 - 0.362 / 0.4375), 1e-12);
  EXPECT_GT(all.optimality_gap_reduction.low, 0);
  EXPECT_LT(all.optimality_gap_reduction.low, all.optimality_gap_reduction.estimate);
}

TEST(Bootstrap, ScaledGainIsTheMethodsOwnInterval) {
  const BootstrapOptions options{.repetitions = 5000, .seed = 4};
  const Interval scaled = bootstrap_gain(fixture_x(), fixture_y(), options, GainInterval::scaled);
  const Interval own = bootstrap_aggregates(fixture_x(), options).mean;
  EXPECT_NEAR(scaled.low, 100 * (own.low / 0.5625 - 1), 1e-12);
  EXPECT_NEAR(scaled.high, 100 * (own.high / 0.5625 - 1), 1e-12);
  const Interval both = bootstrap_gain(fixture_x(), fixture_y(), options);
  EXPECT_LT(scaled.high - scaled.low, both.high - both.low);
}

TEST(Bootstrap, SmallSampleCorrectionWidensByItsFactor) {
  BootstrapOptions options{.repetitions = 3000, .seed = 5};
  const Interval plain = bootstrap_aggregates(fixture_x(), options).iqm;
  options.correct_small_sample = true;
  const Interval wide = bootstrap_aggregates(fixture_x(), options).iqm;
  EXPECT_NEAR(wide.low - wide.estimate, std::sqrt(1.25) * (plain.low - plain.estimate), 1e-15);
  EXPECT_NEAR(wide.high - wide.estimate, std::sqrt(1.25) * (plain.high - plain.estimate), 1e-15);
  // A probability stays one.
  const ScoreMatrix high(2, 1, std::array{1.0, 3.0}), low(2, 1, std::array{0.5, 2.0});
  const Interval pi = bootstrap_probability_of_improvement(high, low, options);
  EXPECT_GE(pi.low, 0);
  EXPECT_LE(pi.high, 1);
}

TEST(Bootstrap, OneRunHasNoInterval) {
  const Aggregates one = bootstrap_aggregates(fixture_z(1, 4), {.repetitions = 10});
  EXPECT_FALSE(std::isnan(one.mean.estimate));
  EXPECT_TRUE(std::isnan(one.mean.low));
  EXPECT_TRUE(std::isnan(one.mean.high));
  EXPECT_TRUE(
      std::isnan(bootstrap_gain(fixture_z(5, 4), fixture_z(1, 4), {.repetitions = 10}).low));
}

TEST(Bootstrap, RatioWhoseDenominatorMayBeZeroHasNoInterval) {
  const ScoreMatrix x(2, 1, std::array{1.0, 1.0}), shaky(2, 1, std::array{0.0, 1.0});
  const Interval g = bootstrap_gain(x, shaky, {.repetitions = 100});
  EXPECT_EQ(g.estimate, 100);
  EXPECT_GT(g.undefined, 0u);
  EXPECT_TRUE(std::isnan(g.low));
  EXPECT_TRUE(std::isnan(g.high));
}

TEST(Bootstrap, ShapleyOfFourArms) {
  const ScoreMatrix base(3, 1, std::array{1.0, 1.0, 1.0}), c(3, 1, std::array{1.06, 1.071, 1.082}),
      a(3, 1, std::array{1.058, 1.068, 1.078}), ac(3, 1, std::array{1.119, 1.129, 1.139});
  const ShapleyIntervals shares = bootstrap_shapley(base, c, a, ac, {.repetitions = 2000});
  EXPECT_NEAR(shares.critic.estimate, 6.6, 1e-10);
  EXPECT_NEAR(shares.actor.estimate, 6.3, 1e-10);
  EXPECT_NEAR(shares.both.estimate, 12.9, 1e-10);
  EXPECT_LT(shares.critic.low, 6.6);
  EXPECT_GT(shares.critic.high, 6.6);
}

TEST(Bootstrap, SameSeedSameAnswerOtherSeedOther) {
  const ScoreMatrix z = fixture_z();
  const auto low = [&](std::uint64_t seed) {
    return bootstrap_aggregates(z, {.repetitions = 200, .seed = seed}).mean.low;
  };
  EXPECT_EQ(low(1), low(1));
  EXPECT_NE(low(1), low(2));
}

TEST(Bootstrap, ReportsProgress) {
  double last = -1;
  BootstrapOptions options{.repetitions = 5000};
  options.progress = [&](double fraction) {
    EXPECT_GT(fraction, last);
    last = fraction;
  };
  bootstrap_aggregates(fixture_x(), options);
  EXPECT_GT(last, 0.8);
  EXPECT_LT(last, 1);
}

TEST(Bootstrap, RefusesInvalidOptions) {
  const ScoreMatrix x = fixture_x(), ragged({{.1, .2}, {.3}});
  EXPECT_THROW(bootstrap_aggregates(x, {.repetitions = 0}), InvalidArgument);
  EXPECT_THROW(bootstrap_aggregates(x, {.repetitions = 10'000'001}), InvalidArgument);
  EXPECT_THROW(bootstrap_aggregates(x, {.confidence = 1}), InvalidArgument);
  EXPECT_THROW(bootstrap_aggregates(x, {.confidence = std::nan("")}), InvalidArgument);
  EXPECT_THROW(bootstrap_aggregates(x, like_rliable(10, 1ull << 32)), InvalidArgument);
  EXPECT_THROW(bootstrap_aggregates(ragged, like_rliable(10)), InvalidArgument);
  EXPECT_THROW(bootstrap_aggregates(ragged, {.resampling = Resampling::run_cluster}),
               InvalidArgument);
  EXPECT_THROW(bootstrap_aggregates(ragged, {.task_bootstrap = true}), InvalidArgument);
  EXPECT_THROW(bootstrap_gain(x, fixture_z()), InvalidArgument);
  EXPECT_THROW(bootstrap_gain(x, x, {.task_bootstrap = true}), InvalidArgument);
  EXPECT_THROW(bootstrap({}, 1, [](auto, auto) {}), InvalidArgument);
}

}  // namespace
}  // namespace mneme::stats
