// tests/priorities/priority_distributions_test.cpp - what every distribution must satisfy, each
// against its definition written out naively.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "base/cpu.h"
#include "mneme/error.h"
#include "priorities/naive_stream.h"
#include "priorities/proportional.h"
#include "priorities/rank.h"
#include "priorities/recency_priority.h"
#include "priorities/reliability.h"
#include "support/chi_square.h"

namespace mneme {
namespace {

using test::NaiveStream;

struct Case {
  const char* name;
  double eps;
  std::function<std::unique_ptr<PriorityDistribution>(Index)> make;
  std::function<std::vector<double>(const NaiveStream&)> masses;
  WeightScale weights;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  cases.push_back({"per", 1e-6, [](Index n) { return std::make_unique<Proportional>(n); },
                   [](const NaiveStream& s) { return s.proportional(0.6); }, WeightScale::buffer});
  cases.push_back({"per_independent_batch", 0.01,
                   [](Index n) {
                     return std::make_unique<Proportional>(
                         n, ProportionalOptions{1.0, 0.01, NewRows::seen, Draws::independent,
                                                WeightScale::batch});
                   },
                   [](const NaiveStream& s) { return s.proportional(1.0); }, WeightScale::batch});
  cases.push_back(
      {"per_uniform_raw", 0,
       [](Index n) {
         return std::make_unique<Proportional>(
             n, ProportionalOptions{0, 0, NewRows::seen, Draws::stratified, WeightScale::none});
       },
       [](const NaiveStream& s) { return s.proportional(0); }, WeightScale::none});
  cases.push_back({"rank", 0, [](Index n) { return std::make_unique<RankBased>(n); },
                   [](const NaiveStream& s) { return s.rank_based(0.7); }, WeightScale::buffer});
  cases.push_back({"rank_harmonic", 0,
                   [](Index n) {
                     return std::make_unique<RankBased>(
                         n, RankOptions{1, Draws::independent, WeightScale::none});
                   },
                   [](const NaiveStream& s) { return s.rank_based(1); }, WeightScale::none});
  cases.push_back(
      {"recency_per", 1e-6, [](Index n) { return std::make_unique<RecencyPriority>(n); },
       [](const NaiveStream& s) { return s.recency_priority(0.6, 10); }, WeightScale::batch});
  cases.push_back(
      {"recency_per_buffer", 1e-6,
       [](Index n) {
         return std::make_unique<RecencyPriority>(
             n, RecencyPriorityOptions{3, 0.4, 1e-6, Draws::independent, WeightScale::buffer});
       },
       [](const NaiveStream& s) { return s.recency_priority(0.4, 3); }, WeightScale::buffer});
  cases.push_back({"reaper", 0, [](Index n) { return std::make_unique<Reliability>(n); },
                   [](const NaiveStream& s) { return s.reaper(0.3, 0.3); }, WeightScale::batch});
  cases.push_back({"reaper_steep", 0,
                   [](Index n) {
                     return std::make_unique<Reliability>(
                         n, ReliabilityOptions{0.4, 4, Draws::independent, WeightScale::buffer});
                   },
                   [](const NaiveStream& s) { return s.reaper(0.4, 4); }, WeightScale::buffer});
  return cases;
}

class EveryPriorityDistribution : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<PriorityDistribution> make(Index capacity) const {
    return GetParam().make(capacity);
  }
};
INSTANTIATE_TEST_SUITE_P(Distributions, EveryPriorityDistribution, testing::ValuesIn(all_cases()),
                         [](const auto& param) { return std::string(param.param.name); });

std::vector<double> normalised(std::vector<double> masses) {
  double total = 0;
  for (const double m : masses) total += m;
  for (double& m : masses) m = total > 0 ? m / total : 0;
  return masses;
}

// Random operations on a distribution and on the naive stream at once.
class Driver {
 public:
  Driver(PriorityDistribution& distribution, Index capacity, double eps, std::uint64_t seed)
      : law_(distribution), naive_{capacity, eps}, rng_(seed) {}

