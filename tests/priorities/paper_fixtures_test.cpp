// tests/priorities/paper_fixtures_test.cpp - small exact cases, reference values with 12 digits.
//
// Leaves are f32 by design, so a distribution agrees to 1e-7; the formulas themselves are checked
// in double to all digits.
#include <gtest/gtest.h>

#include <cmath>

#include "base/powers.h"
#include "mneme/error.h"
#include "priorities/proportional.h"
#include "priorities/rank.h"
#include "priorities/reliability.h"

namespace mneme {
namespace {

constexpr double kDigits = 1e-12;   // printed digits
constexpr double kSingle = 1.5e-7;  // relative, f32

const std::vector<Index> kFour{0, 1, 2, 3};

Proportional four_rows(WeightScale scale) {
  return Proportional(4, {.alpha = 0.6, .eps = 0, .weights = scale});
}
void fill(PriorityDistribution& distribution, const std::vector<float>& errors) {
  const Index first = distribution.next_slot();
  distribution.append(first, static_cast<Index>(errors.size()));
  std::vector<Index> slots;
  for (std::size_t i = 0; i < errors.size(); ++i) slots.push_back(first + static_cast<Index>(i));
  distribution.update(slots, errors);
}

TEST(PaperFixtures, PerFormulasInDouble) {
  std::vector<double> leaves{0.1, 0.5, 1, 2};
  detail::raise_all(leaves, 0.6);
  const std::vector<double> expected{0.251188643151, 0.659753955386, 1, 1.515716566510};
  double total = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(leaves[i], expected[i], kDigits);
    total += leaves[i];
  }
  EXPECT_NEAR(total, 3.426659165048, kDigits);
  const std::vector<double> p{0.073304239217, 0.192535622485, 0.291829432644, 0.442330705654};
  const std::vector<double> raw{1.633519665300, 1.110124189784, 0.939992453839, 0.795934203945};
  const std::vector<double> scaled{1, 0.679590343089, 0.575439937337, 0.487251069486};
  std::vector<double> w(4), by_buffer(4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(leaves[i] / total, p[i], kDigits);
    w[i] = total / leaves[i] / 4;
    by_buffer[i] = leaves[0] / leaves[i];
  }
  detail::raise_all(w, 0.4);
  detail::raise_all(by_buffer, 0.4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(w[i], raw[i], kDigits);
    EXPECT_NEAR(by_buffer[i], scaled[i], kDigits);
  }
}

TEST(PaperFixtures, PerProbabilities) {
  const std::vector<float> errors{0.1F, -0.5F, 1, 2};
  const std::vector<double> p{0.073304239217, 0.192535622485, 0.291829432644, 0.442330705654};
  const std::vector<double> raw{1.633519665300, 1.110124189784, 0.939992453839, 0.795934203945};
  const std::vector<double> scaled{1, 0.679590343089, 0.575439937337, 0.487251069486};
  Proportional buffer = four_rows(WeightScale::buffer), none = four_rows(WeightScale::none),
               batch = four_rows(WeightScale::batch);
  for (Proportional* distribution : {&buffer, &none, &batch}) fill(*distribution, errors);
  std::vector<float> w(4), w_raw(4), w_batch(2);
  buffer.weigh(kFour, 0.4, w);
  none.weigh(kFour, 0.4, w_raw);
  batch.weigh(std::vector<Index>{1, 3}, 0.4, w_batch);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(buffer.probability(static_cast<Index>(i)) / p[i], 1, kSingle);
    EXPECT_NEAR(static_cast<double>(w[i]) / scaled[i], 1, kSingle);
    EXPECT_NEAR(static_cast<double>(w_raw[i]) / raw[i], 1, kSingle);
  }
  EXPECT_EQ(w_batch[0], 1);
  EXPECT_NEAR(static_cast<double>(w_batch[1]) / 0.716977624008, 1, kSingle);
}

