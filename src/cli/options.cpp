// cli/options.cpp - option types that several commands share.
#include "cli/options.h"

#include <charconv>
#include <limits>

#include "base/quantity.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();

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

void add_html(CLI::App* command, std::string& path, const std::string& help) {
  const auto named = [&path](const std::string& text) {
    if (text.empty())
      throw InvalidArgument(
          "--html is ''; write the name of the file to make, such as out/page.html");
    path = text;
  };
  command->add_option_function<std::string>("--html", named, help)->type_name("FILE");
}

void add_ere_options(CLI::App* command, EreSetting& setting) {
  add_count(command, "--cycle", setting.cycle, "ERE: updates in a cycle (1000)");
  add_ratio(command, "--span", setting.span, "ERE: exponent at the end of a cycle (1000)");
  add_ratio(command, "--minimum", setting.minimum,
            "ERE: smallest window; below 1, a share of the capacity (0.005)");
}

}  // namespace mneme::lab
