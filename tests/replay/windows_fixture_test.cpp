// tests/replay/windows_fixture_test.cpp - n-step windows of FastTD3's buffer with its seam
// repaired: one stream of 8, n = 3, discount 0.9, the reward in slot s is s + 1.
//
// The published code sums over the seam from the newest to the oldest row (5.23 instead of 2.8),
// and does not bootstrap where the newest row is a time-out. Each row of the table names its case.
#include <gtest/gtest.h>

#include <optional>

#include "mneme/replay_buffer.h"

namespace mneme {
namespace {

enum class Flag { none, terminated, truncated };

struct WindowCase {
  const char* name;
  int rows;   // vector steps ever written
  Flag flag;  // of the row in `flag_slot`
  int flag_slot;
  int start;      // slot
  double reward;  // the sum
  int horizon;
  int end;          // slot of the last step taken
  double discount;  // of the bootstrap value: discount^horizon, or 0
};
void PrintTo(const WindowCase& c, std::ostream* out) { *out << c.name; }

constexpr int kCapacity = 8;

const WindowCase kCases[] = {
    {"Plain", 7, Flag::none, 0, 0, 5.23, 3, 2, 0.729},
    {"Termination", 7, Flag::terminated, 3, 2, 6.6, 2, 3, 0},
    {"TimeOut", 7, Flag::truncated, 3, 2, 6.6, 2, 3, 0.81},
    {"Seam", 10, Flag::none, 0, 0, 2.8, 2, 1, 0.81},
    {"SeamWithATimeOutAsNewest", 10, Flag::truncated, 1, 0, 2.8, 2, 1, 0.81},
};

// Step t goes into slot t mod 8 with observation t. The flag belongs to the last row in its slot.
ReplayBuffer filled(const WindowCase& c, Horizon horizon) {
  ReplayBuffer buffer({.observation = {1},
                       .action = {1},
                       .capacity = kCapacity,
                       .n_step = 3,
                       .discount = 0.9,
                       .horizon = horizon});
  const std::vector<float> action{0};
  for (int t = 0; t < c.rows; ++t) {
    const std::vector<float> now{static_cast<float>(t)}, next{static_cast<float>(t + 1)};
    const bool ends = t % kCapacity == c.flag_slot && t + kCapacity >= c.rows;
    buffer.add({.observation = now,
                .action = action,
                .reward = static_cast<float>(t % kCapacity + 1),
                .next_observation = next,
                .terminated = ends && c.flag == Flag::terminated,
                .truncated = ends && c.flag == Flag::truncated});
  }
  return buffer;
}

int step_in(const WindowCase& c, int slot) {
  int step = slot;
  while (step + kCapacity < c.rows) step += kCapacity;
  return step;
}

struct Found {
  float reward, discount, next;
  int horizon;
  Index age;
};
std::optional<Found> window_at(ReplayBuffer& buffer, int step) {
  Batch batch = buffer.make_batch(1000);
  buffer.sample(batch);
  for (std::size_t k = 0; k < batch.size; ++k) {
    if (ReplayBuffer::sequence_of(batch.id[k]) == static_cast<std::uint64_t>(step))
      return Found{batch.reward[k], batch.discount[k], batch.next_observation[k], batch.horizon[k],
                   batch.age[k]};
  }
  return std::nullopt;
}

class FastTd3Windows : public testing::TestWithParam<WindowCase> {};

TEST_P(FastTd3Windows, Clip) {
  const WindowCase& c = GetParam();
  ReplayBuffer buffer = filled(c, Horizon::clip);
  const int start = step_in(c, c.start);
  const std::optional<Found> found = window_at(buffer, start);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->reward, c.reward, 1e-6 * c.reward);  // one rounding to float
  EXPECT_EQ(found->horizon, c.horizon);
  EXPECT_EQ(found->next, static_cast<float>(step_in(c, c.end) + 1));
  EXPECT_NEAR(found->discount, c.discount, 1e-7);
  EXPECT_EQ(found->age, c.rows - 1 - start);
}

// With full windows only, the starts at the seam are not drawn, and the others are the same.
TEST_P(FastTd3Windows, Full) {
  const WindowCase& c = GetParam();
  ReplayBuffer buffer = filled(c, Horizon::full);
  const int start = step_in(c, c.start);
  const std::optional<Found> found = window_at(buffer, start);
  ASSERT_EQ(found.has_value(), start + 3 <= c.rows);
  if (!found) return;
  EXPECT_NEAR(found->reward, c.reward, 1e-6 * c.reward);
  EXPECT_EQ(found->horizon, c.horizon);
  EXPECT_EQ(found->next, static_cast<float>(step_in(c, c.end) + 1));
  EXPECT_NEAR(found->discount, c.discount, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(F2, FastTd3Windows, testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

// Ten steps in a ring of eight: indices 0 .. 7 are steps 2 .. 9, in slots 2 .. 7, 0, 1.
TEST(FastTd3WindowMap, IndicesSlotsAndSteps) {
  ReplayBuffer buffer = filled(kCases[3], Horizon::clip);
  Batch batch = buffer.make_batch(1000);
  buffer.sample(batch);
  std::vector<int> slots(kCapacity, -1);
  for (std::size_t k = 0; k < batch.size; ++k) {
    const auto index = static_cast<std::size_t>(kCapacity - 1 - batch.age[k]);
    EXPECT_EQ(batch.observation[k], static_cast<float>(index + 2));
    slots[index] = static_cast<int>(batch.observation[k]) % kCapacity;
  }
  EXPECT_EQ(slots, (std::vector<int>{2, 3, 4, 5, 6, 7, 0, 1}));
}

}  // namespace
}  // namespace mneme
