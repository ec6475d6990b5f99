// cli/envs/play.h - subcommands of `mneme envs` that run environments.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace mneme::lab {

void add_envs_play(CLI::App* envs, std::ostream& out);
void add_envs_bench(CLI::App* envs, std::ostream& out);
void add_envs_trace(CLI::App* envs, std::ostream& out);

/// The option --assets DIR of a command.
void add_assets(CLI::App* command, std::string& folder);
/// Sets the folder of assets, and adds the best model it has to HumanoidBench specs without model=.
/// Does nothing without a folder. Throws NotFound for a folder without models.
void use_assets(const std::string& folder, std::vector<std::string>& tasks);

}  // namespace mneme::lab
