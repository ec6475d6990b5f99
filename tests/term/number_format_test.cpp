// tests/term/number_format_test.cpp - numbers as people read them.
#include "term/number_format.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mneme::lab {
namespace {

TEST(NumberFormat, SignificantDigits) {
  EXPECT_EQ(number(0.85670850721), "0.856709");
  EXPECT_EQ(number(0.85670850721, 9), "0.856708507");
  EXPECT_EQ(number(6.94e-6, 3), "6.94e-06");
  EXPECT_EQ(number(1500), "1500");
  EXPECT_EQ(number(900'000.1), "900,000");
  EXPECT_EQ(number(188'000.812, 9), "188,000.812");
  EXPECT_EQ(number(42'794.4, 4), "42,794");
  EXPECT_EQ(number(-0.0), "0");
  EXPECT_EQ(number(std::nan("")), "-");
  EXPECT_EQ(number(INFINITY), "inf");
}

TEST(NumberFormat, FixedDigitsWithoutNegativeZero) {
  EXPECT_EQ(rounded(-0.0004, 3), "0.000");
  EXPECT_EQ(rounded(-0.04, 3), "-0.040");
  EXPECT_EQ(rounded(std::nan(""), 3), "-");
  EXPECT_EQ(with_sign(0.5, 1), "+0.5");
  EXPECT_EQ(with_sign(-0.5, 1), "-0.5");
}

TEST(NumberFormat, CountsTimesAndSizes) {
  EXPECT_EQ(count(1'234'567), "1,234,567");
  EXPECT_EQ(count(-999), "-999");
  EXPECT_EQ(duration_text(47), "47 s");
  EXPECT_EQ(duration_text(750), "12 min");
  EXPECT_EQ(duration_text(11'100), "3 h 5 min");
  EXPECT_EQ(duration_text(std::nan("")), "-");
  EXPECT_EQ(size_text(12), "12 bytes");
  EXPECT_EQ(size_text(1.24e9), "1.2 GB");
}

}  // namespace
}  // namespace mneme::lab
