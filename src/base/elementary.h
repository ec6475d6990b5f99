// base/elementary.h - exp, log and friends that give the same bits on every machine.
//
// The C library's versions differ in the last bit between systems, which would move a draw that
// falls on the edge between two indices. These use nothing but IEEE additions, multiplications and
// divisions, have no branches on the hot ones, and are therefore inlined into vector loops. Errors:
// below 1 unit in the last place for log, below 2 for the others. Coefficients are the classical
// minimax ones for these intervals (as in fdlibm).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace mneme::detail {

inline constexpr double kLn2 = 0.693147180559945309417;
inline constexpr double kLn2High =
    6.93147180369123816490e-01;  // 33 bits: products with exponents are exact
inline constexpr double kLn2Low = 1.90821492927058770002e-10;

/// Natural logarithm of a positive normal number; `correction` is added to the result before its
/// last rounding.
inline double log_of(double x, double correction = 0) {
  // x = 2^k * (1 + f), with 1 + f in [sqrt(1/2), sqrt(2))
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t shifted = bits - 0x3fe6a09e667f3bcdULL;
  const double f = std::bit_cast<double>(bits - (shifted & 0xfff0000000000000ULL)) - 1.0;
  // k out of the sign-extended exponent field, without an integer-to-double conversion (AVX2 has
  // none for 64 bits)
  const double k =
      std::bit_cast<double>((((shifted >> 52) + 2048) & 0xfff) | 0x4330000000000000ULL) -
      (0x1p52 + 2048);
  // log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)), s = f / (2 + f)
  const double s = f / (2.0 + f);
  const double z = s * s, w = z * z;
  const double odd = w * (3.999999999940941908e-01 +
                          w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double even = z * (6.666666666666735130e-01 +
                           w * (2.857142874366239149e-01 +
                                w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double half = 0.5 * f * f;
  return k * kLn2High - ((half - (s * (half + (odd + even)) + (k * kLn2Low + correction))) - f);
}

/// log(1 + x) for x > -1, with full relative precision near 0.
inline double log1p_of(double x) {
  const double y = 1.0 + x;
  const double lost =
      x - (y - 1.0);  // what rounding 1 + x dropped; exact for the |x| where it matters
  return log_of(y, lost / y);
}

/// e^x and e^x - 1 for x in [-745, 709]; below that 0 and -1.
double exp_of(double x);
double expm1_of(double x);

/// base^exponent for base > 0.
inline double pow_of(double base, double exponent) { return exp_of(exponent * log_of(base)); }

/// Probability that a standard normal variable exceeds z >= 0; absolute error below 1e-16.
double normal_tail(double z);

/// c[0] + c[1] x + ... in pairs (Estrin): a third of the waiting of Horner's rule.
inline double degree5(double x, const double (&c)[6]) {
  const double x2 = x * x;
  return ((c[0] + c[1] * x) + (c[2] + c[3] * x) * x2) + (c[4] + c[5] * x) * (x2 * x2);
}
inline double degree7(double x, const double (&c)[8]) {
  const double x2 = x * x, x4 = x2 * x2;
  return ((c[0] + c[1] * x) + (c[2] + c[3] * x) * x2) +
         ((c[4] + c[5] * x) + (c[6] + c[7] * x) * x2) * x4;
}

/// A whole number in [0, 2^52) held in a double, as an integer, without a conversion instruction.
inline std::int64_t whole_to_int(double whole) {
  return std::bit_cast<std::int64_t>(whole + 0x1p52) & 0xfffffffffffffLL;
}

/// The top 53 bits of a word as a number in [0, 1), exactly Rng::to_unit, in operations that
/// vectorize.
inline double unit_of(std::uint64_t word) {
  const std::uint64_t bits = word >> 11;
  const double high =
      std::bit_cast<double>((bits >> 32) | 0x41e0000000000000ULL);  // 2^31 + bits * 2^-21
  const double low =
      std::bit_cast<double>((bits & 0xffffffffULL) | 0x3fe0000000000000ULL);  // 1/2 + bits * 2^-53
  return (high - (0x1p31 + 0.5)) + low;
}

}  // namespace mneme::detail
