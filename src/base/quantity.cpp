// base/quantity.cpp - counts, ratios and shares as people write them.
#include "base/quantity.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 1,000,000 and 1_000_000 without their separators; nothing if one does not stand before three
// digits.
std::optional<std::string> ungrouped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',' && text[i] != '_') {
      out += text[i];
      continue;
    }
    const std::string group = text.substr(i + 1, 3);
    const bool fits = i > 0 && is_digit(text[i - 1]) && group.size() == 3 &&
                      std::all_of(group.begin(), group.end(), is_digit) &&
                      (i + 4 >= text.size() || !is_digit(text[i + 4]));
    if (!fits || out.find('.') != std::string::npos) return std::nullopt;
  }
  return out;
}

}  // namespace

Index parse_count(const std::string& name, const std::string& given) {
  std::string text = ungrouped(given).value_or("");
  double unit = 1;
  if (!text.empty() && text.back() == 'k') unit = 1e3;
  if (!text.empty() && text.back() == 'M') unit = 1e6;
  if (!text.empty() && text.back() == 'G') unit = 1e9;
  if (unit > 1) text.pop_back();
  const double value = parse_number(text).value_or(std::nan("")) * unit;
  if (value != std::floor(value) || std::abs(value) > static_cast<double>(kMaxCapacity))
    throw InvalidArgument(concat(name, " is '", given.substr(0, 40),
                                 "'; write a whole number up to 2^50, such as 1000000, 1e6 or 1M"));
  return static_cast<Index>(value);
}

double parse_ratio(const std::string& name, const std::string& text) {
  const auto value = parse_fraction(text);
  if (!value || !(*value > 0))
    throw InvalidArgument(concat(name, " is '", text.substr(0, 40),
                                 "'; write a number above 0, such as 2, 0.5 or 1/64"));
  return *value;
}

double parse_share(const std::string& name, const std::string& text) {
  const auto value = parse_fraction(text);
  if (!value || !(*value >= 0 && *value <= 1))
    throw InvalidArgument(concat(name, " is '", text.substr(0, 40),
                                 "'; write a number from 0 to 1, such as 0.857 or 6/7"));
  return *value;
}

}  // namespace mneme
