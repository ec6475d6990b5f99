// base/assert.h - MNEME_ASSERT guards our own invariants. User input never reaches it: that gets an
// exception.
#pragma once

#if defined(MNEME_ASSERTIONS) && MNEME_ASSERTIONS
namespace mneme::detail {
/// Says on standard error what is broken and where, and aborts.
[[noreturn]] void assertion_failed(const char* file, int line, const char* condition);
}  // namespace mneme::detail

// Abort, not throw: a broken invariant is a bug in mneme, and the debugger should stop right here.
#define MNEME_ASSERT(condition)       \
  ((condition) ? static_cast<void>(0) \
               : ::mneme::detail::assertion_failed(__FILE__, __LINE__, #condition))
#else
#define MNEME_ASSERT(condition) static_cast<void>(0)
#endif
