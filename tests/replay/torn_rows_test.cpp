// tests/replay/torn_rows_test.cpp - four writers overwrite small rings as fast as they can while
// rows are read: no row may be a mixture of two.
//
// Every observation carries a checksum over its own numbers; stream, step and checksum of a row and
// of its successor must fit. Two threads read at the same time, each with a reader of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "mneme/replay_buffer.h"

namespace mneme {
namespace {

constexpr std::size_t kWidth = 24;
constexpr Index kStreams = 4, kCapacity = 48;
constexpr std::uint32_t kSteps = 1 << 20;  // step numbers are exact as floats

// FNV-1a over the numbers before the last, 20 bits of it.
float checksum(const float* row) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (std::size_t i = 0; i + 1 < kWidth; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, row + i, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ULL;
  }
  return static_cast<float>(hash >> 44);
}

void fill(float* row, Index stream, std::uint32_t step) {
  row[0] = static_cast<float>(stream);
  for (std::size_t i = 1; i + 1 < kWidth; ++i)
    row[i] = static_cast<float>((step * (2 * static_cast<std::uint32_t>(i) - 1)) % kSteps);
  row[kWidth - 1] = checksum(row);
}

bool is_whole(const float* row) { return row[kWidth - 1] == checksum(row); }

struct Seen {
  std::uint64_t rows = 0, torn = 0, wrong = 0;
};

void check(const Batch& batch, Seen& seen) {
  for (std::size_t k = 0; k < batch.size; ++k, ++seen.rows) {
    const float* row = &batch.observation[k * kWidth];
    const float* next = &batch.next_observation[k * kWidth];
    seen.torn += (is_whole(row) ? 0U : 1U) + (is_whole(next) ? 0U : 1U);
    // what belongs together: stream, step, the successor `horizon` steps on, action and reward
    const auto step = static_cast<std::uint32_t>(row[1]);
    const auto after = (step + static_cast<std::uint32_t>(batch.horizon[k])) % kSteps;
    seen.wrong += row[0] != static_cast<float>(batch.stream[k]) || next[0] != row[0] ||
                  next[1] != static_cast<float>(after) || batch.action[k] != row[1];
  }
}

Seen read_while_writing(std::uint64_t rows, const char* sampler) {
  ReplayBuffer buffer({.observation = {kWidth},
                       .action = {1},
                       .capacity = kCapacity,
                       .streams = kStreams,
                       .sampler = sampler,
                       .n_step = 2});
  std::atomic<bool> stop{false};
  const auto write = [&](Index stream, std::uint32_t from, std::uint32_t steps) {
    std::vector<float> now(kWidth), next(kWidth);
    for (std::uint32_t t = from; steps > 0 ? t < from + steps : !stop.load(); ++t) {
      fill(now.data(), stream, t);
      fill(next.data(), stream, t + 1);
      buffer.add({.stream = stream,
                  .observation = now,
                  .action = std::span<const float>(now).subspan(1, 1),
                  .reward = 1,
                  .next_observation = next,
                  .terminated = t % 41 == 40,
                  .truncated = t % 29 == 28});
      if (t % 67 == 66) buffer.cut(stream);
      if (t % 53 == 52) t += 3;  // a reset without notice
    }
  };
  for (Index s = 0; s < kStreams; ++s) write(s, 0, 100);
  std::vector<std::thread> threads;
  for (Index s = 0; s < kStreams; ++s) threads.emplace_back(write, s, 200, 0);
  std::array<Seen, 2> seen;
  const auto read = [&](ReplayReader reader, Seen& own) {
    Batch batch = reader.make_batch(256);
    while (own.rows < rows / 2) {
      reader.sample(batch);
      check(batch, own);
    }
  };
  ReplayReader second = buffer.add_reader("second", {.sampler = sampler, .n_step = 3});
  std::thread other(read, second, std::ref(seen[1]));
  read(buffer.reader(), seen[0]);
  other.join();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return {seen[0].rows + seen[1].rows, seen[0].torn + seen[1].torn, seen[0].wrong + seen[1].wrong};
}

void expect_whole(std::uint64_t rows, const char* sampler) {
  const Seen seen = read_while_writing(rows, sampler);
  EXPECT_GE(seen.rows, rows);
  EXPECT_EQ(seen.torn, 0U) << sampler;
  EXPECT_EQ(seen.wrong, 0U) << sampler;
}

TEST(TornRows, NoneWithFourWritersAndTwoReaders) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::uint64_t kRows = 100'000;
#else
  constexpr std::uint64_t kRows = 2'000'000;
#endif
  expect_whole(kRows, "uniform");
  expect_whole(kRows / 10, "per");
}

TEST(TornRowsSlow, NoneInAHundredMillionReads) { expect_whole(100'000'000, "uniform"); }

// Power: a row whose second half is of another step does not pass, and a whole row beside the wrong
// successor does not either.
TEST(TornRows, PlantedTornRowIsDetected) {
  ReplayBuffer buffer({.observation = {kWidth}, .action = {1}});
  Batch batch = buffer.make_batch(1);
  const auto put = [&](std::uint32_t step, std::uint32_t successor) {
    fill(batch.observation.data(), 0, step);
    fill(batch.next_observation.data(), 0, successor);
    batch.action[0] = batch.observation[1];
    batch.horizon[0] = 1;
    batch.stream[0] = 0;
  };
  Seen seen;
  put(7, 8);
  check(batch, seen);
  EXPECT_EQ(seen.torn + seen.wrong, 0U);
  put(7, 48 + 8);
  check(batch, seen);
  EXPECT_EQ(seen.wrong, 1U);
  int missed = 0;
  for (std::uint32_t step = 0; step < 1000; ++step) {
    put(step, step + 1);
    std::vector<float> later(kWidth);
    fill(later.data(), 0, step + kCapacity);
    std::copy(later.begin() + 12, later.end(), batch.observation.begin() + 12);
    Seen mixed;
    check(batch, mixed);
    missed += mixed.torn == 0 ? 1 : 0;
  }
  EXPECT_LE(missed, 1);  // of 1000: a checksum of 20 bits lets one in a million through
}

}  // namespace
}  // namespace mneme
