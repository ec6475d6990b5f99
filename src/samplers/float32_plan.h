// samplers/float32_plan.h - the printed truncated geometric formula as it comes out in single
// precision.
//
// Buffers on a GPU compute floor(log2(1 + U Z (2^k - 1)) / k) - 1 in float32, with 24 random bits
// in U. Rounding 2^k and 2^k - 1 then moves whole ends of the buffer out of reach or piles draws up
// on the newest slot (docs/errata.md, E2). There are only 2^24 values of U, so the distribution of
// what is really drawn can be counted exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/elementary.h"
#include "base/text.h"
#include "mneme/error.h"
#include "mneme/sampler.h"

namespace mneme {

struct Float32Plan {
  static constexpr std::int32_t kGrid = 1 << 24;
  float k, z, base_minus_one;
  Index last;  // not a float: beyond 2^24 that would round to an index outside the buffer

  Float32Plan(double alpha, Index anchor, Index size) : last(size - 1) {
    k = static_cast<float>(alpha) / static_cast<float>(std::max<Index>(1, anchor - 1));
    const auto base = static_cast<float>(detail::exp_of(static_cast<double>(k) * detail::kLn2));
    base_minus_one = base - 1.0f;
    if (base_minus_one == 0)
      throw InvalidArgument(concat(
          "truncated_geometric: in float32 2^(alpha/(capacity-1)) rounds to 1 at a capacity of ",
          anchor, ", and the printed formula divides by zero; use form=exact"));
    const auto power =
        static_cast<float>(detail::pow_of(static_cast<double>(base), static_cast<double>(size)));
    z = (power - 1.0f) / base_minus_one;
    if (!std::isfinite(z))
      throw InvalidArgument(
          concat("truncated_geometric: in float32 the printed normalizer "
                 "overflows at alpha ",
                 alpha, " and a capacity of ", anchor, "; use form=exact"));
  }

  // Non-decreasing in `step`, the 24 bits of U.
  Index at(std::int32_t step) const {
    const float u = static_cast<float>(step) * 0x1p-24f;
    const float x = 1.0f + u * z * base_minus_one;
    const auto log2 = static_cast<float>(detail::log_of(static_cast<double>(x)) / detail::kLn2);
    return std::min(static_cast<Index>(std::max(std::floor(log2 / k) - 1.0f, 0.0f)), last);
  }

  Index operator()(double u) const {
    return at(static_cast<std::int32_t>(u * kGrid));
  }  // u = 0 is the oldest

  double p(Index i) const { return static_cast<double>(first_step(i + 1) - first_step(i)) / kGrid; }

  std::vector<Segment> segments() const {
    const Index size = last + 1;
    std::vector<double> counts(static_cast<std::size_t>(size));
    if (size > kGrid / 32) {
      for (std::int32_t step = 0; step < kGrid; ++step)
        counts[static_cast<std::size_t>(at(step))] += 1;
    } else {
      for (Index i = 0; i < size; ++i) counts[static_cast<std::size_t>(i)] = p(i) * kGrid;
    }
    std::vector<Segment> segments;
    for (Index i = size; i-- > 0;)
      segments.push_back({1, counts[static_cast<std::size_t>(i)] / kGrid});
    return segments;
  }

 private:
  // The smallest step that leads to index i or beyond.
  std::int32_t first_step(Index i) const {
    std::int32_t low = 0, high = kGrid;
    while (low < high) {
      const std::int32_t middle = (low + high) / 2;
      if (at(middle) >= i) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

}  // namespace mneme
