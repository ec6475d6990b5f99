// explorer/compat.h - what the standard library of Emscripten 3.1.6 lacks; included before every file.
//
// Its libc++ (14) has no std::bit_cast, which the core uses; the compiler (clang 14) has the builtin behind it.
#pragma once

#include <bit>

#ifndef __cpp_lib_bit_cast
namespace std {  // NOLINT(cert-dcl58-cpp): the definition the standard asks for
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif
