// cli/options.cpp - reading and checking the values of options.
#include "cli/options.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/quantity.h"
#include "base/text.h"
#include "mneme/error.h"
#include "term/number_format.h"

namespace mneme::lab {
namespace {

constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();

std::string range_text(Index least, Index most) {
  if (most == std::numeric_limits<Index>::max()) return concat("must be at least ", least);
  const auto shown = [](Index value) { return count(static_cast<double>(value)); };
  return concat("must be from ", shown(least), " to ", shown(most));
}

// A check that says nothing in the help: the help text names the range where it matters.
CLI::Validator check_of(std::function<std::string(std::string&)> function) {
  return CLI::Validator(std::move(function), "", "");
}

template <class Fits>
CLI::Validator number_check(std::string allowed, Fits fits) {
  return check_of([allowed = std::move(allowed), fits](std::string& text) {
    const std::optional<double> value = parse_number(text);
    if (value && fits(*value)) return std::string();
    return concat("must be ", allowed, ", got '", text, "'");
  });
}

}  // namespace

CLI::Option* add_count(CLI::App* command, const std::string& name, Index& value,
                       const std::string& help) {
  return command
      ->add_option_function<std::string>(
          name, [name, &value](const std::string& text) { value = parse_count(name, text); }, help)
      ->type_name("N");
}

CLI::Option* add_ratio(CLI::App* command, const std::string& name, double& value,
                       const std::string& help) {
  return command
      ->add_option_function<std::string>(
          name, [name, &value](const std::string& text) { value = parse_ratio(name, text); }, help)
      ->type_name("X");
}

CLI::Option* add_positive(CLI::App* command, const std::string& name, double& value,
                          const std::string& help) {
  return command
      ->add_option_function<std::string>(
          name,
          [name, &value](const std::string& text) {
            const auto number = parse_number(text);  // neither nan nor inf is a number to it
            if (!number || !(*number > 0))
              throw InvalidArgument(concat(name, " must be a number above 0, got '", text, "'"));
            value = *number;
          },
          help)
      ->type_name("X");
}

CLI::Option* add_seed(CLI::App* command, const std::string& name, std::uint64_t& value,
                      const std::string& help) {
  return command
      ->add_option_function<std::string>(
          name,
          [name, &value](const std::string& text) {
            std::uint64_t number = 0;
            const char* end = text.data() + text.size();
            const auto [at, error] = std::from_chars(text.data(), end, number);
            if (error != std::errc() || at != end || number > kLargestSeed)
              throw InvalidArgument(concat(name, " must be a whole number from 0 to ", kLargestSeed,
                                           ", got '", text, "'"));
            value = number;
          },
          help)
      ->type_name("N");
}

CLI::Option* add_share(CLI::App* command, const std::string& name, double& value,
                       const std::string& help) {
  return command
      ->add_option_function<std::string>(
          name, [name, &value](const std::string& text) { value = parse_share(name, text); }, help)
      ->type_name("X");
}

CLI::Validator whole_number(Index least, Index most) {
  return check_of([least, most](std::string& text) {
    Index value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (stop != end || text.empty() || error == std::errc::invalid_argument)
      return concat("must be a whole number, got '", text, "'");
    if (error == std::errc::result_out_of_range || value < least || value > most)
      return concat(range_text(least, most), ", got ", text);
    return std::string();
  });
}

CLI::Validator seed_number() { return whole_number(0); }

CLI::Validator finite_number() {
  return number_check("a finite number", [](double) { return true; });
}
CLI::Validator finite_number(double least, double most) {
  return number_check(concat("a number from ", least, " to ", most),
                      [=](double value) { return value >= least && value <= most; });
}
CLI::Validator number_above(double limit, double most) {
  return number_check(concat("a number above ", limit, ", at most ", most),
                      [=](double value) { return value > limit && value <= most; });
}
CLI::Validator number_between(double low, double high) {
  return number_check(concat("a number above ", low, " and below ", high),
                      [=](double value) { return value > low && value < high; });
}

CLI::Validator one_of(std::vector<std::string> names) {
  return check_of([names = std::move(names)](std::string& text) {
    if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
    return concat("must be ", join({names.begin(), names.end() - 1}), " or ", names.back(),
                  ", got '", text, "'");
  });
}

CLI::Validator not_empty() {
  return check_of([](std::string& text) {
    return text.empty() ? std::string("must not be empty") : std::string();
  });
}

void add_json(CLI::App* command, bool& json, const std::string& help) {
  command->add_flag("--json", json, help);
}

void add_html(CLI::App* command, std::string& path, const std::string& help) {
  command->add_option("--html", path, help)->type_name("FILE")->check(not_empty());
}

void add_ere_options(CLI::App* command, EreSetting& setting) {
  add_count(command, "--cycle", setting.cycle, "ERE: updates per cycle (1000)");
  add_ratio(command, "--span", setting.span, "ERE: exponent at the end of a cycle (1000)");
  add_ratio(command, "--minimum", setting.minimum,
            "ERE: smallest window in transitions; below 1, a share of the capacity (0.005)");
}

}  // namespace mneme::lab
