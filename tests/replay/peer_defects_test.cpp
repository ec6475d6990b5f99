// tests/replay/peer_defects_test.cpp - defects found in other replay buffers, each as a test of
// ours with a control that has the defect.
//
// D01, D04, D10, D11, D14 and D15 are in tests/priorities/peer_defects_test.cpp, D09 and D13 in
// tests/storage/peer_defects_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <thread>

#include "mneme/error.h"
#include "mneme/replay_buffer.h"
#include "support/chi_square.h"

namespace mneme {
namespace {

// Observation t leads to t + 1; action, reward and observation agree.
void add(ReplayBuffer& buffer, int t, Index stream = 0, bool truncated = false) {
  const std::vector<float> now{static_cast<float>(t)}, next{static_cast<float>(t + 1)};
  buffer.add({.stream = stream,
              .observation = now,
              .action = now,
              .reward = static_cast<float>(t),
              .next_observation = next,
              .truncated = truncated});
}

// Everything that can be drawn, by id.
std::map<std::uint64_t, std::array<float, 5>> contents(ReplayBuffer& buffer) {
  std::map<std::uint64_t, std::array<float, 5>> rows;
  Batch batch = buffer.make_batch(4000);
  buffer.sample(batch);
  for (std::size_t k = 0; k < batch.size; ++k)
    rows[batch.id[k]] = {batch.observation[k], batch.next_observation[k], batch.reward[k],
                         batch.discount[k], static_cast<float>(batch.horizon[k])};
  return rows;
}

// An inclusive upper bound of the draw gave one start too many, and to the first stream alone. Here
// each start of each stream has the same share; the false-alarm probability is 1e-6.
TEST(PeerDefects, D02TheNewestStartIsReachableInEveryStream) {
  constexpr Index kStreams = 3, kRows = 6, kStep = 2;
  constexpr std::size_t kStarts = (kRows - kStep + 1) * kStreams, kDraws = 60'000;
  ReplayBuffer buffer({.observation = {1},
                       .action = {1},
                       .capacity = kRows,
                       .streams = kStreams,
                       .n_step = kStep,
                       .seed = 2});
  for (int t = 0; t < 10; ++t)
    for (Index s = 0; s < kStreams; ++s) add(buffer, t, s);
  Batch batch = buffer.make_batch(kDraws);
  buffer.sample(batch);
  std::vector<double> counts(kStarts), defective(kStarts + 1);
  const std::vector<double> equal(kStarts, 1.0 / kStarts);
  for (std::size_t k = 0; k < kDraws; ++k)
    ++counts[static_cast<std::size_t>((kRows - 1 - batch.age[k]) * kStreams + batch.stream[k])];
  EXPECT_GT(test::chi_square_p(counts, equal), 1e-6);
  // Control: step = draw / streams and stream = draw % streams of a draw with 0 <= draw <= (size -
  // n) * streams.
  Rng rng(3);
  for (std::size_t k = 0; k < kDraws; ++k) ++defective[rng.below((kRows - kStep) * kStreams + 1)];
  defective.resize(kStarts);
  EXPECT_GT(defective[(kRows - kStep) * kStreams], 0);
  EXPECT_EQ(defective.back(), 0);
  EXPECT_LT(test::chi_square_p(defective, equal), 1e-6) << "control: no power";
}

// With a full ring the successor of the newest row was the oldest, and that of a truncated row the
// next episode's first. At every cursor position all rows must have their own.
TEST(PeerDefects, D03SuccessorsAtTheCursorAndAtTruncations) {
  ReplayBuffer buffer({.observation = {1}, .action = {1}, .capacity = 5});
  std::vector<int> history;
  int defective = 0;
  for (int step = 0, t = 0; step < 40; ++step) {
    const bool truncated = step % 4 == 3;
    add(buffer, t, 0, truncated);
    history.push_back(t);
    t = truncated ? t + 100 : t + 1;
    const auto rows = contents(buffer);
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(std::min(step + 1, 5)));
    for (const auto& [id, row] : rows) {
      EXPECT_EQ(row[1], row[0] + 1);
      // Control: the successor that the next slot of the ring would give.
      const std::size_t next = id + 1 < history.size() ? id + 1 : history.size() - rows.size();
      defective += static_cast<float>(history[next]) != row[0] + 1 ? 1 : 0;
    }
  }
  EXPECT_GT(defective, 40) << "control: no power";
}

// A prioritized buffer could not be constructed and ignored feedback. Each of ours can, and a row
// with a large error is drawn more often than before.
TEST(PeerDefects, D05PrioritizedBuffersExistAndObeyFeedback) {
  for (const char* sampler : {"per", "rank_per", "reaper"}) {
    ReplayBuffer buffer({.observation = {1}, .action = {1}, .capacity = 10, .sampler = sampler});
    for (int t = 0; t < 10; ++t) add(buffer, t);
    Batch batch = buffer.make_batch(2000);
    const auto share_of_row_3 = [&] {
      buffer.sample(batch);
      return static_cast<double>(std::count(batch.id.begin(), batch.id.end(), 3U)) / 2000;
    };
    const double before = share_of_row_3();
    const std::vector<std::uint64_t> ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::vector<float> errors(10, 0.01F);
    errors[3] = 100;
    EXPECT_EQ(buffer.update_priorities(ids, errors).applied, 10);
    EXPECT_NEAR(before, 0.1, 0.05) << "control: without feedback it is one of ten";
    EXPECT_GT(share_of_row_3(), 0.2) << sampler;
  }
}

// Sampling overwrote the flag at the cursor for a while. Between and after thousands of batches the
// rows are what they are in a buffer that was not sampled.
TEST(PeerDefects, D06ReadersWriteNothing) {
  const auto make = [] {
    return ReplayBuffer(
        {.observation = {1}, .action = {1}, .capacity = 9, .n_step = 3, .horizon = Horizon::clip});
  };
  ReplayBuffer sampled = make(), untouched = make(), altered = make();
  Batch batch = sampled.make_batch(64);
  SequenceBatch windows = sampled.make_sequences(16, 4, 2);
  for (int t = 0; t < 60; ++t) {
    const bool truncated = t % 7 == 6;
    add(sampled, t, 0, truncated);
    add(untouched, t, 0, truncated);
    // Control: the newest row's flag turned around, as it was in storage while a batch was built.
    add(altered, t, 0, t == 59 ? !truncated : truncated);
    for (int k = 0; k < 20; ++k) {
      sampled.sample(batch);
      sampled.sample(windows);
    }
  }
  for (ReplayBuffer* each : {&sampled, &untouched, &altered}) {
    // One more row shows what the flag of row 59 is.
    add(*each, 60);
  }
  EXPECT_EQ(contents(sampled), contents(untouched));
  EXPECT_NE(contents(altered), contents(untouched)) << "control: no power";
}

// A slot counted as stored before it was written. While a writer fills an empty buffer, a row that
// can be drawn is complete: nothing in it is the 0 of untouched memory.
TEST(PeerDefects, D07RowsAreSeenOnlyWhenWritten) {
  constexpr std::size_t kWidth = 32;
  const auto complete = [](const float* observation, const float* next, float action,
                           float reward) {
    bool good = observation[0] > 0;
    for (std::size_t i = 0; i < kWidth; ++i)
      good = good && observation[i] == observation[0] && next[i] == observation[0] + 1;
    return good && action == observation[0] && reward == observation[0];
  };
  std::size_t seen = 0, incomplete = 0;
  for (int round = 0; round < 20; ++round) {
    ReplayBuffer buffer({.observation = {kWidth},
                         .action = {1},
                         .capacity = 5'000,
                         .sampler = round % 2 == 0 ? "truncated_geometric:alpha=60" : "per"});
    const auto write = [&](int from, int to) {
      for (int t = from; t < to; ++t) {
        const std::vector<float> now(kWidth, static_cast<float>(t)),
            next(kWidth, static_cast<float>(t + 1));
        buffer.add({.observation = now,
                    .action = std::span<const float>(now).first(1),
                    .reward = static_cast<float>(t),
                    .next_observation = next});
      }
    };
    write(1, 2);
    std::thread writer(write, 2, 5'000);
    Batch batch = buffer.make_batch(64);
    while (buffer.size() < 4'990) {
      buffer.sample(batch);
      for (std::size_t k = 0; k < batch.size; ++k, ++seen)
        incomplete += !complete(&batch.observation[k * kWidth], &batch.next_observation[k * kWidth],
                                batch.action[k], batch.reward[k]);
    }
    writer.join();
    buffer.sample(batch);  // a writer that is gone keeps no reader waiting
  }
  EXPECT_GT(seen, 1000U);
  EXPECT_EQ(incomplete, 0U);
  const std::vector<float> untouched(kWidth);
  EXPECT_FALSE(complete(untouched.data(), untouched.data(), 0, 0)) << "control: no power";
}

// One NaN, or an infinite value, led to batches of a single row; an id out of range to a crash.
TEST(PeerDefects, D08BadPrioritiesAreRefusedAndCounted) {
  for (const char* sampler : {"per", "rank_per", "reaper"}) {
    const auto make = [&] {
      ReplayBuffer buffer({.observation = {1}, .action = {1}, .capacity = 16, .sampler = sampler});
      for (int t = 0; t < 16; ++t) add(buffer, t);
      return buffer;
    };
    ReplayBuffer buffer = make(), spared = make();
    const std::vector<std::uint64_t> ids{3, 4, 5, 6}, good_ids{6};
    const std::vector<float> errors{std::nanf(""), INFINITY, -INFINITY, -2}, good{-2};
    const FeedbackReport report = buffer.update_priorities(ids, errors);
    EXPECT_EQ(report.refused, 3);
    EXPECT_EQ(report.applied, 1);
    for (const std::uint64_t id : {std::uint64_t{16}, std::uint64_t{1} << 44, ~std::uint64_t{}}) {
      const std::vector<std::uint64_t> outside{id};
      EXPECT_THROW(buffer.update_priorities(outside, good), InvalidArgument);
    }
    spared.update_priorities(good_ids, good);
    Batch a = buffer.make_batch(512), b = spared.make_batch(512);
    buffer.sample(a);
    spared.sample(b);
    EXPECT_EQ(a.id, b.id) << sampler;
    EXPECT_EQ(a.weight, b.weight) << sampler;
    EXPECT_EQ(contents(buffer).size(), 16U) << sampler << ": rows have become unreachable";
    // Control: a value that is applied does change what is drawn.
    const std::vector<float> large{50, 50, 50, 50};
    spared.update_priorities(ids, large);
    buffer.sample(a);
    spared.sample(b);
    EXPECT_NE(a.id, b.id) << sampler;
  }
}

// Recency needed a list of N weights and failed above 2^24 of them. A closed form does not care: at
// 2^40 rows every index can come, the odd ones as often as the even ones.
TEST(PeerDefects, D12RecencyDoesNotDependOnSize) {
  constexpr Index kRows = Index{1} << 40;
  for (const char* spec : {"truncated_geometric:alpha=10", "linear", "uniform"}) {
    const auto sampler = make_sampler(spec);
    const BufferView view{.size = kRows, .capacity = kRows};
    Rng rng(12);
    std::vector<Index> drawn(100'000);
    sampler->sample(view, rng, drawn);
    double odd = 0, odd_in_f32 = 0, mean_age = 0;
    for (const Index index : drawn) {
      ASSERT_TRUE(index >= 0 && index < kRows);
      odd += static_cast<double>(index & 1);
      odd_in_f32 += static_cast<double>(static_cast<Index>(static_cast<float>(index)) & 1);
      mean_age += static_cast<double>(kRows - 1 - index) / 100'000;
    }
    EXPECT_NEAR(odd / 100'000, 0.5, 0.008) << spec;  // 5 standard deviations
    EXPECT_NEAR(mean_age / sampler->mean_age(view), 1, 0.02) << spec;
    EXPECT_LT(odd_in_f32 / 100'000, 0.4) << "control: with 24 bits most odd indices are lost";
  }
}

// floor(x) - 1 with a clip: the newest was never drawn, the oldest twice as often. For 10 rows and
// alpha 10 the newest has 0.537. The published form has a name of its own and is the control.
TEST(PeerDefects, D16NewestIndexIsDrawn) {
  const auto shares = [](const char* sampler) {
    ReplayBuffer buffer(
        {.observation = {1}, .action = {1}, .capacity = 10, .sampler = sampler, .seed = 16});
    for (int t = 0; t < 23; ++t) add(buffer, t);
    Batch batch = buffer.make_batch(200'000);
    buffer.sample(batch);
    std::vector<double> by_age(10);
    for (const Index age : batch.age) by_age[static_cast<std::size_t>(age)] += 1.0 / 200'000;
    return by_age;
  };
  const std::vector<double> right = shares("truncated_geometric:alpha=10"),
                            published = shares("truncated_geometric:alpha=10,form=paper_literal");
  EXPECT_NEAR(right[0], 0.5375, 0.006);  // 5 standard deviations
  EXPECT_NEAR(right[1] / right[0], std::exp2(-10.0 / 9), 0.01);
  EXPECT_NEAR(right[9] / right[0], std::exp2(-10.0), 0.0006);
  EXPECT_EQ(published[0], 0) << "control: no power";
}

}  // namespace
}  // namespace mneme
