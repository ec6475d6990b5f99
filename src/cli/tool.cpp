// cli/tool.cpp - the `mneme` tool: its commands, its errors and its exit codes.
#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/overview.h"
#include "mneme/error.h"
#include "os/interrupt.h"
#include "os/version.h"
#include "term/screen.h"

namespace mneme::lab {
namespace {

constexpr std::array<AddCommand, 18> kCommands{
    add_samplers_command,  add_inspect_command, add_match_command,  add_frontier_command,
    add_densities_command, add_explore_command, add_advise_command, add_stats_command,
    add_check_command,     add_buffer_command,  add_envs_command,   add_train_command,
    add_eval_command,      add_export_command,  add_study_command,  add_runs_command,
    add_bench_command,     add_report_command};

// "mneme runs ls": the command that was reached.
std::string name_of(const CLI::App& at) {
  const CLI::App* parent = at.get_parent();
  return parent == nullptr ? at.get_name() : concat(name_of(*parent), ' ', at.get_name());
}

const CLI::App& reached(const CLI::App& app) {
  const auto next = app.get_subcommands();
  return next.empty() ? app : reached(*next.front());
}

bool takes_commands(const CLI::App& app) { return !app.get_subcommands({}).empty(); }

// Names of what can stand where `at` was reached: its options, or its commands.
std::vector<std::string> names_in(const CLI::App& at, bool options) {
  std::vector<std::string> names;
  if (options) {
    for (const CLI::Option* one : at.get_options())
      if (!one->get_lnames().empty()) names.push_back("--" + one->get_lnames().front());
  } else {
    for (const CLI::App* one : at.get_subcommands({})) names.push_back(one->get_name());
  }
  return names;
}

// What CLI11 says of a value that it refuses, in the words of our own checks.
std::string plain_words(const CLI::App& at, const CLI::ParseError& error) {
  std::string text = error.what();
  // A check of cli/options.h: "--episodes: must be ...".
  if (const std::size_t colon = text.find(": must "); colon != std::string::npos)
    return text.erase(colon, 1);
  // "Could not convert: --json = x".
  constexpr std::string_view kConvert = "Could not convert: ";
  if (text.starts_with(kConvert)) {
    const std::size_t equals = text.find(" = ");
    const std::string name = text.substr(kConvert.size(), equals - kConvert.size());
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 3);
    const CLI::Option* option = at.get_option_no_throw(name);
    const bool flag = option != nullptr && option->get_expected_max() == 0;
    return concat(name, flag ? " takes no value" : " must be a number within its range", ", got '",
                  value, "'");
  }
  // "--jobs: Value 0 not in range 1 to 4096"; a range up to the largest double has no end.
  const std::size_t value = text.find(": Value "), range = text.find(" not in range ");
  const std::size_t to = text.rfind(" to ");
  if (value != std::string::npos && range != std::string::npos && to > range) {
    const std::string least = text.substr(range + 14, to - range - 14), most = text.substr(to + 4);
    const std::string allowed =
        most.size() > 20 ? "a number above 0" : concat("from ", least, " to ", most);
    return concat(text.substr(0, value), " must be ", allowed, ", got '",
                  text.substr(value + 8, range - value - 8), "'");
  }
  return text;
}

std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& at = reached(app);
  const std::string help = concat("; see ", name_of(at), " --help");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || !at.remaining().empty()) {
    // A stray word says less than the unknown option before or after it.
    for (const std::string& word : at.remaining()) {
      if (word.starts_with('-') && word.size() > 1)
        return unknown_name("option", word.substr(0, word.find('=')), names_in(at, true));
      if (takes_commands(at)) return unknown_name("command", word, names_in(at, false));
    }
    if (!at.remaining().empty())
      return concat("'", clipped(at.remaining().front(), 60), "' is not expected here", help);
  }
  return concat(plain_words(at, error), help);
}

