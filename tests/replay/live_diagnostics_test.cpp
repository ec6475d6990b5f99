// tests/replay/live_diagnostics_test.cpp - what is counted while sampling, against counting
// everything.
#include "mneme/live_diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "mneme/diagnostics.h"
#include "mneme/error.h"
#include "mneme/replay_buffer.h"

namespace mneme {
namespace {

void add(ReplayBuffer& buffer, Index t, Index stream = 0) {
  const float now[1]{static_cast<float>(t)}, next[1]{static_cast<float>(t + 1)}, action[1]{0};
  buffer.add({.stream = stream, .observation = now, .action = action, .next_observation = next});
}

TEST(LiveDiagnostics, BinsCoverEveryNumberOnce) {
  for (int bin = 0; bin < 487; ++bin) {
    const Index first = first_of_bin(bin), end = first_of_bin(bin + 1);
    ASSERT_LT(first, end);
    EXPECT_EQ(bin_of(first), bin);
    EXPECT_EQ(bin_of(end - 1), bin);
    EXPECT_LE(static_cast<double>(end - first), std::max(1.0, static_cast<double>(first) / 8));
  }
  EXPECT_EQ(bin_of(15), 15);
  EXPECT_EQ(bin_of(16), 16);
  EXPECT_EQ(bin_of(17), 16);
  EXPECT_EQ(bin_of(std::numeric_limits<Index>::max()), 487);
  EXPECT_THROW(bin_of(-1), InvalidArgument);
  EXPECT_THROW(first_of_bin(488), InvalidArgument);
}

// All that a batch tells, kept in the plainest way.
struct Plain {
  std::map<std::uint64_t, std::uint64_t> replays;  // by id
  std::map<int, std::uint64_t> ages;
  double age_sum = 0, recency_sum = 0;
  std::uint64_t draws = 0, batches = 0, unique = 0, searched = 0;

