// base/assert.cpp - what a broken invariant reports.
#include <cstdio>
#include <cstdlib>

// Compiled with and without assertions: a caller may have them on where this file has not.
namespace mneme::detail {

[[noreturn]] void assertion_failed(const char* file, int line, const char* condition);

void assertion_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: MNEME_ASSERT(%s) failed: this is a bug in mneme\n", file, line,
               condition);
  std::abort();
}

}  // namespace mneme::detail
