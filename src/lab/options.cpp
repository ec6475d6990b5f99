// lab/options.cpp - reading counts and ratios the way people write them.
#include "lab/options.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

Index parse_count(const std::string& name, std::string text) {
  const std::string given = text;
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ',' || c == '_'; }), text.end());
  double unit = 1;
  if (!text.empty() && text.back() == 'k') unit = 1e3;
  if (!text.empty() && text.back() == 'M') unit = 1e6;
  if (!text.empty() && text.back() == 'G') unit = 1e9;
  if (unit > 1) text.pop_back();
  const auto value = parse_number(text);
  if (!value || *value * unit != std::floor(*value * unit) || std::abs(*value * unit) > 0x1p53)
    throw InvalidArgument(concat(name, " is '", given.substr(0, 40), "'; write a whole number such as 1000000, 1e6 or 1M"));
  return static_cast<Index>(*value * unit);
}

double parse_ratio(const std::string& name, const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto over = parse_number(text.substr(0, slash));
  const auto under = slash == std::string::npos ? 1.0 : parse_number(text.substr(slash + 1));
  if (!over || !under || !(*under > 0) || !(*over > 0))
    throw InvalidArgument(concat(name, " is '", text.substr(0, 40), "'; write a number above 0, such as 2, 0.5 or 1/64"));
  return *over / *under;
}

}  // namespace

CLI::Option* add_count(CLI::App* command, const std::string& name, Index& value, const std::string& help) {
  return command
      ->add_option_function<std::string>(name, [name, &value](const std::string& text) { value = parse_count(name, text); }, help)
      ->type_name("N");
}

CLI::Option* add_ratio(CLI::App* command, const std::string& name, double& value, const std::string& help) {
  return command
      ->add_option_function<std::string>(name, [name, &value](const std::string& text) { value = parse_ratio(name, text); }, help)
      ->type_name("X");
}

void add_ere_options(CLI::App* command, EreSetting& setting) {
  add_count(command, "--cycle", setting.cycle, "ERE: updates in a cycle (1000)");
  add_ratio(command, "--span", setting.span, "ERE: exponent at the end of a cycle (1000)");
  add_ratio(command, "--minimum", setting.minimum, "ERE: smallest window; below 1, a share of the capacity (0.005)");
}

}  // namespace mneme::lab
