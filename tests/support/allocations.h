// tests/support/allocations.h - counts what the program asks the heap for. Include it in one file
// of a test program: it replaces operator new.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace mneme::testing {

inline std::atomic<long> allocations{0};

inline void* counted(std::size_t bytes) {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

}  // namespace mneme::testing

#if defined(__GNUC__) && !defined(__clang__)
// Having inlined one of the two, GCC takes the pair below for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

void* operator new(std::size_t bytes) {
  if (void* memory = mneme::testing::counted(bytes)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort asks this way.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return mneme::testing::counted(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
