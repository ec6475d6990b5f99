// tests/fuzz/number_fuzz.cpp - any text into parse_number; what it accepts must survive the way
// back.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"

// The name and the types are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto value = mneme::parse_number(text)) {
    if (!std::isfinite(*value)) std::abort();
    if (mneme::parse_number(mneme::shortest_number(*value)) != value) std::abort();
  }
  return 0;
}
