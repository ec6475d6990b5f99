// storage/convert.cpp - conversions between storage types, 16-bit floats in software.
#include "storage/convert.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace mneme {
namespace {

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

float widen(Half h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000) << 16,
                      rest = h.bits & 0x7fff;
  // 2^112 moves the exponent where a float has it, and makes denormals normal on the way.
  const float magnitude = std::bit_cast<float>(rest << 13) * 0x1p112f;
  const std::uint32_t bits =
      rest >= 0x7c00 ? (rest << 13 | 0x7f800000) : std::bit_cast<std::uint32_t>(magnitude);
  return std::bit_cast<float>(bits | sign);
}

Half narrow_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  std::uint32_t out;
  if (magnitude > 0x7f800000) {
    out = 0x7e00;  // NaN
  } else if (magnitude >= 0x477ff000) {
    out = 0x7c00;  // rounds to infinity
  } else if (magnitude < 0x38800000) {
    // denormal: let the addition round to the last bit that a half has
    out = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  } else {
    out = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >>
          13;  // to nearest, ties to even
  }
  return {static_cast<std::uint16_t>(out | sign)};
}

float widen(Bfloat b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b.bits) << 16); }

Bfloat narrow_bfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return {static_cast<std::uint16_t>((bits >> 16) | 0x40)};
  return {static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

template <class To, class From>
To cast(From value) {
  if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, Bfloat>) {
    return cast<To>(widen(value));
  } else if constexpr (std::is_same_v<To, Half>) {
    return narrow_half(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Bfloat>) {
    return narrow_bfloat(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(value)) return 0;
    const double wide = static_cast<double>(value);
    if (wide <= static_cast<double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (wide >= static_cast<double>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void convert_all(const void* from, void* to, std::size_t count) {
  // Rows are packed without regard to alignment: through memcpy.
  for (std::size_t k = 0; k < count; ++k) {
    From value;
    std::memcpy(&value, static_cast<const char*>(from) + k * sizeof(From), sizeof(From));
    const To result = cast<To>(value);
    std::memcpy(static_cast<char*>(to) + k * sizeof(To), &result, sizeof(To));
  }
}

template <class Use>
void with_type(DType type, Use&& use) {
  switch (type) {
    case DType::f32:
      return use(float{});
    case DType::f64:
      return use(double{});
    case DType::f16:
      return use(Half{});
    case DType::bf16:
      return use(Bfloat{});
    case DType::u8:
      return use(std::uint8_t{});
    case DType::i32:
      return use(std::int32_t{});
    case DType::i64:
      return use(std::int64_t{});
  }
}

bool is_float(DType type) {
  return type == DType::f32 || type == DType::f64 || type == DType::f16 || type == DType::bf16;
}

}  // namespace

std::size_t size_of(DType type) {
  std::size_t size = 0;
  with_type(type, [&](auto example) { size = sizeof(example); });
  return size;
}

std::string_view name_of(DType type) {
  constexpr std::string_view kNames[]{"f32", "f64", "f16", "bf16", "u8", "i32", "i64"};
  return kNames[static_cast<std::size_t>(type)];
}

Index FieldSpec::count() const {
  Index product = 1;
  for (const Index dimension : shape) product *= dimension;
  return product;
}

bool can_store(DType from, DType to) { return from == to || (is_float(from) && is_float(to)); }

void convert(const void* from, DType from_type, void* to, DType to_type, std::size_t count) {
  if (from_type == to_type) {
    std::memcpy(to, from, count * size_of(from_type));
    return;
  }
  with_type(from_type, [&](auto source) {
    with_type(to_type, [&](auto target) {
      convert_all<decltype(target), decltype(source)>(from, to, count);
    });
  });
}

}  // namespace mneme
