// tests/replay/prefetch_test.cpp - drawing ahead changes when batches are drawn, not which.
#include "mneme/prefetch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "mneme/error.h"
#include "mneme/replay_buffer.h"

namespace mneme {
namespace {

void add(ReplayBuffer& buffer, Index t) {
  const float f = static_cast<float>(t % 1000), g = static_cast<float>((t + 1) % 1000);
  const float now[3]{f, f, f}, next[3]{g, g, g}, action[1]{0};
  buffer.add({.observation = now, .action = action, .next_observation = next});
}

ReplayBuffer filled(const std::string& sampler, Index rows = 80) {
  ReplayBuffer buffer(
      {.observation = {3}, .action = {1}, .capacity = 100, .sampler = sampler, .seed = 4});
  for (Index t = 0; t < rows; ++t) add(buffer, t);
  return buffer;
}

TEST(Prefetch, TheSameBatchesInTheSameOrder) {
  for (const char* sampler : {"uniform", "ere:cycle=7", "per"})
    for (const std::size_t depth : {1u, 2u, 5u}) {
      ReplayBuffer plain = filled(sampler), ahead = filled(sampler);
      Batch batch = plain.make_batch(16);
      Prefetcher batches(ahead.reader(), 16, depth);
      for (int k = 0; k < 50; ++k) {
        plain.sample(batch);
        const Batch& next = batches.next();
        ASSERT_EQ(next.id, batch.id) << sampler << ' ' << k;
        ASSERT_EQ(next.observation, batch.observation);
        ASSERT_EQ(next.weight, batch.weight);
      }
    }
}

// After a rewind the reader stands where the caller stands, generators and diagnostics alike.
TEST(Prefetch, RewindGoesBackToWhereTheCallerIs) {
  for (const char* sampler : {"uniform", "ere:cycle=7", "per"}) {
    ReplayBuffer plain = filled(sampler), ahead = filled(sampler);
    Batch batch = plain.make_batch(16);
    {
      Prefetcher batches(ahead.reader(), 16, 3);
      for (int k = 0; k < 40; ++k) {
        plain.sample(batch);
        const Batch& next = batches.next();
        ASSERT_EQ(next.id, batch.id);
        if (k % 5 == 0) {
          batches.rewind();
          EXPECT_EQ(next.id, batch.id);  // what the caller holds stays
          const LiveDiagnostics a = plain.diagnostics(), b = ahead.diagnostics();
          EXPECT_EQ(a.draws, b.draws);
          EXPECT_EQ(a.age_histogram, b.age_histogram);
          EXPECT_EQ(a.mean_age, b.mean_age);
          EXPECT_EQ(a.unique_share, b.unique_share);
          for (Index t = 0; t < 3; ++t) {
            add(plain, 80 + 3 * k + t);
            add(ahead, 80 + 3 * k + t);
          }
          const std::vector<float> td(16, static_cast<float>(k));
          plain.update_priorities(batch.id, td);
          ahead.update_priorities(batch.id, td);
        }
      }
    }
    // and so does the reader when the prefetcher is gone, with what it counted of single rows
    Batch other = ahead.make_batch(16);
    plain.sample(batch);
    ahead.sample(other);
    EXPECT_EQ(batch.id, other.id);
    for (Index t = 0; t < 150; ++t) {
      add(plain, 500 + t);
      add(ahead, 500 + t);
    }
    EXPECT_EQ(plain.diagnostics().replay_histogram, ahead.diagnostics().replay_histogram);
  }
}

// An empty buffer says so, and once it has rows the same prefetcher works.
TEST(Prefetch, EmptyBufferSaysWhatItLacks) {
  ReplayBuffer buffer = filled("per", 0);
  Prefetcher batches(buffer.reader(), 8);
  for (int k = 0; k < 3; ++k) {
    try {
      batches.next();
      FAIL() << "a batch of an empty buffer";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("add more before sampling"), std::string::npos);
    }
  }
  for (Index t = 0; t < 10; ++t) add(buffer, t);
  EXPECT_EQ(batches.next().size, 8u);
}

// Memory of the caller: the same batches, in the types asked for; what is handed over stays as it
// is.
TEST(Prefetch, IntoMemoryOfTheCaller) {
  struct Memory {
    std::vector<double> observation = std::vector<double>(16 * 3);
    std::vector<std::uint64_t> id = std::vector<std::uint64_t>(16);
    std::vector<Index> age = std::vector<Index>(16);
    BatchView view() {
      return {.size = 16, .observation = std::span<double>(observation), .id = id, .age = age};
    }
  };
  ReplayBuffer plain = filled("per"), ahead = filled("per");
  Batch batch = plain.make_batch(16);
  std::vector<Memory> memory(40);
  {
    Prefetcher batches(ahead.reader(), {memory[0].view(), memory[1].view(), memory[2].view()});
    std::vector<std::vector<std::uint64_t>> ids;
    for (std::size_t k = 0; k < 37; ++k) {
      plain.sample(batch);
      const BatchView got = batches.exchange(memory[k + 3].view());
      ASSERT_TRUE(std::equal(got.id.begin(), got.id.end(), batch.id.begin())) << k;
      const auto* numbers = static_cast<const double*>(got.observation.data());
      ASSERT_TRUE(std::equal(numbers, numbers + 48, batch.observation.begin()));
      ids.push_back(batch.id);
      if (k % 10 == 9) batches.rewind();
    }
    // every batch had memory of its own, and none was written again
    std::size_t found = 0;
    for (const Memory& each : memory)
      found += static_cast<std::size_t>(std::count(ids.begin(), ids.end(), each.id));
    EXPECT_EQ(found, 37u);
    Memory odd;
    odd.id.resize(15);
    EXPECT_THROW(batches.exchange(odd.view()), InvalidArgument);
    BatchView no_ids = memory[0].view();
    no_ids.id = {};
    EXPECT_THROW(batches.exchange(no_ids), InvalidArgument);
    EXPECT_THROW(batches.next(), InvalidArgument);
    EXPECT_THROW(Prefetcher(ahead.reader(), {memory[0].view()}), InvalidArgument);
    EXPECT_THROW(Prefetcher(ahead.reader(), {no_ids, no_ids}), InvalidArgument);
  }
  Batch other = ahead.make_batch(16);
  plain.sample(batch);
  ahead.sample(other);
  EXPECT_EQ(batch.id, other.id);
}

TEST(Prefetch, BadSizesAreRefused) {
  ReplayBuffer buffer = filled("uniform");
  EXPECT_THROW(Prefetcher(buffer.reader(), 0), InvalidArgument);
  EXPECT_THROW(Prefetcher(buffer.reader(), 8, 0), InvalidArgument);
}

// Ends at any moment: while full, while drawing, without a batch ever taken; also after its buffer.
TEST(Prefetch, StopsAtAnyMoment) {
  for (int k = 0; k < 200; ++k) {
    ReplayBuffer buffer = filled("truncated_geometric");
    Prefetcher batches(buffer.reader(), 64, 4);
    for (int n = 0; n < k % 4; ++n) batches.next();
    if (k % 3 == 0) std::this_thread::yield();
  }
  auto buffer = std::make_unique<ReplayBuffer>(filled("per"));
  Prefetcher batches(buffer->reader(), 64, 4);
  buffer.reset();
  EXPECT_EQ(batches.next().size, 64u);
}

TEST(Prefetch, WithWritersAndFeedback) {
  ReplayBuffer buffer = filled("per");
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (Index t = 80; !stop; ++t) add(buffer, t);
  });
  Prefetcher batches(buffer.reader(), 32);
  std::size_t wrong = 0;
  Index applied = 0, known = 0;
  for (int round = 0; round < 2000; ++round) {
    const Batch& batch = batches.next();
    for (std::size_t k = 0; k < batch.size; ++k) {
      const float *row = &batch.observation[3 * k], *next = &batch.next_observation[3 * k];
      wrong += row[0] != row[2] || next[0] != next[2] ? 1 : 0;
      wrong += std::fmod(row[0] + 1, 1000.0f) != next[0] ? 1 : 0;
    }
    const FeedbackReport report =
        buffer.update_priorities(batch.id, std::vector<float>(batch.size, 1.5f));
    applied += report.applied;
    known += report.applied + report.stale;
    if (round % 100 == 0) batches.rewind();
  }
  stop = true;
  writer.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(known, 2000 * 32);
  EXPECT_GT(applied, 0);
}

}  // namespace
}  // namespace mneme
