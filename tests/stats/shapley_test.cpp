// tests/stats/shapley_test.cpp - the worked example and the properties that define a Shapley value.
#include <gtest/gtest.h>

#include <array>

#include "mneme/stats.h"

namespace mneme::stats {
namespace {

TEST(Shapley, WorkedExample) {
  const Shapley shares = shapley(7.1, 6.8, 12.9);
  EXPECT_NEAR(shares.critic, 6.6, 1e-12);
  EXPECT_NEAR(shares.actor, 6.3, 1e-12);
  EXPECT_EQ(shares.both, 12.9);
}

TEST(Shapley, SharesAddUpAndDifferByTheSoloGains) {
  for (const auto& [c, a, ca] :
       {std::array{3., -2., 5.}, std::array{0., 0., 1.}, std::array{4., 4., 2.}}) {
    const Shapley shares = shapley(c, a, ca);
    EXPECT_NEAR(shares.critic + shares.actor, ca, 1e-12);
    EXPECT_NEAR(shares.critic - shares.actor, c - a, 1e-12);
  }
}

TEST(Shapley, FromScores) {
  const auto arm = [](double score) { return ScoreMatrix(1, 1, std::array{score}); };
  const Shapley shares = shapley(arm(1), arm(1.071), arm(1.068), arm(1.129));
  EXPECT_NEAR(shares.critic, 6.6, 1e-10);
  EXPECT_NEAR(shares.actor, 6.3, 1e-10);
}

}  // namespace
}  // namespace mneme::stats
