// tests/support/json.h - a strict JSON reader for tests: what it accepts, every other reader
// accepts too.
//
// RFC 8259 without leniency: no trailing commas, no NaN, no leading zeros, no duplicate keys, no
// bare control characters, nothing after the value.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mneme::test {

struct JsonValue {
  enum class Kind { null, boolean, number, text, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string text;                                        ///< of a text; of a number as written
  std::vector<std::pair<std::string, JsonValue>> members;  ///< of an object; an array has no names

  /// Member of an object, element of an array. Throws std::runtime_error if it is missing.
  const JsonValue& operator[](std::string_view name) const;
  const JsonValue& operator[](std::size_t place) const;
  bool has(std::string_view name) const;
  std::size_t size() const { return members.size(); }
  std::vector<std::string> keys() const;
};

/// Throws std::runtime_error with the place and what is wrong there.
JsonValue parse_json(std::string_view text);

}  // namespace mneme::test
