// base/cpu.cpp - one look at the processor per process.
#include "base/cpu.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace mneme::detail {
namespace {

bool detect() {
#if MNEME_HAS_AVX2_PATH
  const char* wish = std::getenv("MNEME_SIMD");
  if (wish != nullptr && std::string_view(wish) == "portable") return false;
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

std::atomic<bool> portable_forced{false};

}  // namespace

bool use_avx2() {
  static const bool available = detect();
  return available && !portable_forced.load(std::memory_order_relaxed);
}

void force_portable(bool portable) { portable_forced.store(portable, std::memory_order_relaxed); }

}  // namespace mneme::detail
