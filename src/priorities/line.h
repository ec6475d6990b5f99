// priorities/line.h - one node of the tree: sixteen children side by side, and what is computed
// from them.
//
// Child k of a line lies at place(k): the 4 x 4 square of children is stored by columns. A vector
// of four then holds one child of each group of four, so the running sums of all four groups take
// three vector additions.
//
// The order of additions is part of the contract, so that the portable and the AVX2 code agree in
// every bit. With x(g,j) child j of group g:
//   L(g,0) = x(g,0),  L(g,j) = L(g,j-1) + x(g,j),  T(g) = L(g,3)
//   E(0) = 0,  E(1) = T(0),  E(2) = E(1) + T(1),  E(3) = E(2) + T(2)
//   running sum P(g,j) = E(g) + L(g,j),  sum of the line = P(3,3)
// Then E(g+1) = P(g,3), running sums never decrease (rounding is monotone), a child of 0 leaves
// them unchanged, and what lies before child (g,j) is E(g) or P(g,j-1).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/cpu.h"

#if MNEME_HAS_AVX2_PATH
#include <immintrin.h>
// Not always_inline: the walkers of priority_tree.cpp are templates without a target; they and
// these are inlined together into the functions that have one.
#define MNEME_LINE_AVX2 __attribute__((target("avx2,popcnt"))) inline
#endif

namespace mneme::detail {

inline constexpr std::size_t kFanOut = 16;

/// Where child k of a line is stored; its own inverse.
constexpr std::size_t place(std::size_t k) { return (k & 3) * 4 + (k >> 2); }

/// How far child k is stored from its natural place; a table is faster than bit arithmetic.
inline constexpr std::array<std::int8_t, kFanOut> kShift = [] {
  std::array<std::int8_t, kFanOut> shift{};
  for (std::size_t k = 0; k < kFanOut; ++k) {
    shift[k] = static_cast<std::int8_t>(static_cast<int>(place(k)) - static_cast<int>(k));
  }
  return shift;
}();

/// Where entry e of a level is stored.
constexpr std::size_t place_of(std::size_t e) {
  return e + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(kShift[e & 15]));
}

struct PortableLine {
  template <class T>
  static double sum(const T* line) {
    double before[kFanOut];
    return scan(line, before);
  }

  /// The smallest child whose running sum exceeds mass; takes from mass what lies before it. A mass
  /// that rounding has pushed to the sum of the line or beyond gets the last child that moved the
  /// running sum: never an empty one.
  template <class T>
  static std::size_t search(const T* line, double& mass) {
    double before[kFanOut];
    const double total = scan(line, before);
    // The running sum through child k is what lies before child k+1.
    std::size_t k = total <= mass ? kFanOut : 0;
    for (std::size_t c = 1; k != kFanOut && c < kFanOut; ++c) k += before[place(c)] <= mass ? 1 : 0;
    if (k == kFanOut) k = last_moving(before, total);
    mass -= before[place(k)];
    return k;
  }

  /// Sums of many lines of one level, each into its entry of the level above.
  template <class T>
  static void sums(const T* below, const std::size_t* entries, std::size_t count, double* here) {
    for (std::size_t i = 0; i < count; ++i) {
      here[place_of(entries[i])] = sum(below + entries[i] * kFanOut);
    }
  }

  /// The smallest positive entry, 0 without one: a zero less one is the largest unsigned
  /// number.
  static float lowest(const float* line) {
    std::uint32_t least = ~std::uint32_t{0};
    for (std::size_t c = 0; c < kFanOut; ++c) {
      least = std::min(least, std::bit_cast<std::uint32_t>(line[c]) - 1);
    }
    return std::bit_cast<float>(least + 1);
  }

  static float highest(const float* line) {
    float most = 0;
    for (std::size_t c = 0; c < kFanOut; ++c) most = std::max(most, line[c]);
    return most;
  }

  static std::size_t last_moving(const double* before, double total) {
    std::size_t k = 0;
    for (std::size_t c = 1; c < kFanOut; ++c) k += before[place(c)] < total ? 1 : 0;
    return k;
  }

 private:
  template <class T>
  static double scan(const T* line, double* before) {
    double running[4], start = 0;
    for (std::size_t g = 0; g < 4; ++g) running[g] = static_cast<double>(line[g]);
    double local[3][4];
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t g = 0; g < 4; ++g) {
        local[j][g] = running[g];
        running[g] += static_cast<double>(line[4 * (j + 1) + g]);
      }
    }
    for (std::size_t g = 0; g < 4; ++g) {
      before[g] = start;
      for (std::size_t j = 0; j < 3; ++j) before[4 * (j + 1) + g] = start + local[j][g];
      start += running[g];
    }
    return start;
  }
};

#if MNEME_HAS_AVX2_PATH

struct Avx2Line {
  MNEME_LINE_AVX2 static __m256d four(const double* at) { return _mm256_load_pd(at); }
  MNEME_LINE_AVX2 static __m256d four(const float* at) { return _mm256_cvtps_pd(_mm_load_ps(at)); }

  MNEME_LINE_AVX2 static __m256i passed(__m256d p, __m256d limit) {
    return _mm256_castpd_si256(_mm256_cmp_pd(p, limit, _CMP_LE_OQ));
  }

