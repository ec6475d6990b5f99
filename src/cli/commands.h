// cli/commands.h - the subcommands of the `mneme` tool, one source file each.
//
// A command reads its options, calls the library and writes its answer to `out`: a table for
// people, or JSON with
// --json. It throws what the library throws; main() turns that into a sentence on standard error
// and an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>

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

/// Exit codes: done, failed (file, machine), wrong usage (option, name, value).
inline constexpr int kDone = 0, kFailed = 1, kUsage = 2;

/// Thrown by a command whose answer is complete and says that something does not work: the answer
/// is shown as always, and the exit code is kFailed.
struct BadNews {};

/// Runs the tool with these arguments (without the program name); answers to `out`, complaints to
/// `err`.
int run_tool(std::vector<std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace mneme::lab