  void step() {
    switch (rng_.below(6)) {
      case 0:
      case 1:
        return append();
      case 2:
        return exclude_or_admit();
      default:
        return update();
    }
  }

  void append() {
    const auto count = static_cast<Index>(
        1 + rng_.below(static_cast<std::uint64_t>(std::min<Index>(5, naive_.capacity))));
    std::vector<std::uint8_t> ends(static_cast<std::size_t>(count));
    for (auto& e : ends) e = rng_.below(4) == 0 ? 1 : 0;
    const RowState state = rng_.below(5) == 0 ? RowState::held : RowState::drawable;
    law_.append(law_.next_slot(), count, ends, state);
    for (const auto e : ends) naive_.append(e != 0, state);
    if (rng_.below(10) == 0) {
      law_.end_episode();
      naive_.ended[naive_.episode] = true;
    }
  }

  void exclude_or_admit() {
    if (naive_.stored() == 0) return;
    std::vector<Index> slots(1 + rng_.below(3));
    const auto stored = static_cast<std::uint64_t>(naive_.stored());
    for (Index& s : slots) s = static_cast<Index>(rng_.below(stored));
    if (rng_.below(3) == 0) {
      law_.exclude(slots);
      for (const Index s : slots) naive_.at(s)->drawable = false;
    } else {
      law_.admit(slots);
      for (const Index s : slots) naive_.admit(s);
    }
  }

  void update() {
    std::vector<Index> slots(rng_.below(12));
    std::vector<float> values(slots.size());
    const Feedback feedback = rng_.below(2) == 0 ? Feedback::td_error : Feedback::priority;
    FeedbackCount expected;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i] = static_cast<Index>(rng_.below(static_cast<std::uint64_t>(naive_.capacity)));
      values[i] = static_cast<float>(-std::log(1 - rng_.uniform())) + 0.001F;
      const auto dice = rng_.below(16);
      if (dice == 0) values[i] = std::nanf("");
      if (dice == 1) values[i] = HUGE_VALF;
      if (dice == 2) values[i] = -values[i];
      naive_.update(slots[i], values[i], feedback, expected);
    }
    EXPECT_EQ(law_.update(slots, values, feedback), expected);
  }

  NaiveStream& naive() { return naive_; }

 private:
  PriorityDistribution& law_;
  NaiveStream naive_;
  Rng rng_;
};

// f32 leaves: a mass is right to 6e-8, and so are probabilities to a few times that. F of reaper is
// an f32 as well, and its rounding is magnified by omega, 4 in the steep case.
constexpr double kTolerance = 8e-7;

TEST_P(EveryPriorityDistribution, FollowsItsDefinitionThroughRandomOperations) {
  for (const Index capacity : {Index{1}, Index{2}, Index{15}, Index{16}, Index{17}, Index{100}}) {
    auto distribution = make(capacity);
    Driver driver(*distribution, capacity, GetParam().eps, 77);
    for (int step = 0; step < 400; ++step) {
      driver.step();
      if (step % 50 == 49) {  // through a saved state and back
        ByteWriter saved;
        distribution->save(saved);
        auto restored = make(capacity);
        ByteReader reader(saved.bytes());
        restored->load(reader);
        Rng one(3), other(3);
        std::vector<Index> a(20, -1), b(20, -1);
        std::vector<float> wa(20), wb(20);
        if (distribution->drawable_rows() > 0) {
          distribution->sample(one, 0.5, a, wa);
          restored->sample(other, 0.5, b, wb);
        }
        ASSERT_EQ(a, b);
        ASSERT_EQ(wa, wb);
      }
      if (step % 5 != 0) continue;
      const std::vector<double> masses = GetParam().masses(driver.naive());
      const std::vector<double> p = normalised(masses);
      Index rows = 0;
      for (Index slot = 0; slot < capacity; ++slot) {
        const double expected = p[static_cast<std::size_t>(slot)];
        ASSERT_NEAR(distribution->probability(slot), expected, kTolerance * expected)
            << "step " << step;
        rows += distribution->drawable(slot) ? 1 : 0;
      }
      ASSERT_EQ(rows, distribution->drawable_rows());
    }
  }
}