// Arguments come back in messages; line ends and escape sequences in them do not.
std::string without_controls(std::string text, const std::vector<std::string>& arguments) {
  const auto visible = [](const std::string& raw) {
    std::string shown;
    for (const char c : raw) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && byte != 0x7f) {
        shown += c;
        continue;
      }
      std::array<char, 5> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", byte);
      shown += escape.data();
    }
    return shown;
  };
  std::vector<std::string> values = arguments;
  for (const std::string& argument : arguments)  // --name=value: the value comes back alone
    if (const std::size_t equals = argument.find('='); equals != std::string::npos)
      values.push_back(argument.substr(equals + 1));
  for (const std::string& argument : values) {
    const std::string shown = visible(argument);
    if (shown == argument) continue;
    for (std::size_t at = 0; (at = text.find(argument, at)) != std::string::npos;
         at += shown.size())
      text.replace(at, argument.size(), shown);
  }
  std::string out;
  for (const char c : text) out += c == '\n' || c == '\t' ? std::string(1, c) : visible({c});
  return out;
}

// LibTorch's errors carry a stack of machine addresses after their words.
std::string without_stack(std::string text) {
  for (const char* begin : {"\nException raised from", "\nC++ CapturedTraceback", "\nframe #0"})
    text = text.substr(0, text.find(begin));
  return text;
}

// --color WHEN, wherever it stands: it belongs to no command.
void take_color(std::vector<std::string>& arguments) {
  const auto apply = [](const std::string& name) {
    const Color color = color_named(name);
    if (color == Color::automatic) return;
    Screen answer = answer_screen(), progress = progress_screen();
    answer.color = progress.color = color == Color::always;
    use_screens(answer, progress);
  };
  for (std::size_t at = 0; at < arguments.size();) {
    const std::string argument = arguments[at];
    const auto position = arguments.begin() + static_cast<std::ptrdiff_t>(at);
    if (argument == "--color") {
      if (at + 1 == arguments.size())
        throw InvalidArgument("--color must be auto, always or never, got nothing");
      apply(arguments[at + 1]);
      arguments.erase(position, position + 2);
    } else if (argument.starts_with("--color=")) {
      apply(argument.substr(8));
      arguments.erase(position);
    } else {
      ++at;
    }
  }
}

// Arguments while a command runs; a study's commands run inside another one.
thread_local std::vector<std::string> given;

// One call of run_tool: what it changes for the process comes back after it.
class Call {
 public:
  explicit Call(std::vector<std::string> arguments)
      : arguments_(std::exchange(given, std::move(arguments))),
        answer_(answer_screen()),
        progress_(progress_screen()) {}
  ~Call() {
    given = std::move(arguments_);
    use_screens(answer_, progress_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  std::vector<std::string> arguments_;
  Screen answer_, progress_;
};

}  // namespace

const std::vector<std::string>& given_arguments() { return given; }

void add_commands(CLI::App& app, std::ostream& out) {
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "help of every command");
  app.set_version_flag("--version", kVersion);
  // Read by take_color; here for the help.
  app.add_option("--color", "colors of tables and messages: auto, always or never (auto)")
      ->type_name("WHEN");
  for (const AddCommand add : kCommands) add(app, out);
}

int run_tool(std::vector<std::string> arguments, std::ostream& out, std::ostream& err) {
  const Call call(arguments);
  const auto fail = [&](int code, const std::string& why) {
    err << styled("mneme:", Style::bad, progress_screen()) << ' ' << without_controls(why, given)
        << '\n';
    return code;
  };
  CLI::App app("mneme: experience replay, measured. `mneme` alone shows where to start.", "mneme");
  // Shown only when it is whole: a failure leaves nothing on standard output.
  std::ostringstream answer;
  add_commands(app, answer);
  try {
    take_color(arguments);
    if (arguments.empty()) {
      print_overview(answer);
    } else {
      std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them last first
      app.parse(arguments);
    }
    out << std::move(answer).str() << std::flush;
    if (!out)
      throw IoError(
          "cannot write the answer; is the disk full or the other end of the pipe closed?");
    return kDone;
  } catch (const CommandFailed&) {
    out << std::move(answer).str() << std::flush;
    return kFailed;
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked, out, err);
    return kDone;
  } catch (const CLI::ParseError& error) {
    return fail(kUsage, complaint(app, error));
  } catch (const InvalidArgument& error) {
    return fail(kUsage, error.what());
  } catch (const NotFound& error) {
    return fail(kUsage, error.what());
  } catch (const Interrupted& stopped) {
    return fail(stopped.exit_code, stopped.what());
  } catch (const std::bad_alloc&) {
    return fail(kFailed, "out of memory; smaller sizes or fewer repetitions need less");
  } catch (const std::exception& error) {
    return fail(kFailed, without_stack(error.what()));
  }
}

}  // namespace mneme::lab
