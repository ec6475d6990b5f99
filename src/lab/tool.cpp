// lab/tool.cpp - the `mneme` tool: one list of subcommands, one place that turns errors into exit
// codes.
#include <algorithm>
#include <array>

#include "lab/commands.h"
#include "lab/version.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

constexpr std::array<AddCommand, 8> kCommands{add_samplers_command,  add_inspect_command, add_match_command,
                                              add_frontier_command, add_densities_command, add_advise_command,
                                              add_stats_command, add_check_command};

}  // namespace

int run_tool(std::vector<std::string> arguments, std::ostream& out, std::ostream& err) {
  CLI::App app("mneme: experience replay, measured. Start with `mneme samplers`.", "mneme");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "help of every command");
  app.set_version_flag("--version", kVersion);
  for (const AddCommand add : kCommands) add(app, out);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them last first
    app.parse(arguments);
    return kDone;
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, err) == 0 ? kDone : kUsage;
  } catch (const InvalidArgument& error) {
    err << "mneme: " << error.what() << '\n';
    return kUsage;
  } catch (const NotFound& error) {
    err << "mneme: " << error.what() << '\n';
    return kUsage;
  } catch (const std::exception& error) {
    err << "mneme: " << error.what() << '\n';
    return kFailed;
  }
}

}  // namespace mneme::lab
