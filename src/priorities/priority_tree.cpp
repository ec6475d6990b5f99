// priorities/priority_tree.cpp - walking the levels, batch by batch.
//
// A batch is cut into chunks that stay in the first-level cache. Within a chunk every pass finishes
// for all items before the next starts: a leaf is written long before its line is read back
// (reading it at once would wait for the store), and a line is prefetched long before it is needed.
#include "priorities/priority_tree.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "base/text.h"
#include "mneme/error.h"
#include "priorities/line.h"

namespace mneme {
namespace {

using detail::kFanOut;
using detail::place_of;

constexpr std::size_t kFindChunk = 128;
constexpr std::size_t kSetChunk = 1024;
constexpr std::size_t kMarkWords = kSetChunk / 2 / 64;

// The levels of a tree: entries of each, padded to whole lines, the root last.
std::vector<std::size_t> level_sizes(Index capacity) {
  std::vector<std::size_t> sizes{static_cast<std::size_t>(capacity)};
  do {
    sizes.push_back((sizes.back() + kFanOut - 1) / kFanOut);
  } while (sizes.back() > 1);
  return sizes;
}

std::size_t padded(std::size_t entries) { return (entries + kFanOut - 1) / kFanOut * kFanOut; }

// Not finite or negative: as signed numbers the bits of infinities and NaN are large, those of
// negative values negative; minus zero is the most negative and is let through. In a form that
// vectorizes on every machine.
inline bool unacceptable(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return (bits > 0x7f7fffff) | ((bits < 0) & (bits != std::numeric_limits<std::int32_t>::min()));
}

inline bool any_unacceptable(const float* values, std::size_t count) {
  int bad = 0;
  for (std::size_t i = 0; i < count; ++i) bad |= unacceptable(values[i]) ? 1 : 0;
  return bad != 0;
}
MNEME_AVX2 bool any_unacceptable_avx2(const float* values, std::size_t count) {
  return any_unacceptable(values, count);
}

// The sign bit of a slot or of its distance from the last one.
inline bool any_outside(const Index* slots, std::size_t count, Index capacity) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto slot = static_cast<std::uint64_t>(slots[i]);
    outside |= slot | (static_cast<std::uint64_t>(capacity - 1) - slot);
  }
  return outside >> 63 != 0;
}
MNEME_AVX2 bool any_outside_avx2(const Index* slots, std::size_t count, Index capacity) {
  return any_outside(slots, count, capacity);
}

void check_values(std::span<const float> values, const char* call) {
  const bool bad = detail::use_avx2() ? any_unacceptable_avx2(values.data(), values.size())
                                      : any_unacceptable(values.data(), values.size());
  for (std::size_t i = 0; bad && i < values.size(); ++i) {
    if (!unacceptable(values[i])) continue;
    throw InvalidArgument(concat("priority tree: ", call, " got value ", values[i], " at position ",
                                 i, "; values must be finite and not negative"));
  }
}

}  // namespace

PriorityTree::PriorityTree(Index capacity, Extremes extremes)
    : capacity_(capacity), both_(extremes == Extremes::both) {
  if (capacity < 1 || capacity > (Index{1} << 40)) {
    throw InvalidArgument(concat("priority tree: capacity ", capacity, " is outside [1, 2^40]"));
  }
  const std::vector<std::size_t> sizes = level_sizes(capacity);
  const std::size_t per_entry = sizeof(double) + (both_ ? 2 : 1) * sizeof(float);
  std::size_t bytes = padded(sizes[0]) * sizeof(float);
  for (std::size_t l = 1; l < sizes.size(); ++l) bytes += padded(sizes[l]) * per_entry;
  try {
    memory_ = Pages(bytes);
  } catch (const std::bad_alloc&) {
    throw InvalidArgument(concat("priority tree: capacity ", capacity, " needs ", bytes,
                                 " bytes, which the system does not give"));
  }
  // Every piece is a whole number of cache lines. The upper levels come first: they are used most.
  std::byte* next = memory_.data();
  const auto take = [&next](std::size_t size) {
    std::byte* piece = next;
    next += size;
    return piece;
  };
  levels_.resize(sizes.size());
  for (std::size_t l = sizes.size(); l-- > 0;) {
    const std::size_t room = padded(sizes[l]);
    const bool inner = l > 0;
    levels_[l].entries = sizes[l];
    levels_[l].sums = inner ? reinterpret_cast<double*>(take(room * sizeof(double))) : nullptr;
    levels_[l].lowest = reinterpret_cast<float*>(take(room * sizeof(float)));
    levels_[l].highest =
        inner && both_ ? reinterpret_cast<float*>(take(room * sizeof(float))) : nullptr;
  }
}

