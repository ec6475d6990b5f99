// lab/envs_play.h - `mneme envs play`: episodes of a simple policy.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>

namespace mneme::lab {

void add_envs_play(CLI::App* envs, std::ostream& out);

}  // namespace mneme::lab
