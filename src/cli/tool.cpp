// cli/tool.cpp - the `mneme` tool: one list of subcommands, one place that turns errors into exit
// codes.
#include <algorithm>
#include <array>
#include <sstream>

#include "base/text.h"
#include "cli/commands.h"
#include "mneme/error.h"
#include "os/version.h"

namespace mneme::lab {
namespace {

constexpr std::array<AddCommand, 18> kCommands{
    add_samplers_command,  add_inspect_command, add_match_command,  add_frontier_command,
    add_densities_command, add_explore_command, add_advise_command, add_stats_command,
    add_check_command,     add_buffer_command,  add_envs_command,   add_train_command,
    add_eval_command,      add_export_command,  add_study_command,  add_runs_command,
    add_bench_command,     add_report_command};

// What was typed and nothing understood, or what CLI11 has to say.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  // The command that was reached, and the names it would have known.
  const auto reached = app.get_subcommands();
  const CLI::App& at = reached.empty() ? app : *reached.front();
  for (const std::string& word : at.remaining(true)) {
    const bool option = word.rfind('-', 0) == 0;
    std::vector<std::string> known;
    if (option) {
      for (const CLI::Option* one : at.get_options())
        if (!one->get_lnames().empty()) known.push_back("--" + one->get_lnames().front());
    } else if (reached.empty()) {
      for (const CLI::App* one : at.get_subcommands({})) known.push_back(one->get_name());
    } else {
      continue;  // a stray word; an unknown option before or after it says more
    }
    return unknown_name(option ? "option" : "command", word, known);
  }
  if (!at.remaining(true).empty())
    return concat("'", at.remaining(true).front().substr(0, 60),
                  "' is not expected here; see mneme ", at.get_name(), " --help");
  if (reached.empty()) return "no command given; see mneme --help";
  return concat(error.what(), "; see mneme ", at.get_name(), " --help");
}

}  // namespace

int run_tool(std::vector<std::string> arguments, std::ostream& out, std::ostream& err) {
  CLI::App app("mneme: experience replay, measured. Start with `mneme samplers`.", "mneme");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "help of every command");
  app.set_version_flag("--version", kVersion);
  std::ostringstream
      answer;  // shown only when it is whole: a failure leaves nothing on standard output
  for (const AddCommand add : kCommands) add(app, answer);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them last first
    app.parse(arguments);
    out << std::move(answer).str() << std::flush;
    if (!out)
      throw IoError(
          "cannot write the answer; is the disk full or the other end of the pipe closed?");
    return kDone;
  } catch (const BadNews&) {
    out << std::move(answer).str() << std::flush;
    return kFailed;
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked, out, err);
    return kDone;
  } catch (const CLI::ParseError& error) {
    err << "mneme: " << complaint(app, error) << '\n';
    return kUsage;
  } catch (const InvalidArgument& error) {
    err << "mneme: " << error.what() << '\n';
    return kUsage;
  } catch (const NotFound& error) {
    err << "mneme: " << error.what() << '\n';
    return kUsage;
  } catch (const std::exception& error) {
    // LibTorch's errors carry a stack of machine addresses after their words.
    const std::string text = error.what();
    err << "mneme: " << text.substr(0, text.find("\nException raised from")) << '\n';
    return kFailed;
  }
}

}  // namespace mneme::lab
