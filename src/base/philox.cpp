// base/philox.cpp - Philox 4x32-10, scalar and with AVX2.
//
// The vector path keeps twelve blocks in flight, because one alone waits for its own
// multiplications. 32-bit words sit in the low halves of 64-bit lanes, where one instruction
// multiplies 32 x 32 -> 64 bits. High halves may hold leftovers; the multiplication ignores them.
#include "base/philox.h"

#include <algorithm>

#include "base/cpu.h"

#if MNEME_HAS_AVX2_PATH
#include <immintrin.h>
#endif

namespace mneme::detail {
namespace {

constexpr std::uint32_t kMultiply0 = 0xD2511F53, kMultiply1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

#if MNEME_HAS_AVX2_PATH

struct FourBlocks {
  __m256i x0, x1, x2, x3;
};

__attribute__((target("avx2"), always_inline)) inline FourBlocks round(const FourBlocks& b,
                                                                       __m256i key0, __m256i key1,
                                                                       __m256i m0, __m256i m1) {
  const __m256i product0 = _mm256_mul_epu32(b.x0, m0);
  const __m256i product1 = _mm256_mul_epu32(b.x2, m1);
  // The key goes onto the word that is ready early: one operation less between two multiplications.
  return {_mm256_xor_si256(_mm256_srli_epi64(product1, 32), _mm256_xor_si256(b.x1, key0)), product1,
          _mm256_xor_si256(_mm256_srli_epi64(product0, 32), _mm256_xor_si256(b.x3, key1)),
          product0};
}

__attribute__((target("avx2"), always_inline)) inline void store(const FourBlocks& b,
                                                                 std::uint64_t* out) {
  // (x0, x1) is the first word of a block and (x2, x3) the second; undo the lane order of unpack.
  const __m256i first = _mm256_blend_epi32(b.x0, _mm256_slli_epi64(b.x1, 32), 0xAA);
  const __m256i second = _mm256_blend_epi32(b.x2, _mm256_slli_epi64(b.x3, 32), 0xAA);
  const __m256i even = _mm256_unpacklo_epi64(first, second);
  const __m256i odd = _mm256_unpackhi_epi64(first, second);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permute2x128_si256(even, odd, 0x20));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 4),
                      _mm256_permute2x128_si256(even, odd, 0x31));
}

// REQUIRES: count is a multiple of kInFlight.
constexpr std::size_t kInFlight = 12;
__attribute__((target("avx2"))) void blocks_avx2(const PhiloxKey& key, std::uint64_t first,
                                                 std::size_t count, std::uint64_t* out) {
  const __m256i m0 = _mm256_set1_epi64x(kMultiply0), m1 = _mm256_set1_epi64x(kMultiply1);
  const __m256i stream = _mm256_set1_epi64x(key.stream), purpose = _mm256_set1_epi64x(key.purpose);
  const __m256i four = _mm256_set1_epi64x(4);
  for (std::size_t done = 0; done < count; done += kInFlight, out += 2 * kInFlight) {
    const __m256i block0 = _mm256_add_epi64(
        _mm256_set1_epi64x(static_cast<long long>(first + done)), _mm256_set_epi64x(3, 2, 1, 0));
    const __m256i block4 = _mm256_add_epi64(block0, four), block8 = _mm256_add_epi64(block4, four);
    FourBlocks a{block0, _mm256_srli_epi64(block0, 32), stream, purpose};
    FourBlocks b{block4, _mm256_srli_epi64(block4, 32), stream, purpose};
    FourBlocks c{block8, _mm256_srli_epi64(block8, 32), stream, purpose};
    auto k0 = static_cast<std::uint32_t>(key.seed), k1 = static_cast<std::uint32_t>(key.seed >> 32);
    for (int r = 0; r < kRounds; ++r) {
      const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
      a = round(a, key0, key1, m0, m1);
      b = round(b, key0, key1, m0, m1);
      c = round(c, key0, key1, m0, m1);
      k0 += kWeyl0;
      k1 += kWeyl1;
    }
    store(a, out);
    store(b, out + 8);
    store(c, out + 16);
  }
}

#endif

}  // namespace

std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> c,
                                           std::array<std::uint32_t, 2> key) {
  for (int r = 0; r < kRounds; ++r) {
    const std::uint64_t product0 = std::uint64_t{kMultiply0} * c[0];
    const std::uint64_t product1 = std::uint64_t{kMultiply1} * c[2];
    c = {static_cast<std::uint32_t>(product1 >> 32) ^ c[1] ^ key[0],
         static_cast<std::uint32_t>(product1),
         static_cast<std::uint32_t>(product0 >> 32) ^ c[3] ^ key[1],
         static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return c;
}

void philox_blocks_portable(const PhiloxKey& key, std::uint64_t first, std::size_t count,
                            std::uint64_t* out) {
  const std::array<std::uint32_t, 2> seed{static_cast<std::uint32_t>(key.seed),
                                          static_cast<std::uint32_t>(key.seed >> 32)};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t block = first + i;
    const auto x = philox4x32_10({static_cast<std::uint32_t>(block),
                                  static_cast<std::uint32_t>(block >> 32), key.stream, key.purpose},
                                 seed);
    out[2 * i] = x[0] | std::uint64_t{x[1]} << 32;
    out[2 * i + 1] = x[2] | std::uint64_t{x[3]} << 32;
  }
}

void philox_blocks(const PhiloxKey& key, std::uint64_t first, std::size_t count,
                   std::uint64_t* out) {
#if MNEME_HAS_AVX2_PATH
  if (use_avx2()) {
    const std::size_t whole = count - count % kInFlight;
    blocks_avx2(key, first, whole, out);
    if (whole < count) {
      std::array<std::uint64_t, 2 * kInFlight> rest;
      blocks_avx2(key, first + whole, kInFlight, rest.data());
      std::copy_n(rest.begin(), 2 * (count - whole), out + 2 * whole);
    }
    return;
  }
#endif
  philox_blocks_portable(key, first, count, out);
}

}  // namespace mneme::detail
