// tests/priorities/peer_defects_test.cpp - defects found in other libraries' priorities, each as a
// test of ours with a control that has the defect.
//
// The others are in tests/replay/peer_defects_test.cpp and tests/storage/peer_defects_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "priorities/proportional.h"
#include "priorities/rank.h"
#include "priorities/reliability.h"

namespace mneme {
namespace {

std::vector<Index> slots_up_to(Index count) {
  std::vector<Index> slots(static_cast<std::size_t>(count));
  std::iota(slots.begin(), slots.end(), Index{0});
  return slots;
}

// alpha * p was stored instead of p^alpha; alpha then cancels. Priorities 1 and 4 tell the two
// apart: odds of 4^alpha, against 4 whatever alpha is. And beta grew past its end.
TEST(PeerDefects, D01PriorityExponentIsApplied) {
  for (const double alpha : {0.0, 0.5, 0.6, 1.0, 2.0}) {
    Proportional distribution(2, {.alpha = alpha, .eps = 0});
    distribution.append(0, 2);
    distribution.update(slots_up_to(2), std::vector<float>{1, 4});
    const double odds = distribution.probability(1) / distribution.probability(0),
                 with_the_defect = 4;
    EXPECT_NEAR(odds, std::pow(4, alpha), 1e-5);
    if (alpha != 1) {
      EXPECT_GT(std::abs(with_the_defect - std::pow(4, alpha)), 1) << "control: no power";
    }
  }
  EXPECT_EQ((BetaSchedule{0.4, 1.0}.at(7)), 1.0);
}

// Saving the state of PER raised an error. A restored distribution must draw and learn as the saved
// one.
TEST(PeerDefects, D04PrioritiesCanBeSavedAndRestored) {
  using Make = std::unique_ptr<PriorityDistribution> (*)();
  const Make makes[] = {
      [] { return std::unique_ptr<PriorityDistribution>(new Proportional(32)); },
      [] { return std::unique_ptr<PriorityDistribution>(new RankBased(32)); },
      [] { return std::unique_ptr<PriorityDistribution>(new Reliability(32)); },
  };
  for (const Make make : makes) {
    const auto distribution = make(), restored = make(), not_restored = make();
    for (Index k = 0; k < 45; ++k) {
      const std::uint8_t end = k % 9 == 8 ? 1 : 0;
      for (PriorityDistribution* each : {distribution.get(), not_restored.get()})
        each->append(k % 32, 1, {&end, 1}, k < 40 ? RowState::drawable : RowState::held);
    }
    std::vector<float> errors;
    for (int k = 0; k < 32; ++k) errors.push_back(static_cast<float>(k * k % 37) + 0.5F);
    distribution->update(slots_up_to(32), errors);
    ByteWriter out;
    distribution->save(out);
    ByteReader in(out.bytes());
    restored->load(in);
    const auto draws = [](PriorityDistribution& from) {
      Rng rng(5);
      std::vector<Index> slots(400);
      std::vector<float> weights(400);
      from.sample(rng, 0.4, slots, weights);
      from.update(slots, weights);  // and it continues from there
      from.append(from.next_slot(), 3);
      std::vector<Index> more(400);
      from.sample(rng, 0.4, more, weights);
      slots.insert(slots.end(), more.begin(), more.end());
      return std::pair(slots, weights);
    };
    const auto expected = draws(*distribution);
    EXPECT_EQ(draws(*restored), expected) << distribution->spec();
    EXPECT_NE(draws(*not_restored), expected) << "control: the state does not matter";
  }
}

// Sums were adjusted by differences and rebuilt whenever they were off by 1e-4 in absolute terms:
// at 10^6 that was every few updates. Ours never are off: after values have grown to 10^12 the tree
// is, bit for bit, the one that would be built from its leaves. The control adjusts by differences.
TEST(PeerDefects, D10SumsStayExactAsPrioritiesGrow) {
  constexpr Index kSlots = 20'000;
  PriorityTree tree(kSlots);
  std::vector<float> leaves(kSlots, 1.0F);
  tree.set_range(0, leaves);
  double by_differences = kSlots;
  Rng rng(10);
  for (int step = 1; step <= 48; ++step) {  // a factor of 10 every four steps
    std::vector<Index> slots;
    std::vector<float> values;
    for (int k = 0; k < 2'000; ++k) {
      slots.push_back(static_cast<Index>(rng.below(kSlots)));
      values.push_back(static_cast<float>(std::pow(10, step / 4.0) * (rng.uniform() + 0.01)));
      float& leaf = leaves[static_cast<std::size_t>(slots.back())];
      by_differences += static_cast<double>(values.back()) - static_cast<double>(leaf);
      leaf = values.back();
    }
    tree.set(slots, values);
    PriorityTree fresh(kSlots);
    fresh.set_range(0, leaves);
    ASSERT_EQ(tree.total(), fresh.total()) << step;
    for (Index count = 1; count <= kSlots; count += 997)
      ASSERT_EQ(tree.sum(0, count), fresh.sum(0, count)) << step;
  }
  const long double exact = std::accumulate(leaves.begin(), leaves.end(), 0.0L);
  EXPECT_GT(exact, 1e15L);
  EXPECT_NEAR(tree.total() / static_cast<double>(exact), 1, 1e-15);
  // Back to small values: an error made while they were large would stay.
  std::fill(leaves.begin(), leaves.end(), 0.25F);
  for (Index slot = 0; slot < kSlots; ++slot) {
    tree.set({&slot, 1}, {leaves.data(), 1});
  }
  EXPECT_EQ(tree.total(), 0.25 * kSlots);
  EXPECT_GT(std::abs(by_differences - static_cast<double>(exact)), 1e-4) << "control: no power";
}

// With sums in f32 a mass has 24 bits: at 10^7 rows an eighth of them is never drawn. Here the
// draws just inside both edges of every row's share must find that row; with a margin of 4e-15 at
// each edge the draws are off by less than 8e-15 per row in total variation.
// `round` is what a draw goes through on its way; the result is the share of rows that were found.
template <class Round>
double found_share(Index rows, const Round& round) {
  Proportional distribution(rows, {.alpha = 1, .eps = 0});
  distribution.append(0, rows);
  Rng rng(11);
  constexpr std::size_t kChunk = 1 << 14;
  std::vector<Index> slots;
  std::vector<float> values;
  for (Index slot = 0; slot < rows; ++slot) {
    slots.push_back(slot);
    values.push_back(static_cast<float>(1e-6 - std::log(1 - rng.uniform())));
    if (slots.size() < kChunk && slot + 1 < rows) continue;
    distribution.update(slots, values, Feedback::priority);
    slots.clear();
    values.clear();
  }
  const auto total = static_cast<long double>(distribution.tree().total());
  constexpr long double kMargin = 4e-15L;
  long double before = 0;
  std::vector<double> uniforms;
  std::vector<Index> expected, found;
  Index wrong = 0;
  for (Index slot = 0; slot < rows; ++slot) {
    const long double after = before + static_cast<long double>(distribution.tree().value(slot));
    if (after - before > 3 * kMargin * total) {
      uniforms.push_back(round(static_cast<double>(before / total + kMargin)));
      uniforms.push_back(round(static_cast<double>(after / total - kMargin)));
      expected.insert(expected.end(), 2, slot);
    }
    before = after;
    if (uniforms.size() < kChunk && slot + 1 < rows) continue;
    found.resize(uniforms.size());
    distribution.draw(uniforms, rng, found);
    for (std::size_t k = 0; k < found.size(); k += 2)
      wrong += found[k] != expected[k] || found[k + 1] != expected[k + 1];
    uniforms.clear();
    expected.clear();
  }
  return 1 - static_cast<double>(wrong) / static_cast<double>(rows);
}
double as_it_is(double u) { return u; }
double as_f32(double u) {
  return std::min(static_cast<double>(static_cast<float>(u)), 1 - 0x1p-53);
}

TEST(PeerDefects, D11DrawsAreExactAndEveryRowIsReachable) {
  EXPECT_EQ(found_share(300'000, as_it_is), 1);
  EXPECT_LT(found_share(300'000, as_f32), 0.5) << "control: no power";
}

TEST(PeerDefectsSlow, D11DrawsAreExactAndEveryRowIsReachable) {
  EXPECT_EQ(found_share(10'000'000, as_it_is), 1);  // total variation at most 8e-8
}

// The largest priority was not saved: after a restore new rows entered with 1.
TEST(PeerDefects, D14TheLargestPriorityIsSaved) {
  for (const NewRows policy : {NewRows::seen, NewRows::stored}) {
    const ProportionalOptions options{.alpha = 1, .eps = 0, .new_rows = policy};
    Proportional distribution(8, options), restored(8, options);
    distribution.append(0, 4);
    distribution.update(slots_up_to(4), std::vector<float>{50, 2, 3, 4});
    ByteWriter out;
    distribution.save(out);
    ByteReader in(out.bytes());
    restored.load(in);
    EXPECT_NEAR(restored.new_priority(), 50, 1e-12);  // through a power and back
    restored.append(4, 1);
    EXPECT_NEAR(restored.probability(4), 50.0 / 109, 1e-7);
    EXPECT_EQ(Proportional(8, options).new_priority(), 1)
        << "control: 50 is not what a new distribution says";
  }
}

// p^alpha was divided by the smallest p instead of the smallest p^alpha: without the division by
// the largest weight that is another scale. Unscaled, a weight is (n P)^-beta.
TEST(PeerDefects, D15UnscaledWeightsHaveTheRightScale) {
  constexpr double kAlpha = 0.6, kBeta = 0.5;
  const std::vector<float> p{0.25F, 1, 2, 8};
  const auto slots = slots_up_to(4);
  double total = 0;
  for (const float each : p) total += std::pow(static_cast<double>(each), kAlpha);
  for (const WeightScale scale : {WeightScale::none, WeightScale::buffer}) {
    Proportional distribution(4, {.alpha = kAlpha, .eps = 0, .weights = scale});
    distribution.append(0, 4);
    distribution.update(slots, p, Feedback::priority);
    std::vector<float> weights(4);
    distribution.weigh(slots, kBeta, weights);
    for (std::size_t k = 0; k < 4; ++k) {
      const double mass = std::pow(static_cast<double>(p[k]), kAlpha);
      const double expected = scale == WeightScale::none
                                  ? std::pow(4 * mass / total, -kBeta)
                                  : std::pow(mass / std::pow(0.25, kAlpha), -kBeta);
      const double with_the_defect = std::pow(mass / 0.25, -kBeta);
      EXPECT_NEAR(weights[k], expected, 1e-6);
      EXPECT_GT(std::abs(with_the_defect - expected), 0.05) << "control: no power";
    }
  }
}

}  // namespace
}  // namespace mneme
