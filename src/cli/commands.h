// cli/commands.h - the subcommands of the `mneme` tool, one source file each.
//
// A command reads its options, calls the library and writes its answer to `out`: a table for
// people, or JSON with --json. It throws what the library throws; run_tool() turns that into a
// sentence on standard error and an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "os/exit_codes.h"

namespace mneme::lab {

using AddCommand = void (*)(CLI::App& app, std::ostream& out);

void add_samplers_command(CLI::App& app, std::ostream& out);
void add_inspect_command(CLI::App& app, std::ostream& out);
void add_match_command(CLI::App& app, std::ostream& out);
void add_frontier_command(CLI::App& app, std::ostream& out);
void add_densities_command(CLI::App& app, std::ostream& out);
void add_explore_command(CLI::App& app, std::ostream& out);
void add_advise_command(CLI::App& app, std::ostream& out);
void add_stats_command(CLI::App& app, std::ostream& out);
void add_check_command(CLI::App& app, std::ostream& out);
void add_buffer_command(CLI::App& app, std::ostream& out);
void add_envs_command(CLI::App& app, std::ostream& out);
void add_train_command(CLI::App& app, std::ostream& out);
void add_eval_command(CLI::App& app, std::ostream& out);
void add_export_command(CLI::App& app, std::ostream& out);
void add_bench_command(CLI::App& app, std::ostream& out);
void add_study_command(CLI::App& app, std::ostream& out);
void add_runs_command(CLI::App& app, std::ostream& out);
void add_report_command(CLI::App& app, std::ostream& out);

/// Thrown by a command whose answer is complete and says that something does not work: the answer
/// is printed as usual, and the exit code is kFailed.
struct CommandFailed {};

/// All subcommands and the options of the tool itself.
void add_commands(CLI::App& app, std::ostream& out);

/// Runs the tool with these arguments (without the program name); answers to `out`, errors to
/// `err`. Returns the exit code.
int run_tool(std::vector<std::string> arguments, std::ostream& out, std::ostream& err);

/// The arguments of the run_tool that is under way, as they were given.
const std::vector<std::string>& given_arguments();

}  // namespace mneme::lab