TEST_P(EveryPriorityDistribution, DrawsFollowItsProbabilitiesAndWeightsUndoThem) {
  constexpr double kFalseAlarm = 1e-6;
  constexpr Index kCapacity = 48;
  auto distribution = make(kCapacity);
  Driver driver(*distribution, kCapacity, GetParam().eps, 5);
  for (int step = 0; step < 300; ++step) driver.step();
  std::vector<double> p(kCapacity), counts(kCapacity);
  for (std::size_t slot = 0; slot < p.size(); ++slot) {
    p[slot] = distribution->probability(static_cast<Index>(slot));
  }
  std::vector<Index> slots(300);
  std::vector<float> weights(300);
  Rng rng(20260);
  constexpr double kBeta = 0.7;
  for (int batch = 0; batch < 1000; ++batch) {
    distribution->sample(rng, kBeta, slots, weights);
    double unit = 1 / static_cast<double>(distribution->drawable_rows());
    if (GetParam().weights != WeightScale::none) {
      unit = 1;
      const bool whole = GetParam().weights == WeightScale::buffer;
      for (const double q : p) unit = whole && q > 0 ? std::min(unit, q) : unit;
      for (const Index s : slots) {
        unit = whole ? unit : std::min(unit, p[static_cast<std::size_t>(s)]);
      }
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const double q = p.at(static_cast<std::size_t>(slots[i]));
      counts[static_cast<std::size_t>(slots[i])] += 1;
      ASSERT_NEAR(static_cast<double>(weights[i]) / std::pow(unit / q, kBeta), 1, 1e-6);
    }
  }
  EXPECT_GT(test::chi_square_p(counts, p), kFalseAlarm);
  EXPECT_LT(test::chi_square_p(test::one_too_old(counts), p), kFalseAlarm) << "no power";
}

TEST_P(EveryPriorityDistribution, PortableAndVectorPathsAgreeInEveryBit) {
  std::vector<std::vector<Index>> slots;
  std::vector<std::vector<float>> weights;
  for (const bool portable : {false, true}) {
    detail::force_portable(portable);
    auto distribution = make(5000);
    distribution->append(0, 4000);
    Rng rng(6);
    slots.emplace_back(600);
    weights.emplace_back(600);
    for (int round = 0; round < 5; ++round) {
      distribution->sample(rng, 0.4, slots.back(), weights.back());
      std::vector<float> errors(600);
      for (float& e : errors) e = static_cast<float>(rng.uniform());
      distribution->update(slots.back(), errors);
    }
    distribution->sample(rng, 0.4, slots.back(), weights.back());
  }
  detail::force_portable(false);
  EXPECT_EQ(slots[0], slots[1]);
  EXPECT_EQ(weights[0], weights[1]);
}