double PriorityTree::total() const { return levels_.back().sums[0]; }

float PriorityTree::minimum() const { return levels_.back().lowest[0]; }

float PriorityTree::maximum() const {
  if (!both_) throw InvalidArgument("priority tree: maximum() needs a tree with Extremes::both");
  return levels_.back().highest[0];
}

float PriorityTree::value(Index slot) const {
  check_range(slot, 1, "value");
  return levels_[0].lowest[place_of(static_cast<std::size_t>(slot))];
}

void PriorityTree::values(std::span<const Index> slots, std::span<float> out) const {
  if (slots.size() != out.size()) {
    throw InvalidArgument(concat("priority tree: values got ", slots.size(), " slots and room for ",
                                 out.size(), " values; pass as many of each"));
  }
  check_slots(slots, "values");
  const float* leaves = levels_[0].lowest;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    out[i] = leaves[place_of(static_cast<std::size_t>(slots[i]))];
  }
}

void PriorityTree::values(Index first, std::span<float> out) const {
  check_range(first, static_cast<Index>(out.size()), "values");
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = levels_[0].lowest[place_of(static_cast<std::size_t>(first) + i)];
  }
}

double PriorityTree::entry_sum(std::size_t level, std::size_t entry) const {
  const Level& l = levels_[level];
  return level == 0 ? static_cast<double>(l.lowest[place_of(entry)]) : l.sums[place_of(entry)];
}

double PriorityTree::sum(Index first, Index count) const {
  check_range(first, count, "sum");
  auto from = static_cast<std::size_t>(first), to = from + static_cast<std::size_t>(count);
  double sum = 0;
  // What sticks out of whole lines on either side is added here; whole lines are entries of the
  // level above.
  for (std::size_t level = 0; from < to; ++level, from /= kFanOut, to /= kFanOut) {
    while (from < to && from % kFanOut != 0) sum += entry_sum(level, from++);
    while (from < to && to % kFanOut != 0) sum += entry_sum(level, --to);
  }
  return sum;
}

// The smallest (and largest) value below some entries of a level. Keeps in `entries` those that
// changed; returns how many: a new value is rarely the extreme of its line, so this list shrinks
// fast on the way up.
template <class Line>
inline std::size_t PriorityTree::refresh_extremes(std::size_t level, std::size_t* entries,
                                                  std::size_t count) {
  const float* below = levels_[level - 1].lowest;
  float* here = levels_[level].lowest;
  std::size_t changed = 0;
  if (!both_) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t entry = entries[i], at = place_of(entry);
      const float lowest = Line::lowest(below + entry * kFanOut);
      entries[changed] = entry;
      changed += lowest != here[at] ? 1 : 0;
      here[at] = lowest;
    }
    return changed;
  }
  const float* peaks = level == 1 ? below : levels_[level - 1].highest;
  float* top = levels_[level].highest;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = entries[i], at = place_of(entry);
    const float lowest = Line::lowest(below + entry * kFanOut);
    const float highest = Line::highest(peaks + entry * kFanOut);
    entries[changed] = entry;
    changed += lowest != here[at] || highest != top[at] ? 1 : 0;
    here[at] = lowest;
    top[at] = highest;
  }
  return changed;
}

template <class Line>
inline void PriorityTree::refresh_sums(std::size_t level, const std::size_t* entries,
                                       std::size_t count) {
  double* here = levels_[level].sums;
  if (level == 1) {
    Line::sums(levels_[0].lowest, entries, count, here);
  } else {
    Line::sums(levels_[level - 1].sums, entries, count, here);
  }
}

// The parents of entries, in place. Where the level above is small, many share one: each is listed
// once.
std::size_t PriorityTree::parents_of(std::size_t level, std::size_t* entries,
                                     std::size_t count) const {
  const std::size_t parents = levels_[level + 1].entries;
  if (2 * parents > count) {
    for (std::size_t i = 0; i < count; ++i) entries[i] /= kFanOut;
    return count;
  }
  std::array<std::uint64_t, kMarkWords> marks{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t parent = entries[i] / kFanOut;
    marks[parent / 64] |= std::uint64_t{1} << (parent % 64);
  }
  count = 0;
  for (std::size_t word = 0; word * 64 < parents; ++word) {
    for (std::uint64_t left = marks[word]; left != 0; left &= left - 1) {
      entries[count++] = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
    }
  }
  return count;
}

