// samplers/decay_table.h - sums and inverse sums of w(a) = exp(-(a/scale)^shape) over ages a = 0,
// 1, 2, ...
//
// There is no closed form for these sums. The ages are cut into segments: single ages where the
// weight changes quickly, longer stretches (weight falling by at most 3 %) elsewhere. On a stretch
// the sum is an integral plus the Euler-Maclaurin corrections at half-integers, and the way back
// from a sum to an age is a polynomial of degree 5 through Chebyshev points; both are right to
// about 1e-15 of the stretch. A few hundred segments reach any capacity.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/elementary.h"
#include "mneme/sampler.h"

namespace mneme {

class DecayTable {
 public:
  /// For ages 0 .. ages-1. Ages whose weight is below e^-60 are beyond what any uniform can reach
  /// and left out.
  DecayTable(double scale, double shape, Index ages);

  double weight(double age) const;

  /// Sum of the weights of ages 0 .. count-1.
  double sum(Index count) const;

  /// Sum of age * weight over ages 0 .. count-1.
  double moment(Index count) const;

  /// The age a with sum(a) <= mass < sum(a + 1), O(1). REQUIRES: 0 <= mass < sum(ages).
  Index age_at(double mass) const {
    // To a signed integer: that conversion is one instruction, the one to unsigned is not.
    std::size_t k =
        guide_[static_cast<std::size_t>(static_cast<std::int32_t>(mass * guide_scale_))];
    while (mass >= before_[k + 1]) ++k;
    const Segment& s = segments_[k];
    const double t = detail::degree5((mass - before_[k]) * s.inverse_mass, s.inverse);
    // Truncated, not floored: rounding may leave it a hair below 0. Integers from here: the
    // floating-point units are the bottleneck.
    return s.first + std::min(static_cast<Index>(t), s.last);
  }

 private:
  static constexpr int kDegree = 5;
  struct Segment {
    Index first, last;            // first age, and how many more there are
    double inverse_mass;          // 1 / sum of its weights
    double inverse[kDegree + 1];  // share of that sum -> ages past `first`
  };

  double exponent(double age) const;
  double stretch_sum(double from, double to) const;
  double stretch_moment(double from, double to) const;
  void fit_inverse(Segment& segment, double mass) const;

  double scale_, shape_;
  std::vector<double>
      before_;  // sum of all weights before segment k; one more entry than segments, then infinity
  std::vector<Segment> segments_;
  std::vector<std::uint16_t>
      guide_;  // equal shares of the mass -> the segment where to start looking
  double guide_scale_ = 0;
};

}  // namespace mneme
