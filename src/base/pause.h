// base/pause.h - what a thread does between two looks at a value that another will change soon.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mneme {

/// Leaves the core to its other hyper-thread for some cycles.
inline void pause_processor() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace mneme
