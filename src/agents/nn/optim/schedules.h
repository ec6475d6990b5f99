// agents/nn/optim/schedules.h - learning rates over a run.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mneme::nn {

/// A straight line from `first` at 0 to `last` at `horizon`, and on.
inline double linear(double first, double last, double at, double horizon) {
  return last + (first - last) * (1 - std::min(at, horizon) / horizon);
}

/// Half a cosine from `first` at 0 to `last` at `horizon`, and on.
inline double cosine(double first, double last, double at, double horizon) {
  const double share = std::min(at, horizon) / horizon;
  return last + (first - last) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

}  // namespace mneme::nn
