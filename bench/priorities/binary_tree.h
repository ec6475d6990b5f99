// bench/priorities/binary_tree.h - the peer baseline: the binary sum tree of doubles that most
// libraries use.
//
// Implicit heap, one item after the other, parents recomputed from children; a second array for the
// minimum, as importance weights need it. Written plainly but well: no virtual calls, no
// allocation, no bounds checks.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mneme/sampler.h"

namespace mneme::bench {

class BinaryTree {
 public:
  explicit BinaryTree(Index capacity) {
    while (leaves_ < static_cast<std::size_t>(capacity)) leaves_ *= 2;
    sums_.assign(2 * leaves_, 0);
    lowest_.assign(2 * leaves_, std::numeric_limits<double>::infinity());
  }

  void fill(std::span<const float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums_[leaves_ + i] = lowest_[leaves_ + i] = static_cast<double>(values[i]);
    }
    for (std::size_t node = leaves_ - 1; node > 0; --node) recompute(node);
  }

  void set(std::span<const Index> slots, std::span<const float> values) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      std::size_t node = leaves_ + static_cast<std::size_t>(slots[i]);
      sums_[node] = lowest_[node] = static_cast<double>(values[i]);
      while (node /= 2) recompute(node);
    }
  }

  void find(std::span<const double> masses, std::span<Index> slots) const {
    for (std::size_t i = 0; i < masses.size(); ++i) {
      double mass = masses[i];
      std::size_t node = 1;
      while (node < leaves_) {
        node *= 2;
        if (sums_[node] <= mass) mass -= sums_[node++];
      }
      slots[i] = static_cast<Index>(node - leaves_);
    }
  }

  double total() const { return sums_[1]; }
  double minimum() const { return lowest_[1]; }

 private:
  void recompute(std::size_t node) {
    sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
    lowest_[node] = std::min(lowest_[2 * node], lowest_[2 * node + 1]);
  }

  std::size_t leaves_ = 1;
  std::vector<double> sums_, lowest_;
};

}  // namespace mneme::bench
