// base/json.h - a writer for JSON text. Numbers carry 17 digits, so that a reader gets the very
// same double.
//
//   Json json;
//   json.begin_object().key("size").value(8).key("pmf").begin_array().value(0.5).end_array().end_object();
//   std::move(json).text();
//
// NaN and infinities have no JSON form and become null. There is no reader here: mneme's core never
// parses JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mneme {

class Json {
 public:
  Json& begin_object() { return open('{'); }
  Json& end_object() { return close('}'); }
  Json& begin_array() { return open('['); }
  Json& end_array() { return close(']'); }
  Json& key(std::string_view name);

  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(double number);
  Json& value(bool flag);
  Json& value(std::integral auto number) { return integer(static_cast<std::int64_t>(number)); }
  Json& null();
  Json& values(std::span<const double> numbers);

  /// key and value in one go.
  template <class T>
  Json& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  /// The finished text. REQUIRES: every object and array is closed.
  std::string text() && { return std::move(text_); }

 private:
  Json& open(char bracket);
  Json& close(char bracket);
  Json& integer(std::int64_t number);
  void separate();
  void quote(std::string_view text);

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace mneme
