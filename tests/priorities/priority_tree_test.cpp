// tests/priorities/priority_tree_test.cpp - the tree against a plain array.
#include "priorities/priority_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "base/cpu.h"
#include "mneme/error.h"
#include "support/chi_square.h"

namespace mneme {
namespace {

const std::vector<Index> kCapacities{1, 2, 15, 16, 17, 255, 256, 257, 1000, 4096, 4097, 70'000};

// The obvious implementation. Sums in long double are exact enough to be the truth.
struct Plain {
  std::vector<float> values;
  long double total() const { return sum(0, values.size()); }
  long double sum(std::size_t first, std::size_t last) const {
    long double s = 0;
    for (std::size_t i = first; i < last; ++i) s += static_cast<long double>(values[i]);
    return s;
  }
  float minimum() const {
    float least = 0;
    for (const float v : values) least = v > 0 && (least == 0 || v < least) ? v : least;
    return least;
  }
  float maximum() const { return *std::max_element(values.begin(), values.end()); }
};

float some_value(Rng& rng, int style) {
  const double u = rng.uniform();
  if (rng.below(8) == 0) return 0;
  if (style == 0) return static_cast<float>(u);
  if (style == 1) return static_cast<float>(rng.below(4));  // many equal
  return static_cast<float>(std::pow(10.0, 60 * u - 30));   // 1e-30 to 1e30
}

void expect_same(const PriorityTree& tree, const Plain& plain) {
  const auto total = static_cast<double>(plain.total());
  ASSERT_NEAR(tree.total(), total, 1e-14 * total);
  ASSERT_EQ(tree.minimum(), plain.minimum());
  ASSERT_EQ(tree.maximum(), plain.maximum());
  std::vector<float> values(plain.values.size());
  tree.values(0, values);
  ASSERT_EQ(values, plain.values);
}

// A found slot must hold the mass: cumulative sum before it <= mass < cumulative sum through it, up
// to rounding.
void expect_finds(const PriorityTree& tree, const Plain& plain, Rng& rng) {
  if (tree.total() <= 0) return;
  std::vector<double> masses(97);
  for (double& m : masses) m = rng.uniform() * tree.total();
  masses[0] = 0;
  masses[1] = tree.total();
  masses[2] = std::nextafter(tree.total(), 0.0);
  masses[3] = 2 * tree.total();
  std::vector<Index> slots(masses.size()), portable(masses.size());
  tree.find(masses, slots);
  detail::force_portable(true);
  tree.find(masses, portable);
  detail::force_portable(false);
  ASSERT_EQ(slots, portable);
  std::vector<long double> before(plain.values.size() + 1);
  for (std::size_t i = 0; i < plain.values.size(); ++i) {
    before[i + 1] = before[i] + static_cast<long double>(plain.values[i]);
  }
  const long double slack = 1e-14L * before.back();
  for (std::size_t i = 0; i < masses.size(); ++i) {
    ASSERT_GE(slots[i], 0);
    ASSERT_LT(slots[i], tree.capacity());
    const auto s = static_cast<std::size_t>(slots[i]);
    ASSERT_GT(plain.values[s], 0);
    const long double mass = std::min(static_cast<long double>(masses[i]), before.back());
    ASSERT_LE(before[s], mass + slack);
    ASSERT_GE(before[s + 1], mass - slack);
  }
}

TEST(PriorityTree, BehavesLikeAPlainArray) {
  for (const Index capacity : kCapacities) {
    for (int style = 0; style < 3; ++style) {
      Rng rng(static_cast<std::uint64_t>(capacity), static_cast<std::uint32_t>(style));
      PriorityTree tree(capacity, PriorityTree::Extremes::both);
      PriorityTree portable(capacity, PriorityTree::Extremes::both);
      Plain plain{std::vector<float>(static_cast<std::size_t>(capacity))};
      const auto bound = static_cast<std::uint64_t>(capacity);
      for (int step = 0; step < 60; ++step) {
        if (rng.below(3) > 0) {
          std::vector<Index> slots(rng.below(700));
          std::vector<float> values(slots.size());
          for (std::size_t i = 0; i < slots.size(); ++i) {
            slots[i] = static_cast<Index>(rng.below(bound));
            values[i] = some_value(rng, style);
            plain.values[static_cast<std::size_t>(slots[i])] = values[i];  // the last one wins
          }
          tree.set(slots, values);
          detail::force_portable(true);
          portable.set(slots, values);
          detail::force_portable(false);
        } else {
          const auto first = static_cast<Index>(rng.below(bound));
          const auto room = static_cast<std::uint64_t>(capacity - first);
          const auto count = static_cast<Index>(rng.below(room + 1));
          const float value = rng.below(2) == 0 ? 0 : some_value(rng, style);
          const std::vector<float> values(static_cast<std::size_t>(count), value);
          std::copy(values.begin(), values.end(), plain.values.begin() + first);
          tree.set_range(first, values);
          detail::force_portable(true);
          if (count > 0) portable.fill_range(first, count, values[0]);
          detail::force_portable(false);
        }
        ASSERT_EQ(tree.total(), portable.total());  // the same bits
        if (step % 6 == 0) {
          expect_same(tree, plain);
          expect_same(portable, plain);
          expect_finds(tree, plain, rng);
          const auto first = rng.below(bound), last = first + rng.below(bound - first + 1);
          const auto exact = static_cast<double>(plain.sum(first, last));
          const double sum = tree.sum(static_cast<Index>(first), static_cast<Index>(last - first));
          ASSERT_NEAR(sum, exact, 1e-14 * exact);
        }
      }
    }
  }
}

// The cumulative definition, exactly: whole numbers, where f64 sums have no rounding.
TEST(PriorityTree, FindsTheSmallestSlotWhoseCumulativeSumExceedsTheMass) {
  for (const Index capacity : {Index{1}, Index{16}, Index{17}, Index{300}, Index{5000}}) {
    Rng rng(9);
    PriorityTree tree(capacity);
    std::vector<float> values(static_cast<std::size_t>(capacity));
    for (float& v : values) v = static_cast<float>(rng.below(3));
    values[static_cast<std::size_t>(capacity) / 2] = 1;
    tree.set_range(0, values);
    std::vector<double> masses;
    std::vector<Index> expected;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (int k = 0; k < static_cast<int>(values[i]); ++k) {
        masses.push_back(static_cast<double>(masses.size()));
        expected.push_back(static_cast<Index>(i));
      }
    }
    std::vector<Index> slots(masses.size());
    tree.find(masses, slots);
    EXPECT_EQ(slots, expected);
    for (double& m : masses) m += 0.999;
    tree.find(masses, slots);
    EXPECT_EQ(slots, expected);
  }
}

TEST(PriorityTree, AllMassInOneLeaf) {
  for (const Index capacity : kCapacities) {
    for (const Index slot : {Index{0}, capacity / 2, capacity - 1}) {
      PriorityTree tree(capacity);
      const float tiny = 1e-38F;
      tree.set({&slot, 1}, {&tiny, 1});
      const std::vector<double> masses{0, tree.total() / 2, tree.total(), 1e300};
      std::vector<Index> slots(4);
      tree.find(masses, slots);
      EXPECT_EQ(slots, std::vector<Index>(4, slot));
      EXPECT_EQ(tree.minimum(), tiny);
    }
  }
}

// Reachability and total variation, for every leaf: the masses a little inside both ends of a
// leaf's exact interval find that leaf. find() is monotone in the mass, so everything between finds
// it too, and what may go astray is 2 * margin per leaf: in all 2 * leaves * margin / total, a
// bound on the total variation from the exact distribution.
double variation_bound(const std::vector<float>& values) {
  PriorityTree tree(static_cast<Index>(values.size()));
  tree.set_range(0, values);
  constexpr double kMargin = 4e-15;  // of the total
  const auto margin = static_cast<long double>(kMargin * tree.total());
  constexpr std::size_t kBatch = 4096;
  std::vector<double> masses;
  std::vector<Index> expected, found(2 * kBatch);
  long double before = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long double after = before + static_cast<long double>(values[i]);
    masses.push_back(static_cast<double>(before + margin));
    masses.push_back(static_cast<double>(after - margin));
    expected.insert(expected.end(), 2, static_cast<Index>(i));
    before = after;
    if (masses.size() < 2 * kBatch && i + 1 < values.size()) continue;
    tree.find(masses, std::span(found).first(masses.size()));
    for (std::size_t k = 0; k < masses.size(); ++k) {
      EXPECT_EQ(found[k], expected[k]);
      if (found[k] != expected[k]) return 1;
    }
    masses.clear();
    expected.clear();
  }
  return 2 * kMargin * static_cast<double>(values.size());
}

TEST(PriorityTree, EveryLeafIsReachableAndDrawsAreExact) {
#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
  constexpr std::size_t kLeaves = 300'000;
#else
  constexpr std::size_t kLeaves = 10'000'000;
#endif
  Rng rng(11);
  std::vector<float> exponential(kLeaves), pareto(kLeaves);
  for (std::size_t i = 0; i < kLeaves; ++i) {
    exponential[i] = static_cast<float>(std::pow(-std::log(1 - rng.uniform()) + 1e-6, 0.6));
    pareto[i] = static_cast<float>(0.1 * std::pow(1 - rng.uniform(), -1 / 1.5));
  }
  EXPECT_LT(variation_bound(exponential), 1e-6);
  EXPECT_LT(variation_bound(pareto), 1e-6);
}

// No drift: after many updates the root is the sum of the leaves.
TEST(PriorityTree, RootIsTheSumOfTheLeavesAfterManyUpdates) {
#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
  constexpr int kBatches = 500;
#else
  constexpr int kBatches = 10'000;  // 10^7 updates
#endif
  constexpr Index kCapacity = 100'003;
  PriorityTree tree(kCapacity);
  Rng rng(5);
  std::vector<Index> slots(1000);
  std::vector<float> values(1000), leaves(kCapacity);
  for (int batch = 0; batch < kBatches; ++batch) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i] = static_cast<Index>(rng.below(kCapacity));
      values[i] = static_cast<float>(1e6 * rng.uniform());
    }
    tree.set(slots, values);
  }
  tree.values(0, leaves);
  long double sum = 0;
  for (const float v : leaves) sum += static_cast<long double>(v);
  EXPECT_NEAR(tree.total() / static_cast<double>(sum), 1, 1e-14);
}

