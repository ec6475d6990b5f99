// tests/replay/rows_out_test.cpp - rows read back as they were stored, beside a writer too; what
// makes a row follow another.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "mneme/error.h"
#include "mneme/replay_buffer.h"

namespace mneme {
namespace {

// Observation t leads to observation t + 1; reward t + 1.
void add_step(ReplayBuffer& buffer, float observation, float next, bool terminated = false) {
  const std::vector<float> now{observation}, then{next}, action{0.5f};
  buffer.add({.observation = now,
              .action = action,
              .reward = observation + 1,
              .next_observation = then,
              .terminated = terminated});
}

ReplayConfig config_of(Index capacity) {
  return {.observation = {1}, .action = {1}, .capacity = capacity, .n_step = 3, .discount = 0.9};
}

TEST(RowsOut, AreSingleStepsInAgeOrder) {
  ReplayBuffer buffer(config_of(8));
  for (int t = 0; t < 11; ++t)
    add_step(buffer, static_cast<float>(t), static_cast<float>(t + 1), t == 6);
  EXPECT_EQ(buffer.added(), 11u);
  EXPECT_EQ(buffer.size(), 8);
  Batch rows = buffer.make_batch(4);
  std::vector<std::uint8_t> ends(4);
  buffer.read(0, 2, rows.view(), ends);
  EXPECT_EQ(rows.observation, (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ(rows.next_observation, (std::vector<float>{6, 7, 8, 9}));
  EXPECT_EQ(rows.reward, (std::vector<float>{6, 7, 8, 9}));  // not summed over n_step
  EXPECT_EQ(ends, (std::vector<std::uint8_t>{0, 1, 0, 0}));
}

TEST(RowsOut, MissingRowsAreRefused) {
  ReplayBuffer buffer(config_of(8));
  for (int t = 0; t < 5; ++t) add_step(buffer, static_cast<float>(t), static_cast<float>(t + 1));
  Batch rows = buffer.make_batch(2);
  EXPECT_THROW(buffer.read(0, -1, rows.view()), InvalidArgument);
  EXPECT_THROW(buffer.read(0, 4, rows.view()), InvalidArgument);
  EXPECT_THROW(buffer.read(1, 0, rows.view()), InvalidArgument);
  std::vector<std::uint8_t> ends(3);
  EXPECT_THROW(buffer.read(0, 0, rows.view(), ends), InvalidArgument);
  EXPECT_NO_THROW(buffer.read(0, 3, rows.view()));
}

// A writer on a full ring: what is read is consecutive, or the reader is told; it never hangs.
TEST(RowsOut, BesideAWriterRowsAreWholeOrRefused) {
  constexpr int kSteps = 200000;
  ReplayBuffer buffer(config_of(64));
  for (int t = 0; t < 64; ++t) add_step(buffer, static_cast<float>(t), static_cast<float>(t + 1));
  std::atomic<bool> over = false;
  const std::jthread writer([&] {
    for (int t = 64; t < kSteps; ++t)
      add_step(buffer, static_cast<float>(t), static_cast<float>(t + 1));
    over = true;
  });
  Batch rows = buffer.make_batch(64);
  long wrong = 0, whole = 0, refused = 0;
  while (!over || whole == 0) {
    try {
      buffer.read(0, 0, rows.view());
      ++whole;
      for (std::size_t k = 0; k < rows.size; ++k)
        wrong += rows.observation[k] != rows.observation[0] + static_cast<float>(k) ||
                 rows.reward[k] != rows.observation[k] + 1;
    } catch (const IoError&) {
      ++refused;
    }
  }
  EXPECT_EQ(wrong, 0) << whole << " reads whole, " << refused << " refused";
}

TEST(RowsOut, PositiveAndNegativeZeroAreEqual) {
  ReplayBuffer buffer(config_of(8));
  add_step(buffer, 1, -0.0f);
  add_step(buffer, 0.0f, 2);
  EXPECT_EQ(buffer.cuts(), 0u);
  add_step(buffer, 2.5f, 3);  // control: another number does not follow
  EXPECT_EQ(buffer.cuts(), 1u);
}

TEST(RowsOut, TrustedFlagsMakeRowsFollow) {
  ReplayBuffer buffer(config_of(8));
  buffer.trust_flags(true);
  add_step(buffer, 1, 2);
  add_step(buffer, 2.25f, 3);
  EXPECT_EQ(buffer.cuts(), 0u);
  Batch rows = buffer.make_batch(2);
  buffer.read(0, 0, rows.view());
  EXPECT_EQ(rows.observation, (std::vector<float>{1, 2}));  // the predecessor's next observation
}

}  // namespace
}  // namespace mneme
