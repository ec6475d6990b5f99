// envs/random.h - distributions of initial states, on top of Rng.
#pragma once

#include <cmath>
#include <numbers>

#include "mneme/rng.h"

namespace mneme::envs {

inline double uniform(Rng& rng, double low, double high) {
  return low + (high - low) * rng.uniform();
}

/// Standard normal by Box and Muller; two words each, so that a draw does not depend on earlier
/// ones.
inline double normal(Rng& rng) {
  const double u = 1 - rng.uniform(), v = rng.uniform();  // u in (0, 1]
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

/// A direction, uniform on the sphere in four dimensions: a random rotation.
inline void random_quaternion(Rng& rng, double* quaternion) {
  double squared = 0;
  for (int i = 0; i < 4; ++i) {
    quaternion[i] = normal(rng);
    squared += quaternion[i] * quaternion[i];
  }
  for (int i = 0; i < 4; ++i) quaternion[i] /= std::sqrt(squared);
}

}  // namespace mneme::envs
