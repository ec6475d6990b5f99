// mneme/batch.h - what sampling fills: batches of transitions and of windows, in memory of their
// own (f32) or of the caller (any type).
#pragma once

#include "mneme/schema.h"

namespace mneme {

/// Where the rows of a batch go, in memory of the caller: one row per draw, row-major. A column
/// that is empty is not wanted; the others have room for exactly `size` rows. Numbers come out in
/// the type of their column: copied as they are where that is the storage type, converted
/// otherwise (floats to integers truncate and saturate, NaN becomes 0).
struct BatchView {
  std::size_t size = 0;
  MutableValues observation = {}, action = {}, next_observation = {};
  std::span<float> reward = {};      ///< sum of up to n_step discounted rewards
  std::span<float> discount = {};    ///< multiplies the bootstrap value: discount^horizon, 0 after
                                     ///< termination
  std::span<float> weight = {};      ///< importance weight; 1 for samplers without priorities
  std::span<std::uint64_t> id = {};  ///< stream and sequence number of the row
  std::span<std::int32_t> stream = {}, horizon = {};  ///< horizon: rewards summed, at most n_step
  std::span<Index> age = {};                          ///< 0 = the stream's newest
  std::vector<MutableValues> fields = {};             ///< none, or one each in the order of
                                                      ///< ReplayConfig::fields
};

/// The same in f32 and in memory of its own, every column. Made by make_batch, which fixes its
/// size.
struct Batch {
  std::size_t size = 0;
  std::vector<float> observation, action, reward, next_observation, discount, weight;
  std::vector<std::uint64_t> id;
  std::vector<std::int32_t> stream, horizon;
  std::vector<Index> age;
  std::vector<std::vector<float>> fields;

  /// All columns, as a view. The batch must outlive it.
  BatchView view();
};

/// Windows of `length` consecutive steps of one episode, burn-in included, in memory of the caller.
/// Empty columns are not wanted. What lies before the episode's start or after its end is 0.
struct SequenceView {
  std::size_t size = 0;
  Index length = 0, burn_in = 0;
  MutableValues observation = {}, action = {};  ///< size x length x numbers
  MutableValues last_observation = {};      ///< the one after the last valid step, size x numbers
  std::span<float> reward = {};             ///< size x length, of single steps
  std::span<float> discount = {};           ///< size x length: what multiplies the value after the
                                            ///< step; 0 after termination
  std::span<std::uint8_t> valid = {};       ///< size x length
  std::span<std::uint8_t> terminated = {};  ///< per window: whether its last valid step ended the
                                            ///< episode
  std::span<std::uint64_t> id = {};         ///< of the first step after burn-in
  std::span<std::int32_t> stream = {};
  std::span<Index> age = {};               ///< of the first step after burn-in
  std::span<float> weight = {};            ///< per window
  std::vector<MutableValues> fields = {};  ///< size x length x numbers each
};

/// The same in f32 and in memory of its own, every column. Made by make_sequences.
struct SequenceBatch {
  std::size_t size = 0;
  Index length = 0, burn_in = 0;
  std::vector<float> observation, action, last_observation, reward, discount, weight;
  std::vector<std::uint8_t> valid, terminated;
  std::vector<std::uint64_t> id;
  std::vector<std::int32_t> stream;
  std::vector<Index> age;
  std::vector<std::vector<float>> fields;

  SequenceView view();
};

}  // namespace mneme
