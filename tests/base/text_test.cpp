// tests/base/text_test.cpp - names suggested for what was typed.
#include "base/text.h"

#include <gtest/gtest.h>

namespace mneme {
namespace {

const std::vector<std::string> kTasks{"dmc/dog-walk", "dmc/cartpole-swingup",
                                      "dmc/cartpole-balance", "dmc/walker-run"};

TEST(NearestNames, BeginningOfANameIsNearerThanAShorterName) {
  EXPECT_EQ(nearest_names("dmc/cartpole", kTasks, 2),
            (std::vector<std::string>{"dmc/cartpole-swingup", "dmc/cartpole-balance"}));
  EXPECT_EQ(nearest_names("walker-run", kTasks, 1).front(), "dmc/walker-run");
  EXPECT_EQ(nearest_names("dmc/walker-rum", kTasks, 1).front(), "dmc/walker-run");
}

TEST(UnknownName, SuggestsSlipsAndListsTheKnown) {
  EXPECT_EQ(unknown_name("sampler", "unifrom", {"uniform", "ere"}),
            "unknown sampler 'unifrom'; did you mean 'uniform'? known: uniform, ere");
  EXPECT_EQ(unknown_name("sampler", "zzz", {"uniform", "ere"}),
            "unknown sampler 'zzz'; known: uniform, ere");
}

}  // namespace
}  // namespace mneme
