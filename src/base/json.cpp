// base/json.cpp - escaping and number formatting of the JSON writer.
#include "base/json.h"

#include <cmath>
#include <locale>
#include <sstream>

namespace mneme {

void Json::separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

Json& Json::open(char bracket) {
  separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

Json& Json::close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

Json& Json::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

Json& Json::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

Json& Json::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  out << number;
  text_ += out.str();
  return *this;
}

Json& Json::value(bool flag) {
  separate();
  text_ += flag ? "true" : "false";
  return *this;
}

Json& Json::integer(std::int64_t number) {
  separate();
  text_ += std::to_string(number);
  return *this;
}

Json& Json::null() {
  separate();
  text_ += "null";
  return *this;
}

Json& Json::values(std::span<const double> numbers) {
  begin_array();
  for (const double number : numbers) value(number);
  return end_array();
}

void Json::quote(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  text_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (byte < 0x20 || c == '<') {
      // '<' too, so that JSON can stand inside a <script> element of a report.
      text_ += "\\u00";
      text_ += kHex[byte >> 4];
      text_ += kHex[byte & 15];
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace mneme
