// cli/options.h - option types that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

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

/// --html FILE; an empty name is refused.
void add_html(CLI::App* command, std::string& path, const std::string& help);

/// --cycle, --span and --minimum of matched ERE.
void add_ere_options(CLI::App* command, EreSetting& setting);

}  // namespace mneme::lab
