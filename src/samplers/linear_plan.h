// samplers/linear_plan.h - weights that grow linearly from 1 at the oldest: w(i) = 1 + slope * i.
//
// The weight before index j is T(j) = j + slope * j (j - 1) / 2. The inverse is the root of that
// quadratic in a form without cancellation, then moved by at most one step to where T(j) <= y < T(j
// + 1) holds exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/elementary.h"
#include "mneme/sampler.h"

namespace mneme {

struct LinearPlan {
  double slope, half, total, last;

  /// ratio = weight of index anchor-1 over weight of index 0.
  LinearPlan(double ratio, Index anchor, Index size)
      : slope((ratio - 1) / static_cast<double>(std::max<Index>(1, anchor - 1))),
        half(1 - slope / 2),
        last(static_cast<double>(size - 1)) {
    total = before(last + 1);
  }

  Index operator()(double u) const {  // in index order: u = 0 is the oldest
    const double y = u * total;
    const double root = std::sqrt(half * half + 2 * slope * y);
    // (root - half) / slope loses digits when half is large against the difference; the other form
    // is 0/0 at slope 2
    const double position = slope < 2 ? 2 * y / (half + root) : (root - half) / slope;
    double j = std::floor(std::min(position, last));
    j = before(j + 1) <= y ? std::min(j + 1, last) : j;
    j = before(j) > y ? j - 1 : j;
    return detail::whole_to_int(j);
  }
  double p(Index i) const { return (1 + slope * static_cast<double>(i)) / total; }

  /// E[i], with sums of squares in closed form.
  double mean_index() const {
    const double n = last + 1;
    return (n * last / 2 + slope * last * n * (2 * n - 1) / 6) / total;
  }

  /// ln(total) - E[ln w], the sum of w ln w by its integral and the Euler-Maclaurin corrections at
  /// half-integers. Nothing where weights change too quickly for that: few transitions, large
  /// ratio.
  std::optional<double> entropy() const {
    if (slope > 0.02 || slope < 1e-12) return std::nullopt;
    const auto parts = [&](double w) {
      const double log_w = detail::log_of(w);
      return w * w * (log_w / 2 - 0.25) / slope - slope * (log_w + 1) / 24 -
             7.0 / 5760 * slope * slope * slope / (w * w);
    };
    const double sum = parts(1 + slope * (last + 0.5)) - parts(1 - slope / 2);
    return detail::log_of(total) - sum / total;
  }

  double before(double j) const { return j + slope / 2 * (j * (j - 1)); }
};

}  // namespace mneme