  void note(const Batch& batch, const ReplayBuffer& buffer, Index held) {
    if (batches++ % 32 == 0) {
      unique += std::set<std::uint64_t>(batch.id.begin(), batch.id.end()).size();
      searched += batch.size;
    }
    for (std::size_t k = 0; k < batch.size; ++k) {
      ++replays[batch.id[k]];
      ++ages[bin_of(batch.age[k])];
      age_sum += static_cast<double>(batch.age[k]);
      const Index starts = buffer.size(batch.stream[k]) - held;
      recency_sum += starts > 1 ? 1 - static_cast<double>(batch.age[k] - held) /
                                          static_cast<double>(starts - 1)
                                : 1;
      ++draws;
    }
  }
};

TEST(LiveDiagnostics, SmallBuffersAreCountedExactly) {
  for (const char* sampler : {"uniform", "truncated_geometric:alpha=4", "per"})
    for (const Index n_step : {1, 3}) {
      ReplayBuffer buffer({.observation = {1},
                           .action = {1},
                           .capacity = 70,
                           .streams = 3,
                           .sampler = sampler,
                           .n_step = n_step});
      Plain plain;
      Index rows[3]{};
      std::uint64_t first[3]{};
      Rng rng(5);
      const auto step = [&] {
        for (Index s = 0; s < 3; ++s)
          for (auto k = rng.below(3); k > 0; --k) add(buffer, rows[s]++, s);
      };
      while (rows[0] < 5 || rows[1] < 5 || rows[2] < 5) step();
      Batch batch = buffer.make_batch(24);
      for (int round = 0; round < 300; ++round) {
        if (round == 60) {  // a reset in the middle: rows that were there do not count
          buffer.reset_diagnostics();
          plain = {};
          for (std::size_t s = 0; s < 3; ++s) first[s] = static_cast<std::uint64_t>(rows[s]);
        }
        step();
        buffer.sample(batch);
        plain.note(batch, buffer, n_step - 1);
        if (round % 3 == 0) buffer.update_priorities(batch.id, std::vector<float>(24, 0.5f));
      }
      const LiveDiagnostics live = buffer.diagnostics();
      EXPECT_EQ(live.draws, plain.draws);
      EXPECT_EQ(live.draws_by_age, plain.draws);
      EXPECT_EQ(live.batches, plain.batches);
      EXPECT_NEAR(live.mean_age, plain.age_sum / static_cast<double>(plain.draws), 1e-9);
      EXPECT_NEAR(live.expected_recency, plain.recency_sum / static_cast<double>(plain.draws),
                  1e-9);
      EXPECT_NEAR(live.reference_recency, 1 - live.mean_age / 69, 1e-12);
      for (std::size_t b = 0; b < live.age_histogram.size(); ++b)
        EXPECT_EQ(live.age_histogram[b], plain.ages[static_cast<int>(b)]);
      EXPECT_NEAR(live.unique_share,
                  static_cast<double>(plain.unique) / static_cast<double>(plain.searched), 1e-12);

      std::map<int, std::uint64_t> histogram;
      std::uint64_t evicted = 0, sum = 0, added = 0;
      for (std::uint64_t s = 0; s < 3; ++s) {
        added += static_cast<std::uint64_t>(rows[s]) - first[s];
        for (std::uint64_t q = first[s]; q + 70 < static_cast<std::uint64_t>(rows[s]); ++q) {
          const std::uint64_t count = plain.replays[s << 44 | q];
          ++histogram[bin_of(static_cast<Index>(count))];
          sum += count;
          ++evicted;
        }
      }
      ASSERT_GT(evicted, 100u);
      EXPECT_EQ(live.tracked_share, 1);
      EXPECT_EQ(live.rows_added, added);
      EXPECT_EQ(live.rows_evicted, evicted);
      EXPECT_NEAR(live.replays_per_row, static_cast<double>(sum) / static_cast<double>(evicted),
                  1e-12);
      EXPECT_NEAR(live.never_replayed,
                  static_cast<double>(histogram[0]) / static_cast<double>(evicted), 1e-12);
      for (std::size_t b = 0; b < live.replay_histogram.size(); ++b)
        EXPECT_EQ(live.replay_histogram[b], histogram[static_cast<int>(b)]) << b;
      EXPECT_NEAR(live.replay_volume, static_cast<double>(plain.draws) / static_cast<double>(added),
                  1e-12);
    }
}

// A large buffer, full: recency, entropy and never replayed against the formulas of the sampler. A
// row of a full buffer is drawn `volume` times on average, never with about e^-volume. The bounds
// are five standard deviations; another sampler's formulas fall far outside.
TEST(LiveDiagnostics, LargeBuffersAgreeWithTheFormulas) {
  constexpr Index kCapacity = 200'000;
  const BufferView full{.size = kCapacity, .capacity = kCapacity};
  for (const char* sampler : {"uniform", "truncated_geometric:alpha=10"}) {
    ReplayBuffer buffer(
        {.observation = {1}, .action = {1}, .capacity = kCapacity, .sampler = sampler});
    for (Index t = 0; t < kCapacity; ++t) add(buffer, t);
    Batch batch = buffer.make_batch(512);
    buffer.reset_diagnostics();
    for (Index t = kCapacity; t < 3 * kCapacity; ++t) {
      add(buffer, t);
      if (t % 256 == 255) buffer.sample(batch);  // volume 2
    }
    const LiveDiagnostics live = buffer.diagnostics();
    const auto draws = static_cast<double>(live.draws_by_age);
    EXPECT_NEAR(draws / static_cast<double>(live.draws), 0.125, 0.02);
    EXPECT_NEAR(live.replay_volume, 2, 0.01);
    const Diagnosis exact = inspect(*make_sampler(sampler), full),
                    wrong = inspect(*make_sampler("truncated_geometric:alpha=9.5"), full);
    const double age_deviation = 0.29 / std::sqrt(draws);  // of recency: at most uniform's
    EXPECT_NEAR(live.expected_recency, exact.expected_recency, 5 * age_deviation);
    EXPECT_NEAR(live.sampling_entropy, exact.sampling_entropy, 0.002 + 5 / std::sqrt(draws));
    EXPECT_GT(std::abs(live.expected_recency - wrong.expected_recency), 5 * age_deviation);
    EXPECT_GT(std::abs(live.sampling_entropy - wrong.sampling_entropy),
              0.002 + 5 / std::sqrt(draws));

    EXPECT_EQ(live.tracked_share, 1.0 / 16);
    const auto evicted = static_cast<double>(live.rows_evicted);
    EXPECT_NEAR(evicted, kCapacity / 16.0, 2);
    EXPECT_NEAR(live.replays_per_row, 2, 5 * std::sqrt(2 / evicted) + 0.01);
    EXPECT_NEAR(live.never_replayed, std::exp(-2.0), 5 * std::sqrt(0.12 / evicted));
    EXPECT_GT(std::abs(live.never_replayed - std::exp(-1.5)), 5 * std::sqrt(0.12 / evicted));
    EXPECT_GT(live.unique_share, 0.99);
  }
}

TEST(LiveDiagnostics, FeedbackAndCutsAreCounted) {
  ReplayBuffer buffer({.observation = {1}, .action = {1}, .capacity = 4, .sampler = "per"});
  for (Index t = 0; t < 6; ++t) add(buffer, t);
  buffer.update_priorities(std::vector<std::uint64_t>{0, 3, 4, 5},
                           std::vector<float>{1, NAN, 2, INFINITY});
  buffer.cut(0);
  add(buffer, 100);
  add(buffer, 200);  // without notice
  LiveDiagnostics live = buffer.diagnostics();
  EXPECT_EQ(live.feedback_stale, 1u);
  EXPECT_EQ(live.feedback_refused, 2u);
  EXPECT_EQ(live.feedback_applied, 1u);
  EXPECT_EQ(live.cuts, 2u);
  EXPECT_TRUE(std::isnan(live.mean_age));
  EXPECT_TRUE(std::isnan(live.sampling_entropy));
  EXPECT_EQ(live.never_replayed, 1);  // four rows came and went
  buffer.reset_diagnostics();
  live = buffer.diagnostics();
  EXPECT_EQ(live.feedback_stale + live.feedback_refused + live.cuts + live.rows_evicted, 0u);
}

TEST(LiveDiagnostics, ReadersCountForThemselvesAndCanBeSilent) {
  ReplayBuffer buffer({.observation = {1}, .action = {1}, .capacity = 40});
  ReplayReader other = buffer.add_reader("other", {}),
               silent = buffer.add_reader("silent", {.diagnostics = false});
  for (Index t = 0; t < 60; ++t) add(buffer, t);
  Batch batch = buffer.make_batch(8);
  other.sample(batch);
  silent.sample(batch);
  EXPECT_EQ(buffer.diagnostics().draws, 0u);
  EXPECT_EQ(other.diagnostics().draws, 8u);
  EXPECT_THROW(silent.diagnostics(), InvalidArgument);
  EXPECT_NO_THROW(silent.reset_diagnostics());
}

}  // namespace
}  // namespace mneme
