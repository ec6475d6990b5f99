// os/toml_limits.cpp - one pass that knows strings and comments, nothing else of TOML.
#include "os/toml_limits.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr int kMostParts = 32, kMostNested = 32;

// The position after the string that begins at `at`, or the end of the text.
std::size_t after_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = text.substr(at, 3);
  const bool long_string = three.size() == 3 && three[1] == quote && three[2] == quote;
  const std::string_view end = long_string ? three : text.substr(at, 1);
  for (at += end.size(); at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"')
      ++at;
    else if (text.substr(at, end.size()) == end)
      return at + end.size();
    else if (text[at] == '\n' && !long_string)
      return at;
  }
  return text.size();
}

}  // namespace

void check_toml_limits(std::string_view text) {
  if (text.size() > kMostBytes)
    throw InvalidArgument(
        concat("the text has ", text.size(), " bytes; at most ", kMostBytes, " are read"));
  std::ptrdiff_t line = 1;
  int dots = 0, nested = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = after_string(text, at);
      line += std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                         text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
      at = end;
      continue;
    }
    ++at;
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '.') {
      if (++dots >= kMostParts)
        throw InvalidArgument(
            concat("line ", line, ": a key must have at most ", kMostParts, " parts"));
    } else if (c == '[' || c == '{') {
      if (++nested > kMostNested)
        throw InvalidArgument(
            concat("line ", line, ": brackets must be nested at most ", kMostNested, " deep"));
      dots = 0;
    } else if (c == ']' || c == '}') {
      --nested;
      dots = 0;
    } else if (c == '=' || c == ',' || c == '\n') {
      dots = 0;
    }
    if (c == '\n') ++line;
  }
}

}  // namespace mneme::lab
