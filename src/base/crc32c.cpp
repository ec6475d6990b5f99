// base/crc32c.cpp - eight bytes at a time, by instruction or by tables.
#include "base/crc32c.h"

#include <array>
#include <cstring>

#include "base/cpu.h"

#if MNEME_HAS_AVX2_PATH
#include <immintrin.h>
#endif

namespace mneme {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // Castagnoli, reflected

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b]: what byte b does to the sum when k more bytes follow it.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? kPolynomial : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

#if MNEME_HAS_AVX2_PATH
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::uint32_t sum,
                                                               const unsigned char* at,
                                                               std::size_t bytes) {
  std::uint64_t wide = ~sum;
  for (; bytes >= 8; at += 8, bytes -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    wide = _mm_crc32_u64(wide, word);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; bytes > 0; ++at, --bytes) narrow = _mm_crc32_u8(narrow, *at);
  return ~narrow;
}
#endif

}  // namespace

std::uint32_t detail::crc32c_by_table(std::uint32_t sum, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  sum = ~sum;
  for (; bytes >= 8; at += 8, bytes -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    word ^= sum;
    sum = 0;
    for (std::size_t k = 0; k < 8; ++k) sum ^= kTables[7 - k][word >> (8 * k) & 0xff];
  }
  for (; bytes > 0; ++at, --bytes) sum = sum >> 8 ^ kTables[0][(sum ^ *at) & 0xff];
  return ~sum;
}

std::uint32_t crc32c(std::uint32_t sum, const void* data, std::size_t bytes) {
#if MNEME_HAS_AVX2_PATH
  // Every processor with AVX2 has SSE 4.2.
  if (detail::use_avx2())
    return by_instruction(sum, static_cast<const unsigned char*>(data), bytes);
#endif
  return detail::crc32c_by_table(sum, data, bytes);
}

}  // namespace mneme
