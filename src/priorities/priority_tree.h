// priorities/priority_tree.h - a mass for every slot of a ring, drawn and changed a batch at a
// time.
//
//   PriorityTree tree(1'000'000);
//   tree.set(slots, values);      // what each slot weighs
//   tree.find(masses, slots);     // masses uniform on [0, total()): slots in proportion to weight
//
// A tree of fan-out 16: f32 leaves (a node of 16 is one cache line), f64 sums above them, and
// beside each sum the smallest positive leaf below it. Parents are computed from their children,
// never adjusted by differences, so nothing drifts. Batches walk level by level and prefetch the
// next level for all of them, so that cache misses overlap.
//
// Accuracy. A running sum inside a node is off by at most a few units in the last place of an f64,
// over at most seven levels. A slot's share of the masses is therefore its share of the weight to
// about 1e-15 of the total, and every slot that holds more than about 1e-14 of the total can be
// found. Draws differ from the exact distribution by about 1e-15 per item in total variation: 1e-8
// at 10^7 items. The portable and the AVX2 path find the same slots (line.h).
//
// Memory: 4.8 bytes per slot, 5.1 with maximum(). Nothing is allocated after construction. const
// members may run concurrently with each other, not with the others.
#pragma once

#include <span>
#include <vector>

#include "base/pages.h"
#include "mneme/index.h"

namespace mneme {

class PriorityTree {
 public:
  enum class Extremes { minimum, both };

  /// All slots 0 .. capacity-1 weigh nothing. Throws InvalidArgument for a capacity below 1 or too
  /// large for memory.
  explicit PriorityTree(Index capacity, Extremes extremes = Extremes::minimum);

  Index capacity() const { return capacity_; }

  /// The sum of all values.
  double total() const;

  /// The smallest positive value; 0 if every value is 0.
  float minimum() const;

  /// The largest value. REQUIRES: built with Extremes::both; throws InvalidArgument otherwise.
  float maximum() const;

  /// The value of one slot. Throws InvalidArgument outside [0, capacity).
  float value(Index slot) const;
  void values(std::span<const Index> slots, std::span<float> out) const;
  /// Slots first, first+1, ...
  void values(Index first, std::span<float> out) const;

  /// The sum over slots first .. first+count-1, to a few units in the last place. O(log capacity).
  double sum(Index first, Index count) const;

  /// Gives slots values; a slot that occurs twice keeps the last. Values must be finite and not
  /// negative, slots inside the tree; otherwise InvalidArgument and nothing has changed. O(log
  /// capacity) per slot.
  void set(std::span<const Index> slots, std::span<const float> values);

  /// The same for neighbors first, first+1, ... at a fraction of the cost.
  void set_range(Index first, std::span<const float> values);
  void fill_range(Index first, Index count, float value);
  void clear_range(Index first, Index count) { fill_range(first, count, 0); }

  /// For each mass the smallest slot whose cumulative sum exceeds it. A mass at or beyond total()
  /// gets the last slot that weighs anything. Never a slot of value 0. Throws InvalidArgument if
  /// the tree holds no mass or a mass is negative or not finite; then `slots` is untouched.
  void find(std::span<const double> masses, std::span<Index> slots) const;

 private:
  struct Level {  // level 0 holds the leaves in `lowest` and has nothing else
    std::size_t entries;
    double* sums;
    float* lowest;
    float* highest;
  };
  template <bool kBoth>
  std::size_t write_leaves(const Index* slots, const float* values, std::size_t count,
                           std::size_t* lines, std::size_t* extremes);
  template <class Line>
  void refresh_sums(std::size_t level, const std::size_t* entries, std::size_t count);
  template <class Line>
  std::size_t refresh_extremes(std::size_t level, std::size_t* entries, std::size_t count);
  std::size_t parents_of(std::size_t level, std::size_t* entries, std::size_t count) const;
  template <class Line>
  void set_with(std::span<const Index> slots, std::span<const float> values);
  template <class Line>
  void refresh_range(std::size_t first, std::size_t last);
  template <class Line>
  void find_with(std::span<const double> masses, std::span<Index> slots) const;
  void set_avx2(std::span<const Index> slots, std::span<const float> values);
  void refresh_range_avx2(std::size_t first, std::size_t last);
  void find_avx2(std::span<const double> masses, std::span<Index> slots) const;
  void refresh(std::size_t first, std::size_t last);
  double entry_sum(std::size_t level, std::size_t entry) const;
  void check_slots(std::span<const Index> slots, const char* call) const;
  void check_range(Index first, Index count, const char* call) const;

  Index capacity_;
  bool both_;
  Pages memory_;  // all levels in one piece: fewer pages
  std::vector<Level> levels_;
};

}  // namespace mneme
