// lab/envs_play.h - the subcommands of `mneme envs` that run environments.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>

namespace mneme::lab {

void add_envs_play(CLI::App* envs, std::ostream& out);
void add_envs_bench(CLI::App* envs, std::ostream& out);
void add_envs_trace(CLI::App* envs, std::ostream& out);

}  // namespace mneme::lab
