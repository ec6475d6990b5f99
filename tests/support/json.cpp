// tests/support/json.cpp - recursive descent over the grammar of RFC 8259.
#include "support/json.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace mneme::test {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  JsonValue document() {
    JsonValue value = any();
    blanks();
    if (at_ < text_.size()) fail("something follows the value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("JSON, character " + std::to_string(at_) + ": " + what);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected ") + c);
  }
  void blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++at_;
  }
  void word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) fail("not a value");
    at_ += wanted.size();
  }

  JsonValue any() {
    blanks();
    JsonValue value;
    switch (peek()) {
      case '{':
      case '[':
        return list(peek());
      case '"':
        value.kind = JsonValue::Kind::text;
        value.text = string();
        return value;
      case 't':
      case 'f':
        value.kind = JsonValue::Kind::boolean;
        value.boolean = peek() == 't';
        word(value.boolean ? "true" : "false");
        return value;
      case 'n':
        word("null");
        return value;
      default:
        return number();
    }
  }

  JsonValue list(char open) {
    const bool object = open == '{';
    const char close = object ? '}' : ']';
    JsonValue value;
    value.kind = object ? JsonValue::Kind::object : JsonValue::Kind::array;
    expect(open);
    blanks();
    if (take(close)) return value;
    do {
      std::string name;
      if (object) {
        blanks();
        name = string();
        if (value.has(name)) fail("the key " + name + " is there twice");
        blanks();
        expect(':');
      }
      value.members.emplace_back(name, any());
      blanks();
    } while (take(','));
    expect(close);
    return value;
  }

  std::string string() {
    expect('"');
    std::string out;
    while (peek() != '"') {
      if (at_ >= text_.size() || static_cast<unsigned char>(peek()) < 0x20)
        fail("a text does not end");
      if (!take('\\')) {
        out += text_[at_++];
        continue;
      }
      const char escaped = peek();
      ++at_;
      if (escaped == 'u') {
        const std::string digits(text_.substr(at_, 4));
        if (digits.size() != 4 ||
            digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
          fail("\\u needs four hexadecimal digits");
        const long code = std::strtol(digits.c_str(), nullptr, 16);
        if (code > 0x7f) fail("escapes beyond ASCII are not read here");
        out += static_cast<char>(code);
        at_ += 4;
      } else {
        constexpr std::string_view kWritten = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
        const std::size_t which = kWritten.find(escaped);
        if (which == std::string_view::npos) fail("unknown escape");
        out += kMeant[which];
      }
    }
    expect('"');
    return out;
  }

  void digits() {
    if (peek() < '0' || peek() > '9') fail("expected a digit");
    while (peek() >= '0' && peek() <= '9') ++at_;
  }

  JsonValue number() {
    const std::size_t begin = at_;
    take('-');
    if (!take('0')) digits();
    if (take('.')) digits();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      digits();
    }
    JsonValue value;
    value.kind = JsonValue::Kind::number;
    value.text = text_.substr(begin, at_ - begin);
    value.number = std::strtod(value.text.c_str(), nullptr);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool JsonValue::has(std::string_view name) const {
  return std::any_of(members.begin(), members.end(),
                     [&](const auto& member) { return member.first == name; });
}

const JsonValue& JsonValue::operator[](std::string_view name) const {
  for (const auto& [key, value] : members)
    if (kind == Kind::object && key == name) return value;
  throw std::runtime_error("JSON has no key " + std::string(name));
}

const JsonValue& JsonValue::operator[](std::size_t place) const {
  if (kind != Kind::array || place >= members.size())
    throw std::runtime_error("JSON has no element " + std::to_string(place));
  return members[place].second;
}

std::vector<std::string> JsonValue::keys() const {
  std::vector<std::string> names;
  for (const auto& member : members) names.push_back(member.first);
  return names;
}

JsonValue parse_json(std::string_view text) { return Reader(text).document(); }

}  // namespace mneme::test
