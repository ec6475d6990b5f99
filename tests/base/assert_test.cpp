// tests/base/assert_test.cpp - what a broken invariant reports.
#undef MNEME_ASSERTIONS
#define MNEME_ASSERTIONS 1
#include "base/assert.h"

#include <gtest/gtest.h>

namespace mneme {
namespace {

TEST(AssertDeathTest, ReportsFileLineAndCondition) {
  const int rows = 3;
  MNEME_ASSERT(rows == 3);
  EXPECT_DEATH(MNEME_ASSERT(rows == 4), "assert_test\\.cpp:[0-9]+: MNEME_ASSERT\\(rows == 4\\)");
}

}  // namespace
}  // namespace mneme