TEST(PriorityTree, DrawsFollowTheWeights) {
  constexpr double kFalseAlarm = 1e-6;
  for (const Index capacity : {Index{17}, Index{300}}) {
    Rng rng(20260);
    PriorityTree tree(capacity);
    std::vector<float> values(static_cast<std::size_t>(capacity));
    for (float& v : values) v = some_value(rng, 0) * 3 + 0.1F;
    tree.set_range(0, values);
    std::vector<double> p, counts(values.size());
    for (const float v : values) p.push_back(static_cast<double>(v) / tree.total());
    std::vector<double> masses(1000);
    std::vector<Index> slots(1000);
    for (int batch = 0; batch < 1000; ++batch) {
      for (double& m : masses) m = rng.uniform() * tree.total();
      tree.find(masses, slots);
      for (const Index s : slots) counts[static_cast<std::size_t>(s)] += 1;
    }
    EXPECT_GT(test::chi_square_p(counts, p), kFalseAlarm);
    EXPECT_LT(test::chi_square_p(test::one_too_old(counts), p), kFalseAlarm) << "no power";
  }
}

TEST(PriorityTree, BadInputIsRefusedAndNothingChanges) {
  EXPECT_THROW(PriorityTree(0), InvalidArgument);
  EXPECT_THROW(PriorityTree(-5), InvalidArgument);
  EXPECT_THROW(PriorityTree(Index{1} << 41), InvalidArgument);
  PriorityTree tree(20);
  std::vector<Index> out(1, -7);
  const std::vector<double> zero{0};
  EXPECT_THROW(tree.find(zero, out), InvalidArgument);  // no mass
  tree.fill_range(0, 20, 2);
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const float bad : {-1.0F, kInf, -kInf, std::nanf(""), -FLT_TRUE_MIN}) {
    const std::vector<Index> slots{3, 4};
    const std::vector<float> values{1, bad};
    EXPECT_THROW(tree.set(slots, values), InvalidArgument) << bad;
    EXPECT_THROW(tree.set_range(3, values), InvalidArgument) << bad;
    EXPECT_THROW(tree.fill_range(3, 2, bad), InvalidArgument) << bad;
  }
  using Limits = std::numeric_limits<Index>;
  for (const Index bad : {Index{-1}, Index{20}, Limits::min(), Limits::max()}) {
    const std::vector<Index> slots{3, bad};
    const std::vector<float> values{1, 1};
    std::vector<float> room(2);
    EXPECT_THROW(tree.set(slots, values), InvalidArgument) << bad;
    EXPECT_THROW(tree.values(slots, room), InvalidArgument) << bad;
    EXPECT_THROW(tree.value(bad), InvalidArgument) << bad;
    EXPECT_THROW(tree.set_range(bad, values), InvalidArgument) << bad;
    EXPECT_THROW(tree.sum(bad, 2), InvalidArgument) << bad;
  }
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const std::vector<double> masses{bad};
    EXPECT_THROW(tree.find(masses, out), InvalidArgument) << bad;
  }
  EXPECT_THROW(tree.find(std::vector<double>{1, 2}, out), InvalidArgument);
  EXPECT_THROW(tree.set(out, std::vector<float>{1, 2}), InvalidArgument);
  EXPECT_THROW(tree.fill_range(10, 11, 1), InvalidArgument);
  EXPECT_THROW(tree.sum(0, -1), InvalidArgument);
  EXPECT_THROW(tree.maximum(), InvalidArgument);
  EXPECT_EQ(tree.total(), 40);
  EXPECT_EQ(tree.minimum(), 2);
  EXPECT_EQ(out, std::vector<Index>(1, -7));
  const Index slot = 5;
  const float minus_zero = -0.0F;
  tree.set({&slot, 1}, {&minus_zero, 1});
  EXPECT_EQ(tree.total(), 38);
  EXPECT_FALSE(std::signbit(tree.value(5)));
  try {
    tree.value(20);
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("[0, 20)"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace mneme
