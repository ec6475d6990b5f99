// base/elementary.cpp - the parts of elementary.h that run once per batch, not once per draw.
#include "base/elementary.h"

namespace mneme::detail {
namespace {

// (e^r - 1) for |r| <= ln(2)/2, given as r = high - low.
double expm1_reduced(double high, double low) {
  const double r = high - low;
  const double t = r * r;
  const double c =
      r - t * (1.66666666666666019037e-01 +
               t * (-2.77777777770155933842e-03 +
                    t * (6.61375632143793436117e-05 +
                         t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  return high - (low - r * c / (2.0 - c));
}

// value * 2^k for results down to the denormals.
double scale(double value, int k) {
  if (k < -1021) return scale(value, k + 1000) * 0x1p-1000;
  if (k > 1023) return scale(value, k - 1000) * 0x1p1000;
  return value * std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

}  // namespace

double exp_of(double x) {
  if (std::isnan(x)) return x;
  if (x < -745.2) return 0;
  if (x > 709.8) return HUGE_VAL;
  const double k = std::floor(x / kLn2 + 0.5);
  return scale(1.0 + expm1_reduced(x - k * kLn2High, k * kLn2Low), static_cast<int>(k));
}

double expm1_of(double x) {
  if (std::abs(x) <= 0.5 * kLn2) return expm1_reduced(x, 0);
  return exp_of(x) - 1.0;
}

double normal_tail(double z) {
  constexpr double kInvSqrt2Pi = 0.398942280401432677939946;
  const double density = kInvSqrt2Pi * exp_of(-0.5 * z * z);
  if (z > 3) {
    // Continued fraction z + 1/(z + 2/(z + 3/(z + ...))), from the far end.
    double fraction = z;
    for (int k = 150; k >= 1; --k) fraction = z + k / fraction;
    return density / fraction;
  }
  // 1/2 minus density * (z + z^3/3 + z^5/(3*5) + ...)
  double term = z, sum = z;
  for (int k = 1; k < 200 && term > 1e-18 * sum; ++k) {
    term *= z * z / (2 * k + 1);
    sum += term;
  }
  return 0.5 - density * sum;
}

}  // namespace mneme::detail
