// tests/base/text_test.cpp - texts in UTF-8, whatever bytes they are made of.
#include "base/text.h"

#include <gtest/gtest.h>

#include "mneme/error.h"

namespace mneme {
namespace {

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
