// cli/envs/play.h - the subcommands of `mneme envs` that run environments.
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
/// Names that folder to the environments, and gives tasks of HumanoidBench that say nothing about
/// their model the best one it has. Nothing without a folder. Throws NotFound for a folder that has
/// none.
void use_assets(const std::string& folder, std::vector<std::string>& tasks);

}  // namespace mneme::lab
