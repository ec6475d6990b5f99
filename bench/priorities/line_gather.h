// bench/priorities/line_gather.h - the physical limit: touching the cache lines that a tree of
// fan-out 16 must touch.
//
// For every item the path from the top to a random leaf: two lines per inner level, one for the
// leaf, in arrays of the same sizes, level by level with prefetch and huge pages. No arithmetic but
// an addition per line.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/pages.h"
#include "mneme/sampler.h"

namespace mneme::bench {

class LineGather {
 public:
  explicit LineGather(Index capacity) {
    std::size_t bytes = static_cast<std::size_t>(capacity) * 4;
    for (std::size_t entries = static_cast<std::size_t>(capacity); entries > 1;) {
      levels_.emplace_back((bytes + 255) / 64 * 64);
      entries = (entries + 15) / 16;
      bytes = entries * 8;
    }
  }

  /// Reads the path of every slot; returns a number that depends on all of them.
  double read(std::span<const Index> slots) const {
    double sum = 0;
    for (std::size_t done = 0; done < slots.size(); done += kChunk) {
      const std::size_t count = std::min(kChunk, slots.size() - done);
      const auto chunk = slots.subspan(done, count);
      for (std::size_t level = levels_.size(); level-- > 0;) {
        for (const Index slot : chunk) {
          const double* at = path(level, slot);
          sum += level == 0 ? at[0] : at[0] + at[8];
          if (level > 0) __builtin_prefetch(path(level - 1, slot));
          if (level > 1) __builtin_prefetch(path(level - 1, slot) + 8);
        }
      }
    }
    return sum;
  }

  /// Writes one number per level on the path of every slot, leaves first.
  void write(std::span<const Index> slots, double value) {
    for (std::size_t done = 0; done < slots.size(); done += kChunk) {
      const std::size_t count = std::min(kChunk, slots.size() - done);
      const auto chunk = slots.subspan(done, count);
      for (const Index slot : chunk) __builtin_prefetch(path(0, slot), 1);
      for (std::size_t level = 0; level < std::min<std::size_t>(3, levels_.size()); ++level) {
        for (const Index slot : chunk) {
          *const_cast<double*>(path(level, slot)) = value;
          if (level + 1 < levels_.size()) __builtin_prefetch(path(level + 1, slot), 1);
        }
      }
    }
  }

 private:
  static constexpr std::size_t kChunk = 128;

  // The node of 16 that holds the slot's ancestor: 64 bytes of leaves, 128 bytes of sums.
  const double* path(std::size_t level, Index slot) const {
    const auto node = static_cast<std::size_t>(slot) >> (4 * (level + 1));
    return reinterpret_cast<const double*>(levels_[level].data()) + node * (level == 0 ? 8 : 16);
  }

  std::vector<Pages> levels_;
};

}  // namespace mneme::bench
