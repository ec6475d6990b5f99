// cli/envs/install.h - the subcommands of `mneme envs` for suites in Python.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>

namespace mneme::lab {

void add_envs_install(CLI::App* envs, std::ostream& out);  ///< install, register, remove
void add_envs_doctor(CLI::App* envs, std::ostream& out);

}  // namespace mneme::lab
