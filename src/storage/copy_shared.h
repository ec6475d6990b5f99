// storage/copy_shared.h - copying memory that a writer may be changing.
//
// Inline: most copies are of four bytes, and a call for each of them is what a gather from memory
// would notice.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SANITIZE_THREAD__)
#define MNEME_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MNEME_THREAD_SANITIZER 1
#endif
#endif

namespace mneme {

/// The caller checks afterwards whether what was copied is still what it wanted. Byte by byte under
/// ThreadSanitizer.
inline void copy_shared(void* to, const void* from, std::size_t bytes) {
#ifdef MNEME_THREAD_SANITIZER
  auto* target = static_cast<unsigned char*>(to);
  auto* source = static_cast<unsigned char*>(const_cast<void*>(from));
  for (std::size_t k = 0; k < bytes; ++k)
    __atomic_store_n(target + k, __atomic_load_n(source + k, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace mneme
