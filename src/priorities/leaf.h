// priorities/leaf.h - from a priority to the f32 mass of a tree leaf.
#pragma once

#include <cfloat>
#include <span>
#include <vector>

#include "base/powers.h"
#include "base/state.h"
#include "mneme/error.h"
#include "priorities/priority_tree.h"

namespace mneme::detail {

/// A mass as a leaf. What is positive stays positive and finite: a row must not vanish by rounding.
inline float leaf_of(double mass) {
  const double low = mass < double{FLT_MIN} ? double{FLT_MIN} : mass;
  const double clamped = low > double{FLT_MAX} ? double{FLT_MAX} : low;
  return mass > 0 ? static_cast<float>(clamped) : 0.0F;
}

/// Leaves (magnitude + eps)^alpha; `scratch` has the same length.
inline void power_leaves(std::span<const float> magnitudes, double eps, double alpha,
                         std::span<double> scratch, std::span<float> leaves) {
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    scratch[i] = static_cast<double>(magnitudes[i]) + eps;
  }
  raise_all(scratch, alpha);
  for (std::size_t i = 0; i < magnitudes.size(); ++i) leaves[i] = leaf_of(scratch[i]);
}

/// Reads leaves saved in slot order. Throws CorruptData if one is not a mass or lies where none may
/// be.
inline std::vector<float> load_leaves(StateReader& in, Index capacity) {
  std::vector<float> leaves(static_cast<std::size_t>(capacity));
  in.get_all(std::span<float>(leaves));
  for (const float leaf : leaves) {
    if (leaf >= 0 && leaf <= FLT_MAX) continue;
    throw CorruptData("priorities: a saved mass is negative or not finite");
  }
  return leaves;
}

inline void save_leaves(StateWriter& out, const PriorityTree& tree) {
  std::vector<float> leaves(static_cast<std::size_t>(tree.capacity()));
  tree.values(0, leaves);
  out.put_all(std::span<const float>(leaves));
}

/// Throws CorruptData if a leaf has mass although its slot may not be drawn.
inline void check_held(std::span<const float> leaves, const std::vector<std::uint64_t>& drawable) {
  for (std::size_t slot = 0; slot < leaves.size(); ++slot) {
    if (leaves[slot] > 0 && (drawable[slot / 64] >> (slot % 64) & 1) == 0) {
      throw CorruptData("priorities: a saved row has mass but may not be drawn");
    }
  }
}

}  // namespace mneme::detail
