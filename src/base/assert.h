// base/assert.h - MNEME_ASSERT guards our own invariants. User input never reaches it: that gets an
// exception.
#pragma once

#if defined(MNEME_ASSERTIONS) && MNEME_ASSERTIONS
#include <cstdlib>
// Abort, not throw: a broken invariant is a bug in mneme, and the debugger should stop right here.
#define MNEME_ASSERT(condition) ((condition) ? static_cast<void>(0) : std::abort())
#else
#define MNEME_ASSERT(condition) static_cast<void>(0)
#endif
