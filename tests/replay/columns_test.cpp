// tests/replay/columns_test.cpp - rows in the caller's memory, in the types asked for.
#include <gtest/gtest.h>

#include <cstring>

#include "mneme/error.h"
#include "mneme/replay_buffer.h"

namespace mneme {
namespace {

const std::vector<DType> kTypes{DType::f32, DType::f64, DType::f16, DType::bf16,
                                DType::u8,  DType::i32, DType::i64};

// Numbers that every type holds exactly; handed in as doubles or as they are stored.
void put(DType type, std::vector<std::byte>& bytes, const std::vector<int>& numbers) {
  bytes.assign(numbers.size() * size_of(type), std::byte{0});
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const float number = static_cast<float>(numbers[k]);
    std::byte* to = bytes.data() + k * size_of(type);
    const auto as = [&](auto value) { std::memcpy(to, &value, sizeof value); };
    std::uint32_t bits;
    std::memcpy(&bits, &number, 4);
    switch (type) {
      case DType::f32:
        as(number);
        break;
      case DType::f64:
        as(static_cast<double>(number));
        break;
      case DType::bf16:
        as(static_cast<std::uint16_t>(bits >> 16));
        break;
      case DType::f16:  // normal numbers only
        as(static_cast<std::uint16_t>(numbers[k] == 0 ? 0 : (bits >> 13) - (112 << 10)));
        break;
      case DType::u8:
        as(static_cast<std::uint8_t>(numbers[k]));
        break;
      case DType::i32:
        as(static_cast<std::int32_t>(numbers[k]));
        break;
      case DType::i64:
        as(static_cast<std::int64_t>(numbers[k]));
        break;
    }
  }
}

// Every storage type comes out in every type, for observations, actions and fields. 300 numbers: a
// row is longer than the piece that is converted at a time.
TEST(Columns, EveryTypeComesOutAsEveryType) {
  for (const DType stored : kTypes) {
    ReplayBuffer buffer({.observation = {{300}, stored},
                         .action = {{2}, stored},
                         .capacity = 4,
                         .fields = {{"extra", {{3}, stored}}}});
    std::vector<int> now, next;
    for (int k = 0; k < 300; ++k) {
      now.push_back(k % 120);
      next.push_back((k + 7) % 120);
    }
    std::vector<std::byte> observation, after, action, extra;
    put(stored, observation, now);
    put(stored, after, next);
    put(stored, action, {1, 64});
    put(stored, extra, {5, 0, 96});
    buffer.add({.observation = Values::raw(observation.data(), 300, stored),
                .action = Values::raw(action.data(), 2, stored),
                .next_observation = Values::raw(after.data(), 300, stored),
                .terminated = true,
                .fields = {Values::raw(extra.data(), 3, stored)}});
    for (const DType wanted : kTypes) {
      std::vector<std::byte> out(600 * size_of(wanted)), out_next(out.size()),
          out_action(4 * size_of(wanted)), out_extra(6 * size_of(wanted)), expected;
      BatchView view{.size = 2,
                     .observation = MutableValues::raw(out.data(), 600, wanted),
                     .action = MutableValues::raw(out_action.data(), 4, wanted),
                     .next_observation = MutableValues::raw(out_next.data(), 600, wanted),
                     .fields = {MutableValues::raw(out_extra.data(), 6, wanted)}};
      buffer.sample(view);
      std::vector<int> twice = now;
      twice.insert(twice.end(), now.begin(), now.end());
      put(wanted, expected, twice);
      EXPECT_EQ(out, expected) << name_of(stored) << " as " << name_of(wanted);
      twice = next;
      twice.insert(twice.end(), next.begin(), next.end());
      put(wanted, expected, twice);
      EXPECT_EQ(out_next, expected) << name_of(stored) << " as " << name_of(wanted);
      put(wanted, expected, {1, 64, 1, 64});
      EXPECT_EQ(out_action, expected);
      put(wanted, expected, {5, 0, 96, 5, 0, 96});
      EXPECT_EQ(out_extra, expected);

      SequenceView windows{
          .size = 2, .length = 1, .observation = MutableValues::raw(out.data(), 600, wanted)};
      std::fill(out.begin(), out.end(), std::byte{1});
      buffer.sample(windows);
      twice = now;
      twice.insert(twice.end(), now.begin(), now.end());
      put(wanted, expected, twice);
      EXPECT_EQ(out, expected);
    }
  }
}

ReplayBuffer ten_rows() {
  ReplayBuffer buffer({.observation = {2},
                       .action = {1},
                       .capacity = 20,
                       .discount = 0.5,
                       .fields = {{"time", {}}}});
  for (int t = 0; t < 10; ++t) {
    const float f = static_cast<float>(t);
    const float now[2]{f, -f}, next[2]{f + 1, -f - 1}, action[1]{f / 2}, time[1]{f * 10};
    buffer.add({.observation = now,
                .action = action,
                .reward = f,
                .next_observation = next,
                .terminated = t == 4,
                .fields = {time}});
  }
  return buffer;
}

// Whatever columns are asked for, the draws are the same and the other memory is left alone.
TEST(Columns, OnlyWhatIsWantedIsWritten) {
  ReplayBuffer a = ten_rows(), b = ten_rows();
  Batch full = a.make_batch(40);
  std::vector<std::uint64_t> id(40);
  std::vector<float> reward(40);
  for (int round = 0; round < 3; ++round) {
    a.sample(full);
    b.sample(BatchView{.size = 40, .reward = reward, .id = id});
    EXPECT_EQ(full.id, id);
    EXPECT_EQ(full.reward, reward);
  }
  Batch seen = a.make_batch(40);
  a.sample(seen.view());
  b.sample(full);
  EXPECT_EQ(seen.observation, full.observation);
  EXPECT_EQ(seen.fields, full.fields);
  EXPECT_EQ(seen.age, full.age);
  b.sample(BatchView{.size = 40});  // nothing wanted: only the generator moves on
  a.sample(full);
  a.sample(full);
  b.sample(seen);
  EXPECT_EQ(seen.id, full.id);
}

TEST(Columns, WrongColumnIsNamedAndNothingMoves) {
  ReplayBuffer buffer = ten_rows(), untouched = ten_rows();
  std::vector<double> observation(8 * 2);
  std::vector<float> action(7), weight(8, 3.0f);
  std::vector<Index> age(9);
  const auto complaint = [&](const BatchView& view) -> std::string {
    try {
      buffer.sample(view);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "it was accepted";
  };
  const auto names = [](const std::string& text, const char* column) {
    return text.find(column) != std::string::npos;
  };
  BatchView view{.size = 8, .observation = observation, .weight = weight};
  EXPECT_EQ(complaint({}), "a batch of 0 rows; allowed: 1 to 2147483647");
  view.action = action;
  EXPECT_PRED2(names, complaint(view), "column action has room for 7 numbers");
  view.action = {};
  view.age = age;
  EXPECT_PRED2(names, complaint(view), "column age");
  view.age = {};
  view.next_observation = MutableValues::raw(nullptr, 16, DType::f32);
  EXPECT_PRED2(names, complaint(view), "next_observation: data is null");
  view.next_observation = MutableValues::raw(observation.data(), 16, static_cast<DType>(9));
  EXPECT_PRED2(names, complaint(view), "next_observation asks for an unknown type");
  view.next_observation = {};
  view.fields = {MutableValues(action)};
  EXPECT_PRED2(names, complaint(view), "column time");
  view.fields = {{}, {}};
  EXPECT_PRED2(names, complaint(view), "2 extra fields");
  EXPECT_EQ(weight, std::vector<float>(8, 3.0f));
  EXPECT_EQ(observation, std::vector<double>(16, 0.0));

  std::vector<std::uint8_t> valid(5);
  EXPECT_THROW(buffer.sample(SequenceView{.size = 2, .length = 3, .valid = valid}),
               InvalidArgument);
  EXPECT_THROW(buffer.sample(SequenceView{.size = 2, .length = 3, .burn_in = 3}), InvalidArgument);
  Batch a = buffer.make_batch(8), b = untouched.make_batch(8);
  buffer.sample(a);
  untouched.sample(b);
  EXPECT_EQ(a.id, b.id);
}

TEST(Columns, SequencesCarryFieldsDiscountsAndAges) {
  ReplayBuffer buffer = ten_rows();
  SequenceBatch windows = buffer.make_sequences(200, 3, 1);
  buffer.sample(windows);
  for (std::size_t k = 0; k < windows.size; ++k) {
    const auto start = ReplayBuffer::sequence_of(windows.id[k]);
    EXPECT_EQ(windows.age[k], 9 - static_cast<Index>(start));
    EXPECT_EQ(windows.weight[k], 1);
    for (std::size_t p = 0; p < 4; ++p) {
      const std::size_t at = 4 * k + p;
      const std::uint64_t t = start + p - 1;
      if (!windows.valid[at]) {
        EXPECT_EQ(windows.discount[at], 0);
        EXPECT_EQ(windows.fields[0][at], 0);
        continue;
      }
      EXPECT_EQ(windows.observation[2 * at], static_cast<float>(t));
      EXPECT_EQ(windows.fields[0][at], static_cast<float>(10 * t));
      EXPECT_EQ(windows.discount[at], t == 4 ? 0.0f : 0.5f);
    }
  }
}

}  // namespace
}  // namespace mneme
