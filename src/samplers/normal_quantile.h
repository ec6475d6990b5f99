// samplers/normal_quantile.h - the inverse of the normal distribution function.
//
// Rational approximations of algorithm AS 241 (Wichura 1988), relative error about 1e-16: one for
// the middle, one for the sides, each free of branches. Valid while the tail beyond the result is
// above 2e-11 (|z| < 6.5); the third piece of the original, for the far tail, is not needed here.
#pragma once

#include <cmath>

#include "base/elementary.h"

namespace mneme::detail {

inline constexpr double kMiddleOver[8]{3.3871328727963666080e+0, 1.3314166789178437745e+2,
                                       1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                       4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
inline constexpr double kMiddleUnder[8]{1.0,
                                        4.2313330701600911252e+1,
                                        6.8718700749205790830e+2,
                                        5.3941960214247511077e+3,
                                        2.1213794301586595867e+4,
                                        3.9307895800092710610e+4,
                                        2.8729085735721942674e+4,
                                        5.2264952788528545610e+3};
inline constexpr double kSideOver[8]{1.42343711074968357734e+0, 4.63033784615654529590e+0,
                                     5.76949722146069140550e+0, 3.64784832476320460504e+0,
                                     1.27045825245236838258e+0, 2.41780725177450611770e-1,
                                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
inline constexpr double kSideUnder[8]{1.0,
                                      2.05319162663775882187e+0,
                                      1.67638483018380384940e+0,
                                      6.89767334985100004550e-1,
                                      1.48103976427480074590e-1,
                                      1.51986665636164571966e-2,
                                      5.47593808499534494600e-4,
                                      1.05075007164441684324e-9};

/// Where the middle formula ends.
inline constexpr double kMiddle = 0.425;

/// z with Phi(z) = 1/2 + q, for |q| <= kMiddle.
inline double normal_quantile_middle(double q) {
  const double r = kMiddle * kMiddle - q * q;
  return q * degree7(r, kMiddleOver) / degree7(r, kMiddleUnder);
}

/// The same for kMiddle < |q| < 1/2, in the square root of the logarithm of the tail.
inline double normal_quantile_side(double q) {
  const double s = std::sqrt(-log_of(0.5 - std::abs(q))) - 1.6;
  return std::copysign(degree7(s, kSideOver) / degree7(s, kSideUnder), q);
}

inline double normal_quantile(double q) {
  return std::abs(q) <= kMiddle ? normal_quantile_middle(q) : normal_quantile_side(q);
}

}  // namespace mneme::detail
