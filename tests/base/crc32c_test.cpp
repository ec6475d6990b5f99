// tests/base/crc32c_test.cpp - known sums, both paths, sums in pieces, every single flipped bit.
#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "mneme/rng.h"

namespace mneme {
namespace {

// The check value of the CRC catalogue and the vectors of RFC 3720, appendix B.4.
TEST(Crc32c, KnownSums) {
  EXPECT_EQ(crc32c(0, "123456789", 9), 0xe3069283U);
  const std::vector<unsigned char> zeros(32, 0), ones(32, 0xff);
  EXPECT_EQ(crc32c(0, zeros.data(), 32), 0x8a9136aaU);
  EXPECT_EQ(crc32c(0, ones.data(), 32), 0x62a8ab43U);
  std::vector<unsigned char> rising(32);
  for (std::size_t k = 0; k < 32; ++k) rising[k] = static_cast<unsigned char>(k);
  EXPECT_EQ(crc32c(0, rising.data(), 32), 0x46dd794eU);
  EXPECT_EQ(crc32c(0, nullptr, 0), 0U);
}

TEST(Crc32c, BothPathsAndAnyPiecesGiveOneSum) {
  Rng rng(31);
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<unsigned char> bytes(size);
    for (auto& byte : bytes) byte = static_cast<unsigned char>(rng.word());
    const std::uint32_t whole = crc32c(0, bytes.data(), size);
    EXPECT_EQ(detail::crc32c_by_table(0, bytes.data(), size), whole);
    for (std::size_t cut = 0; cut <= size; ++cut) {
      const std::uint32_t first = crc32c(0, bytes.data(), cut);
      EXPECT_EQ(crc32c(first, bytes.data() + cut, size - cut), whole);
    }
  }
}

TEST(Crc32c, SeesEveryFlippedBit) {
  std::vector<unsigned char> bytes(257, 0x5a);
  const std::uint32_t whole = crc32c(0, bytes.data(), bytes.size());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
    EXPECT_NE(crc32c(0, bytes.data(), bytes.size()), whole);
    bytes[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
  }
}

}  // namespace
}  // namespace mneme
