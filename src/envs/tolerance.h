// envs/tolerance.h - the reward function of DeepMind Control and HumanoidBench.
//
// 1 inside [lower, upper], falling off over `margin` to `at_margin`. With d = distance to the
// nearer bound / margin:
//   gaussian  exp(-(d s)^2 / 2), s = sqrt(-2 ln at_margin)
//   linear    1 - d (1 - at_margin)
//   quadratic 1 - d^2 (1 - at_margin)
//   long_tail 1 / (1 + d^2 (1 / at_margin - 1))
// and the others below; linear, quadratic and cosine are 0 where they would turn negative.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

namespace mneme::envs {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Shape {
  gaussian,
  linear,
  quadratic,
  hyperbolic,
  long_tail,
  reciprocal,
  cosine,
  tanh_squared
};

inline double shape_value(double d, Shape shape, double at_margin) {
  switch (shape) {
    case Shape::gaussian: {
      const double x = d * std::sqrt(-2 * std::log(at_margin));
      return std::exp(-0.5 * x * x);
    }
    case Shape::linear: {
      const double x = d * (1 - at_margin);
      return std::abs(x) < 1 ? 1 - x : 0;
    }
    case Shape::quadratic: {
      const double x = d * std::sqrt(1 - at_margin);
      return std::abs(x) < 1 ? 1 - x * x : 0;
    }
    case Shape::hyperbolic:
      return 1 / std::cosh(d * std::acosh(1 / at_margin));
    case Shape::long_tail: {
      const double x = d * std::sqrt(1 / at_margin - 1);
      return 1 / (x * x + 1);
    }
    case Shape::reciprocal:
      return 1 / (std::abs(d) * (1 / at_margin - 1) + 1);
    case Shape::cosine: {
      const double x = d * std::acos(2 * at_margin - 1) / std::numbers::pi;
      return std::abs(x) < 1 ? (1 + std::cos(std::numbers::pi * x)) / 2 : 0;
    }
    case Shape::tanh_squared: {
      const double x = std::tanh(d * std::atanh(std::sqrt(1 - at_margin)));
      return 1 - x * x;
    }
  }
  return 0;
}

/// See the top of the file. A margin of 0: 1 inside, 0 outside.
inline double tolerance(double x, double lower, double upper, double margin = 0,
                        Shape shape = Shape::gaussian, double at_margin = 0.1) {
  if (lower <= x && x <= upper) return 1;
  if (margin == 0) return 0;
  return shape_value((x < lower ? lower - x : x - upper) / margin, shape, at_margin);
}

/// Linear down to 0 at the margin.
inline double linear_to_zero(double x, double lower, double upper, double margin) {
  return tolerance(x, lower, upper, margin, Shape::linear, 0);
}

}  // namespace mneme::envs
