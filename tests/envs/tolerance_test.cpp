// tests/envs/tolerance_test.cpp - values of the reward shape, worked out by hand.
#include "envs/tolerance.h"

#include <gtest/gtest.h>

namespace mneme::envs {
namespace {

constexpr double kDigits = 5e-10;  // the values below are printed with nine decimals

TEST(Tolerance, DeepMindControl) {
  const double c = 0.866025404;
  EXPECT_NEAR(tolerance(0.25, 1, kInfinity, 0.5, Shape::linear, 0.5), 0.25, kDigits);
  EXPECT_NEAR(tolerance(0, 1, kInfinity, 0.5, Shape::linear, 0.5), 0, kDigits);
  EXPECT_NEAR(linear_to_zero(0.5, c, kInfinity, 1 + c), 0.803847577, kDigits);
  EXPECT_NEAR(tolerance(50, 100.463665, kInfinity, 100.463665, Shape::linear, 0.9), 0.949769237,
              kDigits);
  EXPECT_NEAR(tolerance(0, 100.463665, kInfinity, 100.463665, Shape::linear, 0.9), 0.9, kDigits);
  EXPECT_NEAR(tolerance(1.05, 1.4, kInfinity, 0.35), 0.1, kDigits);
}

TEST(Tolerance, HumanoidBench) {
  EXPECT_NEAR(tolerance(1.50, 1.65, kInfinity, 0.4125), 0.737511158, kDigits);
  EXPECT_NEAR(tolerance(1.2375, 1.65, kInfinity, 0.4125), 0.1, kDigits);
  EXPECT_NEAR(tolerance(0.98, 1.65, kInfinity, 0.4125), 0.002300576, kDigits);
  EXPECT_NEAR(linear_to_zero(0.5, 0.9, kInfinity, 1.9), 0.789473684, kDigits);
  EXPECT_NEAR(linear_to_zero(0, 0.9, kInfinity, 1.9), 0.526315789, kDigits);
  EXPECT_NEAR(linear_to_zero(-1, 0.9, kInfinity, 1.9), 0, kDigits);
  EXPECT_NEAR(tolerance(5, 0, 0, 10, Shape::quadratic, 0), 0.75, kDigits);
  EXPECT_NEAR(tolerance(-9.9, 0, 0, 10, Shape::quadratic, 0), 0.0199, kDigits);
  EXPECT_NEAR(tolerance(10, 0, 0, 10, Shape::quadratic, 0), 0, kDigits);
  EXPECT_NEAR(linear_to_zero(0.5, 1, kInfinity, 1), 0.5, kDigits);
  EXPECT_NEAR(linear_to_zero(2, 5, kInfinity, 5), 0.4, kDigits);
  EXPECT_NEAR(tolerance(0.5, 0, 0, 2), 0.865964323, kDigits);
  EXPECT_NEAR(tolerance(0.98, 0.68, 0.72, 0.2), 0.020417379, kDigits);
  EXPECT_NEAR(tolerance(0.60, 0.68, 0.72, 0.2), 0.691830971, kDigits);
  EXPECT_NEAR(tolerance(0.55, 0.35, 0.45, 0.3), 0.774263683, kDigits);
  EXPECT_NEAR(tolerance(0.3, 0.75, 2, 0.75, Shape::linear), 0.46, kDigits);
  EXPECT_NEAR(tolerance(0.6, 0.92, 0.92, 0.4, Shape::linear), 0.28, kDigits);
}

TEST(Tolerance, EveryShapeHalfAMarginOutside) {
  const std::pair<Shape, double> values[] = {
      {Shape::gaussian, 0.562341325},  {Shape::linear, 0.55},
      {Shape::quadratic, 0.775},       {Shape::hyperbolic, 0.426401433},
      {Shape::long_tail, 0.307692308}, {Shape::reciprocal, 0.181818182},
      {Shape::cosine, 0.658113883},    {Shape::tanh_squared, 0.480506147}};
  for (const auto& [shape, value] : values) {
    EXPECT_NEAR(tolerance(1.5, 0, 1, 1, shape), value, kDigits) << static_cast<int>(shape);
    EXPECT_EQ(tolerance(1, 0, 1, 1, shape), 1);  // bounds are inside
    EXPECT_NEAR(tolerance(2, 0, 1, 1, shape), 0.1, 1e-12);
  }
  EXPECT_EQ(tolerance(1.5, 0, 1), 0);  // no margin: in or out
}

}  // namespace
}  // namespace mneme::envs