TEST(PaperFixtures, PerStratifiedDraws) {
  Proportional distribution = four_rows(WeightScale::buffer);
  fill(distribution, {0.1F, 0.5F, 1, 2});
  Rng unused(1);
  std::vector<Index> slots(4);
  distribution.draw(std::vector<double>{0.125, 0.375, 0.625, 0.875}, unused, slots);  // U = 0.5
  EXPECT_EQ(slots, (std::vector<Index>{1, 2, 3, 3}));
  distribution.draw(std::vector<double>{0, 0.25, 0.5, 0.75}, unused, slots);  // U = 0
  EXPECT_EQ(slots, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(unused.state(), Rng(1).state());
}

TEST(Proportional, NewRowsGetTheLargestPriority) {
  Proportional seen(4, {.eps = 0}), stored(4, {.eps = 0, .new_rows = NewRows::stored});
  for (Proportional* distribution : {&seen, &stored}) {
    EXPECT_EQ(distribution->new_priority(), 1);
    fill(*distribution, {0.5F, 3, 0.25F, 0.125F});
    EXPECT_NEAR(distribution->new_priority(), 3, 1e-6);
    distribution->update(std::vector<Index>{1}, std::vector<float>{0.0625F});
  }
  EXPECT_NEAR(seen.new_priority(), 3, 1e-6);  // never decays
  EXPECT_NEAR(stored.new_priority(), 0.5, 1e-6);
  // The maximum survives a restart.
  ByteWriter saved;
  seen.save(saved);
  Proportional restored(4, {.eps = 0});
  ByteReader reader(saved.bytes());
  restored.load(reader);
  EXPECT_EQ(restored.new_priority(), seen.new_priority());
}

TEST(Proportional, AlphaIsAnExponent) {
  Proportional weak(2, {.alpha = 0.5, .eps = 0}), strong(2, {.alpha = 2, .eps = 0});
  fill(weak, {1, 4});
  fill(strong, {1, 4});
  EXPECT_NEAR(weak.probability(1), 2.0 / 3, 1e-7);
  EXPECT_NEAR(strong.probability(1), 16.0 / 17, 1e-7);
}

TEST(Proportional, ExtremePrioritiesStayDrawable) {
  Proportional distribution(3, {.alpha = 8, .eps = 0});
  fill(distribution, {1e-30F, 1e30F, 0});
  EXPECT_GT(distribution.probability(0), 0);
  EXPECT_LT(distribution.probability(1), 1.0000001);
  EXPECT_EQ(distribution.probability(2), 0);
  EXPECT_THROW(Proportional(3, {.alpha = -1}), InvalidArgument);
  EXPECT_THROW(Proportional(3, {.eps = std::nan("")}), InvalidArgument);
  EXPECT_THROW(Proportional(0), InvalidArgument);
}

// Reliability.
std::vector<double> psi_of(const Reliability& distribution, std::span<const Index> slots) {
  std::vector<double> psi;
  for (const Index s : slots) {
    const auto leaf = static_cast<double>(distribution.proposals().value(s));
    psi.push_back(leaf * std::pow(distribution.reliability(s), 0.2));
  }
  return psi;
}

void expect_psi(const Reliability& distribution, std::span<const Index> slots,
                const std::vector<double>& r, const std::vector<double>& psi) {
  const std::vector<double> found = psi_of(distribution, slots);
  double total = 0;
  for (const double value : psi) total += value;
  for (std::size_t i = 0; i < psi.size(); ++i) {
    EXPECT_NEAR(distribution.reliability(slots[i]), r[i], kSingle);
    EXPECT_NEAR(found[i] / psi[i], 1, kSingle);
    if (slots.size() == static_cast<std::size_t>(distribution.drawable_rows())) {
      EXPECT_NEAR(distribution.probability(slots[i]), psi[i] / total, kSingle);
    }
  }
}

TEST(PaperFixtures, ReaperFinishedEpisode) {
  Reliability distribution(8, {.alpha = 0.4, .omega = 0.2});
  fill(distribution, {0.5F, 1, 0.25F, 0.25F});
  distribution.end_episode();
  expect_psi(distribution, kFour, {0.25, 0.75, 0.875, 1},
             {0.574349177499, 0.944087511295, 0.559213457360, 0.574349177499});
  distribution.update(std::vector<Index>{1}, std::vector<float>{0.2F});
  expect_psi(distribution, kFour, {5 / 12.0, 7 / 12.0, 19 / 24.0, 1},
             {0.636129818270, 0.471623413257, 0.548131139676, 0.574349177499});
}

TEST(PaperFixtures, ReaperUnfinishedEpisode) {
  Reliability distribution(8, {.alpha = 0.4, .omega = 0.2});
  EXPECT_EQ(distribution.largest_sum(), 1);
  fill(distribution, {3, 1});
  distribution.end_episode();
  fill(distribution, {0.5F, 1});
  EXPECT_EQ(distribution.largest_sum(), 4);
  expect_psi(distribution, std::vector<Index>{2, 3}, {0.125, 0.375}, {0.5, 0.821875914759});
}

TEST(Reliability, EvictedRowsKeepCounting) {
  Reliability distribution(4, {.alpha = 0.4, .omega = 0.2});
  fill(distribution, {0.5F, 1, 0.25F, 0.25F});
  distribution.end_episode();
  distribution.append(0, 2);  // the first two rows are gone
  EXPECT_NEAR(distribution.reliability(2), 0.875, 1e-12);
  EXPECT_NEAR(distribution.reliability(3), 1, 1e-12);
  EXPECT_EQ(distribution.largest_sum(), 2);
  distribution.append(2, 2);  // and the episode with them: F is now that of the episode under way
  EXPECT_EQ(distribution.largest_sum(), 4);
}

// An episode that turns around the ring many times, as one without end does.
TEST(Reliability, OneEndlessEpisode) {
  Reliability distribution(5);
  Rng rng(2);
  std::vector<Index> slots(3);
  std::vector<float> weights(3);
  for (int step = 0; step < 200; ++step) {
    distribution.append(distribution.next_slot(), 1);
    distribution.sample(rng, 0.5, slots, weights);
    distribution.update(slots, std::vector<float>{1, 0.5F, 0.25F});
  }
  EXPECT_NEAR(distribution.reliability((distribution.next_slot() + 4) % 5), 1, 1e-6);
}

// Acceptance can be as rare as it likes: the draw ends and stays exact.
TEST(Reliability, RareAcceptanceStillDrawsExactly) {
  Reliability distribution(64, {.alpha = 0, .omega = 8, .draws = Draws::independent});
  fill(distribution, {1e6F});
  distribution.end_episode();
  std::vector<float> tiny(40, 1e-3F);
  fill(distribution, tiny);
  distribution.exclude(std::vector<Index>{0});
  Rng rng(3);
  std::vector<Index> slots(256);
  double mean = 0, expected = 0, norm = 0;
  for (int batch = 0; batch < 20; ++batch) {
    distribution.sample(rng, 0, slots, {});
    for (const Index s : slots) mean += static_cast<double>(s) / (20 * 256.0);
  }
  for (int t = 1; t <= 40; ++t) {
    expected += t * std::pow(t, 8);
    norm += std::pow(t, 8);
  }
  EXPECT_NEAR(mean, expected / norm, 0.35);  // 6 standard errors: sd 3.9 over sqrt(5120)
}

// Rank: with distinct errors the distribution is 1 / rank^alpha.
TEST(RankBased, DistinctErrorsGetTheirRanks) {
  RankBased distribution(5);
  fill(distribution, {0.1F, 5, 0.3F, -20, 1});
  const std::vector<double> rank{5, 2, 4, 1, 3};
  double total = 0;
  for (const double r : rank) total += std::pow(r, -0.7);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(distribution.probability(static_cast<Index>(i)), std::pow(rank[i], -0.7) / total,
                kDigits);
  }
  EXPECT_THROW(RankBased(5, {.alpha = -1}), InvalidArgument);
}

TEST(RankBased, RankMassIsThePartialSum) {
  for (const double alpha : {0.0, 0.3, 0.7, 0.999999999, 1.0, 1.5, 4.0}) {
    const detail::RankMass mass(alpha);
    long double exact = 0;
    for (Index r = 1; r <= 200'000; ++r) {
      exact += std::pow(static_cast<long double>(r), -static_cast<long double>(alpha));
      if (r % 999 == 0 || r < 3 || (r > 1020 && r < 1030)) {
        const auto e = static_cast<double>(exact);
        ASSERT_NEAR(mass.through(r) / e, 1, 1e-12) << alpha << " rank " << r;
        if (r > 1 && alpha <= 1) {
          const double middle = e - 0.5 * std::pow(static_cast<double>(r), -alpha);
          const Index found = mass.before(middle, 1'000'000);
          ASSERT_NEAR(static_cast<double>(found), static_cast<double>(r - 1), 2) << alpha;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mneme