// Writes leaves; lists their lines in `lines`, and in `extremes` those lines whose extremes need
// another look: where the old value was one or the new value is. Returns how many those are. No
// branches: they could not be predicted.
template <bool kBoth>
inline std::size_t PriorityTree::write_leaves(const Index* slots, const float* values,
                                              std::size_t count, std::size_t* lines,
                                              std::size_t* extremes) {
  float* leaves = levels_[0].lowest;
  const float *lowest = levels_[1].lowest, *highest = levels_[1].highest;
  const double* sums = levels_[1].sums;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto slot = static_cast<std::size_t>(slots[i]);
    const std::size_t line = slot / kFanOut, at = place_of(line);
    float& leaf = leaves[place_of(slot)];
    const float now = values[i] + 0.0F;  // minus zero becomes zero
    const auto old_bits = std::bit_cast<std::uint32_t>(leaf);
    const auto new_bits = std::bit_cast<std::uint32_t>(now);
    const auto low_bits = std::bit_cast<std::uint32_t>(lowest[at]);
    leaf = now;
    // A new value is lower if it is positive and below the lowest, or the lowest is 0 (no leaf
    // is positive).
    auto look = static_cast<unsigned>(old_bits == low_bits);
    look |= static_cast<unsigned>(new_bits - 1 < low_bits - 1);
    if constexpr (kBoth) {
      const auto high_bits = std::bit_cast<std::uint32_t>(highest[at]);
      look |= static_cast<unsigned>(old_bits == high_bits);
      look |= static_cast<unsigned>(new_bits > high_bits);
    }
    lines[i] = extremes[changed] = line;
    changed += look;
    __builtin_prefetch(sums + line / kFanOut * kFanOut, 1);
    __builtin_prefetch(sums + line / kFanOut * kFanOut + 8, 1);
  }
  return changed;
}

template <class Line>
inline void PriorityTree::set_with(std::span<const Index> slots, std::span<const float> values) {
  std::array<std::size_t, kSetChunk> entries, extremes;
  float* leaves = levels_[0].lowest;
  const float* lowest = levels_[1].lowest;
  for (std::size_t done = 0; done < slots.size(); done += kSetChunk) {
    std::size_t count = std::min(kSetChunk, slots.size() - done);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t line = static_cast<std::size_t>(slots[done + i]) / kFanOut;
      __builtin_prefetch(leaves + line * kFanOut, 1);
      __builtin_prefetch(lowest + line / kFanOut * kFanOut, 1);
    }
    const Index* chunk = slots.data() + done;
    const float* new_values = values.data() + done;
    std::size_t changed =
        both_ ? write_leaves<true>(chunk, new_values, count, entries.data(), extremes.data())
              : write_leaves<false>(chunk, new_values, count, entries.data(), extremes.data());
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      refresh_sums<Line>(level, entries.data(), count);
      changed = refresh_extremes<Line>(level, extremes.data(), changed);
      if (level + 1 == levels_.size()) break;
      count = parents_of(level, entries.data(), count);
      changed = parents_of(level, extremes.data(), changed);
    }
  }
}

// Everything above the leaves of lines first .. last.
template <class Line>
inline void PriorityTree::refresh_range(std::size_t first, std::size_t last) {
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    for (std::size_t next = first; next <= last;) {
      std::array<std::size_t, kSetChunk> entries;
      std::size_t count = 0;
      while (count < kSetChunk && next <= last) entries[count++] = next++;
      refresh_sums<Line>(level, entries.data(), count);
      refresh_extremes<Line>(level, entries.data(), count);
    }
    first /= kFanOut;
    last /= kFanOut;
  }
}

template <class Line>
inline void PriorityTree::find_with(std::span<const double> masses, std::span<Index> slots) const {
  std::array<double, kFindChunk> rest;
  std::array<std::size_t, kFindChunk> nodes;
  const float* leaves = levels_[0].lowest;
  for (std::size_t done = 0; done < masses.size(); done += kFindChunk) {
    const std::size_t count = std::min(kFindChunk, masses.size() - done);
    std::copy_n(masses.begin() + static_cast<std::ptrdiff_t>(done), count, rest.begin());
    std::fill_n(nodes.begin(), count, std::size_t{0});
    for (std::size_t level = levels_.size() - 2; level > 0; --level) {
      const double* sums = levels_[level].sums;
      const double* next = levels_[level - 1].sums;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t child = nodes[i] * kFanOut;
        nodes[i] = child + Line::search(sums + child, rest[i]);
        if (level > 1) {
          __builtin_prefetch(next + nodes[i] * kFanOut);
          __builtin_prefetch(next + nodes[i] * kFanOut + 8);
        } else {
          __builtin_prefetch(leaves + nodes[i] * kFanOut);
        }
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t child = nodes[i] * kFanOut;
      slots[done + i] = static_cast<Index>(child + Line::search(leaves + child, rest[i]));
    }
  }
}

