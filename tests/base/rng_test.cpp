// tests/base/rng_test.cpp - Philox against the published vectors; one stream of numbers however it
// is read.
#include "mneme/rng.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/cpu.h"
#include "base/elementary.h"
#include "base/philox.h"
#include "mneme/error.h"

namespace mneme {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers distributed with Random123 (Salmon et al.) for philox4x32, 10 rounds.
TEST(Philox, MatchesThePublishedVectors) {
  EXPECT_EQ(detail::philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(detail::philox4x32_10({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(detail::philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                  {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, VectorAndPortablePathsGiveTheSameBits) {
  const detail::PhiloxKey key{0x0123456789abcdef, 77, 5};
  // The last start crosses from 32 to 33 bits of block number.
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{12345}, (std::uint64_t{1} << 32) - 13}) {
    for (const std::size_t count : {1u, 7u, 8u, 9u, 64u, 101u}) {
      std::vector<std::uint64_t> fast(2 * count), plain(2 * count);
      detail::philox_blocks(key, first, count, fast.data());
      detail::philox_blocks_portable(key, first, count, plain.data());
      EXPECT_EQ(fast, plain) << "first block " << first << ", " << count << " blocks";
    }
  }
}

TEST(Rng, FillGivesTheSameNumbersAsSingleCalls) {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 255u, 256u, 257u, 1000u}) {
    for (const int skipped : {0, 1, 2}) {
      Rng one(9, 1, 2), other(9, 1, 2);
      for (int i = 0; i < skipped; ++i) EXPECT_EQ(one.word(), other.word());
      std::vector<double> block(size);
      one.fill_uniform(block);
      for (const double u : block) ASSERT_EQ(u, other.uniform());
      EXPECT_EQ(one.state(), other.state());
      EXPECT_EQ(one.word(), other.word());
    }
  }
}

TEST(Rng, StateRestoresTheExactNextNumber) {
  Rng rng(3, 4, 5);
  for (int i = 0; i < 1001; ++i) rng.word();
  Rng again(rng.state());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(rng.word(), again.word());
}

TEST(Rng, SeedPurposeAndStreamAllMatter) {
  const std::uint64_t base = Rng(1, 2, 3).word();
  EXPECT_NE(base, Rng(2, 2, 3).word());
  EXPECT_NE(base, Rng(1, 3, 3).word());
  EXPECT_NE(base, Rng(1, 2, 4).word());
  EXPECT_NE(base, Rng(1 + (std::uint64_t{1} << 40), 2, 3).word());
}

// Golden: these numbers are part of every saved run. They change only in a commit that says so.
TEST(Rng, GoldenSequence) {
  Rng rng(20260, 1, 7);
  for (const std::uint64_t expected :
       {0x17a5eddb55a0ce95ULL, 0xf004f9aac30ec333ULL, 0xc8a61a0f480be896ULL})
    EXPECT_EQ(rng.word(), expected);
}

TEST(Rng, UniformsLieInTheUnitIntervalAndUseAllBits) {
  EXPECT_EQ(Rng::to_unit(0), 0.0);
  EXPECT_EQ(Rng::to_unit(~std::uint64_t{0}), 1.0 - 0x1p-53);
  EXPECT_EQ(Rng::to_unit(std::uint64_t{1} << 11), 0x1p-53);
  Rng rng(1);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t word = rng.word();
    ASSERT_EQ(detail::unit_of(word), Rng::to_unit(word));
  }
  EXPECT_EQ(detail::unit_of(~std::uint64_t{0}), 1.0 - 0x1p-53);
  EXPECT_EQ(detail::unit_of(0), 0.0);
}

TEST(Rng, BelowIsUnbiased) {
  Rng rng(11);
  std::array<int, 6> counts{};
  constexpr int kDraws = 600'000;
  for (int i = 0; i < kDraws; ++i) ++counts[rng.below(6)];
  double chi_square = 0;
  for (const int count : counts)
    chi_square += (count - kDraws / 6.0) * (count - kDraws / 6.0) / (kDraws / 6.0);
  EXPECT_LT(chi_square, 35.9);  // 5 degrees of freedom, false alarm 1e-6

  // Power: a bound just above 2^63 makes the naive high-half method favor values by a factor of
  // two.
  const std::uint64_t bound = (std::uint64_t{1} << 63) + (std::uint64_t{1} << 62);
  int low_half = 0;
  for (int i = 0; i < 100'000; ++i) low_half += rng.below(bound) < bound / 2;
  EXPECT_NEAR(low_half, 50'000, 5 * 158);
}

TEST(Rng, BelowRefusesAnEmptyRange) {
  Rng rng(1);
  EXPECT_EQ(rng.below(1), 0u);
  EXPECT_THROW(rng.below(0), InvalidArgument);
}

}  // namespace
}  // namespace mneme
