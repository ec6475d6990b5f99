// cli/options.h - option types and checks that several commands share.
//
// Every number has its range, every name its list; what is refused is said as
// "--episodes must be at least 1, got 0".
#pragma once

#include <CLI/CLI.hpp>
#include <limits>
#include <string>
#include <vector>

#include "mneme/diagnostics.h"
#include "mneme/frontier.h"

namespace mneme::lab {

/// A whole number of transitions or steps: 1000000, 1e6, 1M, 51.2k, 1,000,000.
CLI::Option* add_count(CLI::App* command, const std::string& name, Index& value,
                       const std::string& help);

/// A positive number or a fraction: 2, 0.5, 1/64.
CLI::Option* add_ratio(CLI::App* command, const std::string& name, double& value,
                       const std::string& help);

/// A finite number above 0.
CLI::Option* add_positive(CLI::App* command, const std::string& name, double& value,
                          const std::string& help);

/// A seed: a whole number from 0 to 2^63 - 1, the largest that config.toml can hold.
CLI::Option* add_seed(CLI::App* command, const std::string& name, std::uint64_t& value,
                      const std::string& help);

/// A number from 0 to 1 or a fraction: 0.857, 6/7.
CLI::Option* add_share(CLI::App* command, const std::string& name, double& value,
                       const std::string& help);

/// For `check()` of an option: digits alone, from `least` to `most`.
CLI::Validator whole_number(Index least, Index most = std::numeric_limits<Index>::max());
/// A seed of random numbers: 0 to 2^63 - 1.
CLI::Validator seed_number();
/// Any finite number.
CLI::Validator finite_number();
/// A finite number from `least` to `most`, or above `least` if that is excluded.
CLI::Validator finite_number(double least, double most);
CLI::Validator number_above(double limit, double most);
/// Between the two, both excluded.
CLI::Validator number_between(double low, double high);
/// One of these names; a misspelt one is met with the nearest.
CLI::Validator one_of(std::vector<std::string> names);
/// A name or path: not empty.
CLI::Validator not_empty();

/// --json.
void add_json(CLI::App* command, bool& json, const std::string& help = "print JSON");

/// --html FILE; an empty name is refused.
void add_html(CLI::App* command, std::string& path, const std::string& help);

/// --cycle, --span and --minimum of matched ERE.
void add_ere_options(CLI::App* command, EreSetting& setting);

}  // namespace mneme::lab