#if MNEME_HAS_AVX2_PATH
__attribute__((target("avx2,popcnt"), flatten)) void PriorityTree::set_avx2(
    std::span<const Index> slots, std::span<const float> values) {
  set_with<detail::Avx2Line>(slots, values);
}
__attribute__((target("avx2,popcnt"), flatten)) void PriorityTree::refresh_range_avx2(
    std::size_t first, std::size_t last) {
  refresh_range<detail::Avx2Line>(first, last);
}
__attribute__((target("avx2,popcnt"), flatten)) void PriorityTree::find_avx2(
    std::span<const double> masses, std::span<Index> slots) const {
  find_with<detail::Avx2Line>(masses, slots);
}
#else
void PriorityTree::set_avx2(std::span<const Index> slots, std::span<const float> values) {
  set_with<detail::PortableLine>(slots, values);
}
void PriorityTree::refresh_range_avx2(std::size_t first, std::size_t last) {
  refresh_range<detail::PortableLine>(first, last);
}
void PriorityTree::find_avx2(std::span<const double> masses, std::span<Index> slots) const {
  find_with<detail::PortableLine>(masses, slots);
}
#endif

void PriorityTree::set(std::span<const Index> slots, std::span<const float> values) {
  if (slots.size() != values.size()) {
    throw InvalidArgument(concat("priority tree: set got ", slots.size(), " slots and ",
                                 values.size(), " values; pass as many of each"));
  }
  check_slots(slots, "set");
  check_values(values, "set");
  detail::use_avx2() ? set_avx2(slots, values) : set_with<detail::PortableLine>(slots, values);
}

void PriorityTree::refresh(std::size_t first, std::size_t last) {
  const std::size_t first_line = first / kFanOut, last_line = last / kFanOut;
  detail::use_avx2() ? refresh_range_avx2(first_line, last_line)
                     : refresh_range<detail::PortableLine>(first_line, last_line);
}

void PriorityTree::set_range(Index first, std::span<const float> values) {
  check_range(first, static_cast<Index>(values.size()), "set_range");
  check_values(values, "set_range");
  if (values.empty()) return;
  const auto from = static_cast<std::size_t>(first);
  for (std::size_t i = 0; i < values.size(); ++i) {
    levels_[0].lowest[place_of(from + i)] = values[i] + 0.0F;
  }
  refresh(from, from + values.size() - 1);
}

void PriorityTree::fill_range(Index first, Index count, float value) {
  check_range(first, count, "fill_range");
  check_values({&value, 1}, "fill_range");
  if (count == 0) return;
  const auto from = static_cast<std::size_t>(first), many = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < many; ++i) levels_[0].lowest[place_of(from + i)] = value + 0.0F;
  refresh(from, from + many - 1);
}

void PriorityTree::find(std::span<const double> masses, std::span<Index> slots) const {
  if (masses.size() != slots.size()) {
    throw InvalidArgument(concat("priority tree: find got ", masses.size(), " masses and room for ",
                                 slots.size(), " slots; pass as many of each"));
  }
  if (total() <= 0) {
    throw InvalidArgument("priority tree: there is no mass to draw from; set a positive value");
  }
  bool good = true;
  for (const double mass : masses) good &= mass >= 0 && mass <= std::numeric_limits<double>::max();
  for (std::size_t i = 0; !good && i < masses.size(); ++i) {
    if (masses[i] >= 0 && std::isfinite(masses[i])) continue;
    throw InvalidArgument(concat("priority tree: find got mass ", masses[i], " at position ", i,
                                 "; masses lie in [0, total())"));
  }
  detail::use_avx2() ? find_avx2(masses, slots) : find_with<detail::PortableLine>(masses, slots);
}

void PriorityTree::check_slots(std::span<const Index> slots, const char* call) const {
  const bool bad = detail::use_avx2() ? any_outside_avx2(slots.data(), slots.size(), capacity_)
                                      : any_outside(slots.data(), slots.size(), capacity_);
  for (std::size_t i = 0; bad && i < slots.size(); ++i) {
    if (slots[i] >= 0 && slots[i] < capacity_) continue;
    throw InvalidArgument(concat("priority tree: ", call, " got slot ", slots[i], " at position ",
                                 i, ", outside [0, ", capacity_, ")"));
  }
}

void PriorityTree::check_range(Index first, Index count, const char* call) const {
  if (first >= 0 && count >= 0 && first <= capacity_ && count <= capacity_ - first) return;
  throw InvalidArgument(concat("priority tree: ", call, " got slots [", first, ", ", first, " + ",
                               count, "), outside [0, ", capacity_, ")"));
}

}  // namespace mneme
