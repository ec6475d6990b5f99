// samplers/window_plan.h - uniform over the newest `count` of `size` transitions: the plan of
// uniform, FIFO and ERE.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/elementary.h"
#include "mneme/sampler.h"

namespace mneme {

struct WindowPlan {
  Index size, count;

  Index operator()(double u) const {  // in index order: u = 0 is the oldest of the window
    return (size - count) + detail::whole_to_int(std::floor(u * static_cast<double>(count)));
  }
  double p(Index i) const { return i >= size - count ? 1.0 / static_cast<double>(count) : 0.0; }
  std::vector<Segment> segments() const {
    std::vector<Segment> segments{{count, 1.0 / static_cast<double>(count)}};
    if (count < size) segments.push_back({size - count, 0.0});
    return segments;
  }
};

/// A window given as a count of transitions, or, below 1, as a share of `whole`. At least 1, at
/// most `size`.
inline Index window_count(double window, Index whole, Index size) {
  const double count =
      window < 1 ? std::floor(window * static_cast<double>(whole) + 0.5) : std::floor(window);
  return static_cast<Index>(std::clamp(count, 1.0, static_cast<double>(size)));
}

}  // namespace mneme
