// tests/base/powers_test.cpp - x^y of a batch against the C library, and portable against AVX2.
#include "base/powers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/cpu.h"
#include "mneme/rng.h"

namespace mneme {
namespace {

TEST(Powers, AgreeWithTheLibraryAndAcrossPaths) {
  Rng rng(3);
  for (const double exponent : {0.6, 0.4, 1.0, 0.3, 2.0, -0.7, 1e-3}) {
    std::vector<double> x(1003);
    for (double& v : x) v = std::exp(140 * rng.uniform() - 70);
    std::vector<double> fast = x, plain = x;
    detail::raise_all(fast, exponent);
    detail::force_portable(true);
    detail::raise_all(plain, exponent);
    detail::force_portable(false);
    EXPECT_EQ(fast, plain);
    for (std::size_t i = 0; i < x.size(); ++i) {
      // The error of the logarithm is magnified by the size of the exponent, up to 140 here.
      ASSERT_NEAR(fast[i] / std::pow(x[i], exponent), 1, 1e-13) << x[i] << " ^ " << exponent;
    }
  }
}

TEST(Powers, EdgesOfTheRange) {
  std::vector<double> x{0, 1, 1e-300, 1e300};
  std::vector<double> y = x;
  detail::raise_all(y, 0);
  EXPECT_EQ(y, std::vector<double>(4, 1.0));
  y = x;
  detail::raise_all(y, 0.5);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 1);
  EXPECT_NEAR(y[2] / 1e-150, 1, 1e-13);
  EXPECT_NEAR(y[3] / 1e150, 1, 1e-13);
  y = x;
  detail::raise_all(y, 8);
  EXPECT_GT(y[2], 0);
  EXPECT_TRUE(std::isfinite(y[3]));
}

}  // namespace
}  // namespace mneme
