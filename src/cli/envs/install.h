// cli/envs/install.h - subcommands of `mneme envs` for Python suites.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>

namespace mneme::lab {

void add_envs_install(CLI::App* envs, std::ostream& out);  ///< install, register, remove
void add_envs_doctor(CLI::App* envs, std::ostream& out);

}  // namespace mneme::lab