TEST_P(EveryPriorityDistribution, BadInputIsRefusedAndNothingChanges) {
  auto distribution = make(10);
  Rng rng(1);
  std::vector<Index> out(4, -7);
  std::vector<float> weights(4, -7);
  EXPECT_THROW(distribution->sample(rng, 0.4, out, weights), InvalidArgument);  // empty
  EXPECT_EQ(distribution->probability(3), 0);
  EXPECT_THROW(distribution->append(1, 1), InvalidArgument);   // not the next slot
  EXPECT_THROW(distribution->append(0, 11), InvalidArgument);  // more than fit
  EXPECT_THROW(distribution->append(0, 0), InvalidArgument);
  EXPECT_THROW(distribution->append(0, 3, std::vector<std::uint8_t>{1}), InvalidArgument);
  EXPECT_EQ(distribution->next_slot(), 0);
  distribution->append(0, 6);
  const std::vector<float> one(1, 0.5F);
  for (const Index bad : {Index{-1}, Index{10}, std::numeric_limits<Index>::max()}) {
    const std::vector<Index> slots{bad};
    EXPECT_THROW(distribution->update(slots, one), InvalidArgument);
    EXPECT_THROW(distribution->exclude(slots), InvalidArgument);
    EXPECT_THROW(distribution->admit(slots), InvalidArgument);
    EXPECT_THROW(distribution->probability(bad), InvalidArgument);
    const std::vector<Index> good_then_bad{2, bad};
    EXPECT_THROW(distribution->update(good_then_bad, std::vector<float>{9, 9}), InvalidArgument);
  }
  EXPECT_THROW(distribution->admit(std::vector<Index>{6}), InvalidArgument);  // never written
  EXPECT_THROW(distribution->update(std::vector<Index>{1, 2}, one), InvalidArgument);
  EXPECT_EQ(distribution->update(std::vector<Index>{7}, one), (FeedbackCount{0, 0, 1}));
  for (const double beta : {-0.1, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(distribution->sample(rng, beta, out, weights), InvalidArgument);
  }
  EXPECT_THROW(distribution->sample(rng, 0.4, out, std::span(weights).first(3)), InvalidArgument);
  EXPECT_THROW(distribution->draw(std::vector<double>{1.0}, rng, std::span(out).first(1)),
               InvalidArgument);
  EXPECT_EQ(out, std::vector<Index>(4, -7));
  EXPECT_EQ(weights, std::vector<float>(4, -7));
  EXPECT_EQ(rng.state(), Rng(1).state());
  // All six rows are new and alike, but for age.
  auto fresh = make(10);
  fresh->append(0, 6);
  for (Index slot = 0; slot < 10; ++slot) {
    EXPECT_EQ(distribution->probability(slot), fresh->probability(slot));
  }
  // Nothing left to draw: the mass is gone, the rows are not.
  distribution->exclude(std::vector<Index>{0, 1, 2, 3, 4, 5});
  EXPECT_THROW(distribution->sample(rng, 0.4, out, weights), InvalidArgument);
  distribution->admit(std::vector<Index>{4});
  distribution->sample(rng, 0.4, out, weights);
  EXPECT_EQ(out, std::vector<Index>(4, 4));
}

TEST_P(EveryPriorityDistribution, DamagedStatesAreRefusedAndNothingChanges) {
  auto distribution = make(40);
  Driver driver(*distribution, 40, GetParam().eps, 8);
  for (int step = 0; step < 200; ++step) driver.step();
  ByteWriter saved;
  distribution->save(saved);
  auto other = make(40);
  other->append(0, 7);
  const double before = other->probability(3);
  for (std::size_t length = 0; length < saved.bytes().size(); length += 7) {
    ByteReader reader(std::span(saved.bytes()).first(length));
    EXPECT_THROW(other->load(reader), Error);
    ASSERT_EQ(other->probability(3), before);
  }
  auto wrong_size = make(41);
  ByteReader whole(saved.bytes());
  EXPECT_THROW(wrong_size->load(whole), InvalidArgument);
  // Flipped bits: refused, or a state that still works.
  Rng rng(4);
  for (int k = 0; k < 400; ++k) {
    std::vector<std::byte> bytes = saved.bytes();
    const auto at = rng.below(bytes.size() * 8);
    bytes[at / 8] ^= static_cast<std::byte>(1U << (at % 8));
    auto victim = make(40);
    ByteReader reader(bytes);
    try {
      victim->load(reader);
      std::vector<Index> slots(8);
      std::vector<float> weights(8);
      victim->sample(rng, 0.4, slots, weights);
      victim->update(slots, weights);
      victim->append(victim->next_slot(), 3);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace mneme
