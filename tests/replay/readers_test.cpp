// tests/replay/readers_test.cpp - several readers of the same rows: independent, saved and loaded,
// beside writers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "mneme/error.h"
#include "mneme/replay_buffer.h"
#include "replay/reader_impl.h"

namespace mneme {
namespace {

void add(ReplayBuffer& buffer, int t, Index stream = 0, bool terminated = false) {
  const float now[1]{static_cast<float>(t)}, next[1]{static_cast<float>(t + 1)}, action[1]{0};
  buffer.add({.stream = stream,
              .observation = now,
              .action = action,
              .next_observation = next,
              .terminated = terminated});
}

ReplayConfig config(const std::string& sampler = "uniform", Index capacity = 50) {
  return {.observation = {1},
          .action = {1},
          .capacity = capacity,
          .streams = 2,
          .sampler = sampler,
          .seed = 3};
}

void add_rows(ReplayBuffer& buffer, int from, int to) {
  for (int t = from; t < to; ++t)
    for (Index s = 0; s < 2; ++s) add(buffer, t, s, t % 9 == 8);
}

std::vector<std::uint64_t> ids_of(ReplayReader reader, std::size_t size = 64) {
  Batch batch = reader.make_batch(size);
  reader.sample(batch);
  return batch.id;
}

std::vector<std::uint64_t> distinct(std::vector<std::uint64_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

TEST(Readers, TheSameSeedGivesDifferentBatchesToDifferentNames) {
  ReplayBuffer buffer(config());
  add_rows(buffer, 0, 70);
  ReplayReader actor = buffer.add_reader("actor", {.seed = 3});
  ReplayReader critic = buffer.add_reader("critic", {.seed = 3});
  const auto own = ids_of(buffer.reader()), a = ids_of(actor), c = ids_of(critic);
  EXPECT_NE(own, a);
  EXPECT_NE(own, c);
  EXPECT_NE(a, c);

  // and the same name and seed the same ones, whichever other reader draws
  ReplayBuffer again(config());
  add_rows(again, 0, 70);
  ReplayReader same = again.add_reader("actor", {.seed = 3});
  for (int k = 0; k < 5; ++k) ids_of(again.reader());
  EXPECT_EQ(ids_of(same), a);
}

// The buffer's own batches are those of a buffer that has no other reader.
TEST(Readers, AnotherReaderDoesNotChangeTheBuffersOwn) {
  for (const char* sampler : {"truncated_geometric", "per", "ere"}) {
    ReplayBuffer alone(config(sampler)), shared(config(sampler));
    ReplayReader other = shared.add_reader("other", {.sampler = "per", .n_step = 3});
    for (int round = 0; round < 20; ++round) {
      add_rows(alone, 5 * round, 5 * round + 5);
      add_rows(shared, 5 * round, 5 * round + 5);
      const auto ids = ids_of(other);
      other.update_priorities(ids, std::vector<float>(ids.size(), 7.0f));
      const auto own = ids_of(alone.reader());
      EXPECT_EQ(ids_of(shared.reader()), own);
      const std::vector<float> td(own.size(), static_cast<float>(round));
      alone.update_priorities(own, td);
      shared.update_priorities(own, td);
    }
  }
}

TEST(Readers, EachKeepsItsOwnPriorities) {
  ReplayBuffer buffer(config("per:alpha=1,eps=0"));
  ReplayReader other = buffer.add_reader("other", {.sampler = "per:alpha=1,eps=0"});
  add_rows(buffer, 0, 10);
  std::vector<std::uint64_t> ids;
  std::vector<float> td;
  for (std::uint64_t q = 0; q < 10; ++q) {
    ids.push_back(q);
    td.push_back(q == 4 ? 1.0f : 0.0f);
  }
  EXPECT_EQ(other.update_priorities(ids, td).applied, 10);
  for (const std::uint64_t id : ids_of(other)) {
    EXPECT_TRUE(ReplayBuffer::stream_of(id) == 1 || id == 4) << id;
  }
  std::size_t elsewhere = 0;
  for (const std::uint64_t id : ids_of(buffer.reader()))
    elsewhere += ReplayBuffer::stream_of(id) == 0 && id != 4 ? 1 : 0;
  EXPECT_GT(elsewhere, 10u);
}

// A reader that comes late draws as if it had been there and heard nothing.
TEST(Readers, LateReaderKnowsTheStoredRows) {
  for (const char* sampler : {"per", "rank_per", "reaper", "recency_per"}) {
    for (const int rows : {3, 50, 60, 133}) {
      const SamplingConfig sampling{.sampler = sampler, .n_step = 3, .stack = 2, .seed = 1};
      ReplayBuffer early(config()), late(config());
      ReplayReader first = early.add_reader("r", sampling);
      add_rows(early, 0, rows);
      add_rows(late, 0, rows);
      ReplayReader second = late.add_reader("r", sampling);
      for (int round = 0; round < 12; ++round) {
        // Rows of equal rank come in the order they were met, so only what can be drawn is
        // compared.
        auto a = ids_of(first, 2000), b = ids_of(second, 2000);
        if (sampler == std::string("rank_per")) {
          a = distinct(a);
          b = distinct(b);
        }
        ASSERT_EQ(a, b) << sampler << " after " << rows;
        add_rows(early, rows + 5 * round, rows + 5 * round + 5);
        add_rows(late, rows + 5 * round, rows + 5 * round + 5);
      }
    }
  }
}

TEST(Readers, BadNamesAndConfigurationsAreRefused) {
  ReplayBuffer buffer(config());
  buffer.add_reader("actor", {});
  EXPECT_THROW(buffer.add_reader("actor", {}), InvalidArgument);
  EXPECT_THROW(buffer.add_reader("", {}), InvalidArgument);
  EXPECT_THROW(buffer.add_reader("b", {.sampler = "no_such"}), NotFound);
  EXPECT_THROW(buffer.add_reader("b", {.stream_policy = "weighted:1"}), InvalidArgument);
  EXPECT_THROW(buffer.add_reader("b", {.n_step = 51}), InvalidArgument);
  EXPECT_THROW(buffer.add_reader("b", {.stack = 0}), InvalidArgument);
  EXPECT_NO_THROW(buffer.add_reader("b", {}));
  EXPECT_EQ(buffer.reader("actor").name(), "actor");
  try {
    buffer.reader("actro");
    FAIL() << "an unknown reader was found";
  } catch (const NotFound& error) {
    EXPECT_NE(std::string(error.what()).find("actor"), std::string::npos) << error.what();
  }
}

TEST(Readers, HandleOutlivesItsBuffer) {
  auto buffer = std::make_unique<ReplayBuffer>(config());
  add_rows(*buffer, 0, 20);
  ReplayReader reader = buffer->reader();
  buffer.reset();
  EXPECT_EQ(ids_of(reader).size(), 64u);
}

// A store with rows, without a buffer around it.
struct Rows {
  explicit Rows(const SamplingConfig& sampling)
      : store(RowLayout({1}, {1}, {}), 2, 40), reader("r", sampling, store) {
    reader.take_stored_rows();
  }
  void append(int from, int to) {
    std::vector<std::byte> side(store.layout().side_stride);
    for (int t = from; t < to; ++t)
      for (Index s = 0; s < 2; ++s) {
        const float now = static_cast<float>(t), next = now + 1;
        const End end = t % 9 == 8 ? End::terminated : End::none;
        const auto done = store.append(s, {&now, &next, side.data(), end});
        reader.on_append(s, done.sequence, done.oldest, end != End::none, done.cut);
      }
  }
  Batch sample() {
    Batch batch = reader.make_batch(32);
    reader.sample(batch);
    return batch;
  }
  void feed(const Batch& batch) {
    std::vector<float> td;
    for (const std::uint64_t id : batch.id) td.push_back(static_cast<float>(id % 7) / 3);
    reader.update_priorities(batch.id, td);
  }
  StreamStore store;
  ReplayReader::Impl reader;
};

TEST(Readers, SavedAndLoadedTheNextBatchesAreTheSame) {
  for (const char* sampler :
       {"uniform", "truncated_geometric", "ere", "per", "rank_per", "reaper", "recency_per"})
    for (const char* policy : {"uniform", "equal_share", "weighted:1,3"}) {
      const SamplingConfig sampling{
          .sampler = sampler, .stream_policy = policy, .n_step = 2, .seed = 9};
      SamplingConfig other_seed = sampling;
      other_seed.seed = 10;  // the state carries the generators
      Rows one(sampling), two(other_seed);
      one.append(0, 55);
      two.append(0, 55);
      one.reader.set_progress(0.25);
      for (int k = 0; k < 5; ++k) one.feed(one.sample());
      ByteWriter out;
      one.reader.save(out);
      ByteReader in(out.bytes());
      two.reader.load(in);
      EXPECT_EQ(in.left(), 0u);
      for (int k = 0; k < 5; ++k) {
        const Batch a = one.sample(), b = two.sample();
        ASSERT_EQ(a.id, b.id) << sampler << ' ' << policy;
        ASSERT_EQ(a.weight, b.weight);
        one.feed(a);
        two.feed(b);
        one.append(55 + 3 * k, 58 + 3 * k);
        two.append(55 + 3 * k, 58 + 3 * k);
      }
    }
}

TEST(Readers, MismatchedStateIsRefusedAndNothingChanges) {
  const SamplingConfig sampling{.sampler = "per", .seed = 9};
  Rows one(sampling), untouched(sampling);
  one.append(0, 30);
  untouched.append(0, 30);
  ByteWriter out;
  one.reader.save(out);
  const auto expect_unchanged = [&] { EXPECT_EQ(one.sample().id, untouched.sample().id); };

  for (std::size_t length = 0; length < out.bytes().size(); length += 13) {
    ByteReader in(std::span(out.bytes()).first(length));
    EXPECT_THROW(one.reader.load(in), CorruptData) << length;
  }
  expect_unchanged();
  for (const std::size_t flipped : {std::size_t{0}, std::size_t{9}, std::size_t{20}}) {
    std::vector<std::byte> bytes = out.bytes();
    bytes[flipped] ^= std::byte{0x55};
    ByteReader in(bytes);
    EXPECT_THROW(one.reader.load(in), Error) << flipped;
  }
  expect_unchanged();

  // other spec, other rows
  Rows other({.sampler = "per:alpha=0.5"}), fewer(sampling);
  other.append(0, 30);
  fewer.append(0, 29);
  ByteWriter of_other, of_fewer;
  other.reader.save(of_other);
  fewer.reader.save(of_fewer);
  ByteReader in_other(of_other.bytes()), in_fewer(of_fewer.bytes());
  EXPECT_THROW(one.reader.load(in_other), InvalidArgument);
  EXPECT_THROW(one.reader.load(in_fewer), InvalidArgument);
  expect_unchanged();
}

// Writers, readers with and without priorities, feedback, and a reader that comes late: all at
// once. Every row must still lead where it led.
TEST(Readers, ManyThreadsOneBuffer) {
  ReplayBuffer buffer({.observation = {6},
                       .action = {1},
                       .capacity = 64,
                       .streams = 2,
                       .sampler = "per",
                       .n_step = 2,
                       .fields = {{"twice", {{3}, DType::f16}}}});
  std::atomic<bool> stop{false};
  const auto write = [&](Index stream, int steps) {
    std::vector<float> now(6), next(6), twice(3);
    const float action[1]{0};
    for (int t = 0; steps == 0 ? !stop.load() : t < steps; ++t) {
      std::fill(now.begin(), now.end(), static_cast<float>(t % 1000));
      std::fill(next.begin(), next.end(), static_cast<float>((t + 1) % 1000));
      std::fill(twice.begin(), twice.end(), static_cast<float>(t % 1000));
      buffer.add({.stream = stream,
                  .observation = now,
                  .action = action,
                  .next_observation = next,
                  .truncated = t % 37 == 36,
                  .fields = {twice}});
    }
  };
  for (Index s = 0; s < 2; ++s) write(s, 200);
  buffer.add_reader("critic", {.sampler = "uniform", .n_step = 3});
  std::atomic<std::size_t> wrong{0};
  const auto read = [&](const char* name, int rounds) {
    ReplayReader reader = buffer.reader(name);
    Batch batch = reader.make_batch(64);
    SequenceBatch windows = reader.make_sequences(8, 5, 3);
    for (int round = 0; round < rounds; ++round) {
      reader.sample(batch);
      for (std::size_t k = 0; k < batch.size; ++k) {
        const float *row = &batch.observation[k * 6], *next = &batch.next_observation[k * 6];
        for (std::size_t i = 0; i < 6; ++i)
          wrong += (row[i] != row[0] ? 1u : 0u) + (next[i] != next[0] ? 1u : 0u);
        wrong += batch.fields[0][k * 3 + 2] != row[0] ? 1u : 0u;
        wrong += std::fmod(row[0] + static_cast<float>(batch.horizon[k]), 1e3f) != next[0] ? 1 : 0;
      }
      reader.sample(windows);
      for (std::size_t k = 0; k < 64; ++k)
        if (windows.valid[k] && k % 8 > 0 && windows.valid[k - 1])
          wrong += std::fmod(windows.observation[6 * k - 1] + 1, 1e3f) != windows.observation[6 * k]
                       ? 1
                       : 0;
      reader.update_priorities(batch.id, std::vector<float>(64, 0.5f));
    }
  };
  std::vector<std::thread> writers, readers;
  for (Index s = 0; s < 2; ++s) writers.emplace_back(write, s, 0);
  for (const char* name : {"", "critic", ""}) readers.emplace_back(read, name, 300);
  buffer.add_reader("late", {.sampler = "reaper", .stack = 2});
  std::thread late([&] {
    ReplayReader reader = buffer.reader("late");
    Batch batch = reader.make_batch(64);
    for (int round = 0; round < 100; ++round) reader.sample(batch);
  });
  for (std::thread& reader : readers) reader.join();
  late.join();
  stop = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(wrong.load(), 0u);
}

}  // namespace
}  // namespace mneme
