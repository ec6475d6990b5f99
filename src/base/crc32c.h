// base/crc32c.h - CRC-32C (Castagnoli), the checksum of everything mneme keeps in files.
//
//   std::uint32_t sum = crc32c(0, first.data(), first.size());
//   sum = crc32c(sum, second.data(), second.size());      // the same as over both together
//
// By the processor's own instruction where there is one, by tables otherwise; both give the same
// sums. Any change of up to 32 neighboring bits is found for certain.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mneme {

/// The sum of what `sum` is of, followed by these bytes. Begin with 0.
std::uint32_t crc32c(std::uint32_t sum, const void* data, std::size_t bytes);

namespace detail {
/// The same without the instruction, where a processor lacks it and in the test that compares both.
std::uint32_t crc32c_by_table(std::uint32_t sum, const void* data, std::size_t bytes);
}  // namespace detail

}  // namespace mneme
