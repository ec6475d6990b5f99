// tests/base/text_test.cpp - suggested names, valid UTF-8.
#include "base/text.h"

#include <gtest/gtest.h>

#include "mneme/error.h"

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

TEST(AsUtf8, KeepsValidTextAndReplacesOtherBytes) {
  for (const char* valid : {"", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(as_utf8(valid), valid);
  EXPECT_EQ(as_utf8("a\xff"
                    "b"),
            "a?b");
  EXPECT_EQ(as_utf8("\xc3"), "?");                 // cut off
  EXPECT_EQ(as_utf8("\xc0\x80"), "??");            // overlong
  EXPECT_EQ(as_utf8("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(as_utf8("\xf4\x90\x80\x80"), "????");  // beyond U+10FFFF
}

TEST(Error, TextIsValidUtf8) {
  EXPECT_STREQ(CorruptData("name \xfe!").what(), "name ?!");
  EXPECT_STREQ(InvalidArgument("\xc3\xa9").what(), "\xc3\xa9");
}

}  // namespace
}  // namespace mneme
