// base/philox.h - the Philox 4x32-10 block function, one block at a time and many in a row.
//
// A block is 128 random bits: two 64-bit words. The counter is (block number: 64 bits, stream,
// purpose), the key is the seed, so two generators that differ in any of them can never meet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mneme::detail {

/// The published function: four counter words and two key words in, four random words out.
std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key);

struct PhiloxKey {
  std::uint64_t seed;
  std::uint32_t stream;
  std::uint32_t purpose;
};

/// Blocks first .. first+count-1, two words each, into out. Uses AVX2 where the processor has it;
/// same bits either way.
void philox_blocks(const PhiloxKey& key, std::uint64_t first, std::size_t count,
                   std::uint64_t* out);

/// The path without vector instructions, for comparison.
void philox_blocks_portable(const PhiloxKey& key, std::uint64_t first, std::size_t count,
                            std::uint64_t* out);

}  // namespace mneme::detail