  // E(1), E(2), E(3) and the sum, each in the low lane.
  struct Groups {
    __m128d first, second, third, total;
  };
  MNEME_LINE_AVX2 static Groups groups(__m256d t) {
    const __m128d t01 = _mm256_castpd256_pd128(t), t23 = _mm256_extractf128_pd(t, 1);
    const __m128d second = _mm_add_sd(t01, _mm_unpackhi_pd(t01, t01));
    const __m128d third = _mm_add_sd(second, t23);
    return {t01, second, third, _mm_add_sd(third, _mm_unpackhi_pd(t23, t23))};
  }

  template <class T>
  MNEME_LINE_AVX2 static double sum(const T* line) {
    return _mm_cvtsd_f64(groups(group_sums(line)).total);
  }

  // L(g,3) of all groups.
  template <class T>
  MNEME_LINE_AVX2 static __m256d group_sums(const T* line) {
    const __m256d l1 = _mm256_add_pd(four(line), four(line + 4));
    return _mm256_add_pd(_mm256_add_pd(l1, four(line + 8)), four(line + 12));
  }

  // Four lines at a time: turned so that one vector holds T(g) of all four lines, the additions
  // over g are shared.
  template <class T>
  MNEME_LINE_AVX2 static void sums(const T* below, const std::size_t* entries, std::size_t count,
                                   double* here) {
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      const __m256d a = group_sums(below + entries[i] * kFanOut);
      const __m256d b = group_sums(below + entries[i + 1] * kFanOut);
      const __m256d c = group_sums(below + entries[i + 2] * kFanOut);
      const __m256d d = group_sums(below + entries[i + 3] * kFanOut);
      const __m256d ab02 = _mm256_unpacklo_pd(a, b), ab13 = _mm256_unpackhi_pd(a, b);
      const __m256d cd02 = _mm256_unpacklo_pd(c, d), cd13 = _mm256_unpackhi_pd(c, d);
      __m256d sum = _mm256_add_pd(_mm256_permute2f128_pd(ab02, cd02, 0x20),
                                  _mm256_permute2f128_pd(ab13, cd13, 0x20));
      sum = _mm256_add_pd(sum, _mm256_permute2f128_pd(ab02, cd02, 0x31));
      sum = _mm256_add_pd(sum, _mm256_permute2f128_pd(ab13, cd13, 0x31));
      const __m128d low = _mm256_castpd256_pd128(sum), high = _mm256_extractf128_pd(sum, 1);
      _mm_storel_pd(here + place_of(entries[i]), low);
      _mm_storeh_pd(here + place_of(entries[i + 1]), low);
      _mm_storel_pd(here + place_of(entries[i + 2]), high);
      _mm_storeh_pd(here + place_of(entries[i + 3]), high);
    }
    for (; i < count; ++i) here[place_of(entries[i])] = sum(below + entries[i] * kFanOut);
  }

  template <class T>
  MNEME_LINE_AVX2 static std::size_t search(const T* line, double& mass) {
    const __m256d l0 = four(line);
    const __m256d l1 = _mm256_add_pd(l0, four(line + 4));
    const __m256d l2 = _mm256_add_pd(l1, four(line + 8));
    const __m256d l3 = _mm256_add_pd(l2, four(line + 12));
    const Groups g = groups(l3);
    const __m256d start = _mm256_set_m128d(_mm_unpacklo_pd(g.second, g.third),
                                           _mm_unpacklo_pd(_mm_setzero_pd(), g.first));
    const __m256d p0 = _mm256_add_pd(start, l0), p1 = _mm256_add_pd(start, l1);
    const __m256d p2 = _mm256_add_pd(start, l2), p3 = _mm256_add_pd(start, l3);
    alignas(32) double before[kFanOut];
    _mm256_store_pd(before, start);
    _mm256_store_pd(before + 4, p0);
    _mm256_store_pd(before + 8, p1);
    _mm256_store_pd(before + 12, p2);
    // How many running sums are at most mass: two bits each after packing 64 -> 32 -> 16 bits.
    const __m256d limit = _mm256_set1_pd(mass);
    const __m256i low = _mm256_packs_epi32(passed(p0, limit), passed(p1, limit));
    const __m256i high = _mm256_packs_epi32(passed(p2, limit), passed(p3, limit));
    const auto bits =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(low, high)));
    auto k = static_cast<std::size_t>(__builtin_popcount(bits)) / 2;
    if (k == kFanOut) [[unlikely]] {
      k = PortableLine::last_moving(before, _mm_cvtsd_f64(g.total));
    }
    mass -= before[place(k)];
    return k;
  }

  MNEME_LINE_AVX2 static float lowest(const float* line) {
    const __m256i minus_one = _mm256_set1_epi32(-1);
    const auto* at = reinterpret_cast<const __m256i*>(line);
    const __m256i eight = _mm256_min_epu32(_mm256_add_epi32(_mm256_load_si256(at), minus_one),
                                           _mm256_add_epi32(_mm256_load_si256(at + 1), minus_one));
    __m128i four = _mm_min_epu32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    four = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4e));
    four = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0xb1));
    return std::bit_cast<float>(_mm_cvtsi128_si32(four) + 1);
  }

  MNEME_LINE_AVX2 static float highest(const float* line) {
    const __m256 eight = _mm256_max_ps(_mm256_load_ps(line), _mm256_load_ps(line + 8));
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
  }
};

#endif

}  // namespace mneme::detail
