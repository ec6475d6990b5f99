// base/cpu.h - which instructions this processor offers, and how to compile one function for them.
//
// Hot loops are compiled twice from one source: for the baseline and, marked MNEME_AVX2, for AVX2.
// The choice is made once per batch. Both give the same bits: no fused multiply-add, no library
// call whose rounding may differ.
#pragma once

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define MNEME_HAS_AVX2_PATH 1
// flatten: what the loop calls is inlined into it, and thereby compiled for AVX2 as well.
#define MNEME_AVX2 __attribute__((target("avx2"), flatten))
#else
#define MNEME_HAS_AVX2_PATH 0
#define MNEME_AVX2
#endif

namespace mneme::detail {

/// Whether the AVX2 path may be taken. The environment variable MNEME_SIMD=portable turns it off
/// for a process.
bool use_avx2();

/// Turns the AVX2 path off or on again, for tests that compare both. Not for use while other
/// threads draw.
void force_portable(bool portable);

}  // namespace mneme::detail
