// base/powers.cpp - one loop, compiled for the baseline and for AVX2.
#include "base/powers.h"

#include <algorithm>
#include <cfloat>

#include "base/cpu.h"
#include "base/elementary.h"

namespace mneme::detail {
namespace {

// e^x for |x| <= 707, by the steps of exp_of: x = k ln 2 + r, then the fraction for e^r, then the
// exponent field.
inline double exp_within(double x) {
  const double shifted = x * (1 / kLn2) + 0x1.8p52;  // rounds to the nearest whole number
  const double k = shifted - 0x1.8p52;
  const double high = x - k * kLn2High, low = k * kLn2Low;
  const double r = high - low, t = r * r;
  const double c =
      r - t * (1.66666666666666019037e-01 +
               t * (-2.77777777770155933842e-03 +
                    t * (6.61375632143793436117e-05 +
                         t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const double mantissa = 1.0 + (high - (low - r * c / (2.0 - c)));
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return mantissa * std::bit_cast<double>(exponent);
}

inline void raise(double* values, std::size_t count, double exponent) {
  for (std::size_t i = 0; i < count; ++i) {
    const double v = values[i];
    const double positive = v < DBL_MIN ? DBL_MIN : v;
    double x = exponent * log_of(positive);
    x = x < -707.0 ? -707.0 : x;
    x = x > 707.0 ? 707.0 : x;
    const double power = exp_within(x);
    values[i] = v < DBL_MIN ? 0.0 : power;
  }
}
MNEME_AVX2 void raise_avx2(double* values, std::size_t count, double exponent) {
  raise(values, count, exponent);
}

}  // namespace

void raise_all(std::span<double> values, double exponent) {
  if (exponent == 0) {
    std::fill(values.begin(), values.end(), 1.0);
  } else if (use_avx2()) {
    raise_avx2(values.data(), values.size(), exponent);
  } else {
    raise(values.data(), values.size(), exponent);
  }
}

}  // namespace mneme::detail
