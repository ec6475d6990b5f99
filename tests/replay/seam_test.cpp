// tests/replay/seam_test.cpp - no row is ever served that did not happen.
#include <gtest/gtest.h>

#include <vector>

#include "replay/seam_check.h"

namespace mneme {
namespace {

void expect_no_wrong_row(const SeamSettings& settings) {
  const SeamReport report = check_seams(settings);
  EXPECT_EQ(report.wrong, 0) << report.first_wrong << " (capacity " << settings.capacity
                             << ", n_step " << settings.n_step << ", stack " << settings.stack
                             << ", " << settings.sampler << ")";
  EXPECT_GE(report.rows, settings.rows);
  EXPECT_GT(report.silent_resets, 0);
}

TEST(Seams, EveryHorizonAndCapacity) {
  for (const Index capacity : {Index{8}, Index{13}, Index{101}, Index{1000}}) {
    for (Index n_step = 1; n_step <= 8; ++n_step) {
      for (const Horizon horizon : {Horizon::full, Horizon::clip})
        expect_no_wrong_row({.rows = 20'000,
                             .capacity = capacity,
                             .n_step = n_step,
                             .horizon = horizon,
                             .seed = static_cast<std::uint64_t>(n_step)});
    }
  }
}

TEST(Seams, StacksAndSequences) {
  for (const Index stack : {1, 2, 4, 7}) {
    for (const bool sequences : {false, true})
      expect_no_wrong_row({.rows = 60'000,
                           .capacity = 37,
                           .n_step = sequences ? 1 : 3,
                           .stack = stack,
                           .sequences = sequences});
  }
}

TEST(Seams, EverySamplerAndPolicy) {
  for (const SamplerInfo* info : registered_samplers()) {
    for (const char* policy : {"uniform", "equal_share", "weighted:1,2,0.5"})
      expect_no_wrong_row({.rows = 20'000,
                           .capacity = 53,
                           .sampler = std::string(info->examples[0]),
                           .stream_policy = policy});
  }
}

TEST(Seams, PrioritizedSamplers) {
  for (const char* sampler : {"per", "rank_per", "reaper", "recency_per",
                              "per:alpha=0.3,draws=independent", "recency_per:recency=3,alpha=0"}) {
    expect_no_wrong_row(
        {.rows = 40'000, .capacity = 53, .n_step = 3, .stack = 2, .sampler = sampler});
    expect_no_wrong_row({.rows = 20'000,
                         .capacity = 7,
                         .n_step = 2,
                         .horizon = Horizon::clip,
                         .sampler = sampler,
                         .stream_policy = "equal_share"});
  }
}

TEST(Seams, ShortEpisodesAndTinyRings) {
  expect_no_wrong_row(
      {.rows = 50'000, .streams = 1, .capacity = 2, .n_step = 1, .mean_length = 1.5});
  expect_no_wrong_row({.rows = 50'000,
                       .streams = 1,
                       .capacity = 1,
                       .n_step = 1,
                       .sampler = "uniform",
                       .mean_length = 2});
  expect_no_wrong_row(
      {.rows = 50'000, .streams = 2, .capacity = 3, .n_step = 3, .mean_length = 0.7});
  expect_no_wrong_row({.rows = 50'000,
                       .streams = 4,
                       .capacity = 17,
                       .n_step = 5,
                       .horizon = Horizon::clip,
                       .mean_length = 300});
}

// Power: a buffer that takes the next slot for the successor is found out, in about one row per
// episode.
TEST(Seams, NaiveRingIsDetected) {
  const SeamReport report = check_seams({.rows = 20'000, .n_step = 1, .naive_ring = true});
  EXPECT_GT(report.wrong, report.rows / 30);
  EXPECT_NE(report.first_wrong.find("successor"), std::string::npos) << report.first_wrong;
}

// Rows in the numbers that were promised, spread over windows, stacks, sequences and samplers.
void expect_none_of(Index rows) {
  std::vector<SeamSettings> cases;
  for (const char* sampler : {"uniform", "truncated_geometric:alpha=10", "per"}) {
    for (Index n_step = 1; n_step <= 8; ++n_step) {
      const Index capacity = 17 + 31 * n_step;
      cases.push_back({.capacity = capacity, .n_step = n_step, .sampler = sampler});
      cases.push_back({.streams = 7,
                       .capacity = capacity,
                       .n_step = n_step,
                       .stack = 1 + n_step % 4,
                       .horizon = Horizon::clip,
                       .sampler = sampler,
                       .stream_policy = "equal_share"});
    }
    cases.push_back({.capacity = 83, .n_step = 1, .sampler = sampler, .sequences = true});
  }
  Index compared = 0;
  for (SeamSettings& settings : cases) {
    settings.rows = rows / static_cast<Index>(cases.size()) + 1;
    settings.seed = static_cast<std::uint64_t>(compared);
    expect_no_wrong_row(settings);
    compared += settings.rows;
  }
  EXPECT_GE(compared, rows);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr Index kMany = 2'000'000;
#else
constexpr Index kMany = 10'000'000;
#endif

TEST(Seams, TenMillionRows) { expect_none_of(kMany); }
TEST(SeamsSlow, AHundredMillionRows) { expect_none_of(10 * kMany); }

}  // namespace
}  // namespace mneme
