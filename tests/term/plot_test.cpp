// tests/term/plot_test.cpp - curves of characters.
#include "term/plot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "term/screen.h"

namespace mneme::lab {
namespace {

TEST(Plot, DrawsPointsBetweenZeroAndOne) {
  EXPECT_EQ(
      plot_lines({{0, 0}, {5000, 0.5}, {10'000, 1}, {7000, NAN}}, 28, 3),
      (std::vector<std::string>{"     1┤                    ●", "   0.5┤          ●", "     0┤●",
                                "      └─────────────────────", "       0                 10k"}));
}

TEST(Plot, FitsItsWidthAndWantsPoints) {
  for (const std::size_t width : {20U, 60U, 80U})
    for (const std::string& line : plot_lines({{1, -3}, {1e6, 40}}, width, 7))
      EXPECT_LE(display_width(line), width);
  EXPECT_TRUE(plot_lines({}, 80, 7).empty());
  EXPECT_TRUE(plot_lines({{0, NAN}}, 80, 7).empty());
}

TEST(Plot, SparklineHasACharacterPerValue) {
  EXPECT_EQ(sparkline({0, 0.5, 1}), "▁▅█");
  EXPECT_EQ(sparkline({2, 2}), "▄▄");
  EXPECT_EQ(sparkline({0, NAN, 1}), "▁ █");
}

}  // namespace
}  // namespace mneme::lab
