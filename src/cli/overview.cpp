// cli/overview.cpp - a map of the commands, and of what is here.
#include "cli/overview.h"

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/text.h"
#include "ledger/ledger.h"
#include "mneme/error.h"
#include "os/version.h"
#include "term/screen.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

constexpr std::size_t kHeading = 9;
constexpr const char* kLedger = "runs/ledger.db";

struct Line {
  std::string_view heading, text, remark;
};
constexpr std::array kStart{
    Line{"start", "mneme train simbav2 dmc/cartpole-balance", "minutes on one core"},
    Line{"", "mneme advise --envs 128 --batch 32768", "which sampler?"},
    Line{"", "mneme study demo && mneme report demo -o r.html", "samplers compared"},
};
constexpr std::array kCommands{
    Line{"sampler", "samplers inspect match frontier densities explore advise", ""},
    Line{"learn", "envs train eval export", ""},
    Line{"compare", "study runs report stats", ""},
    Line{"verify", "check buffer bench", ""},
};

void print(std::ostream& out, const Line& line, std::size_t column) {
  const std::size_t width = answer_screen().width;
  const std::size_t wide = kHeading + column + 2 + display_width(line.remark);
  std::string text = wrapped(std::string(line.text), kHeading);
  if (!line.remark.empty() && (width == 0 || wide <= width))
    text = padded(line.text, column + 2, false) + styled(line.remark, Style::dim);
  out << styled(padded(line.heading, kHeading, false), Style::strong) << text << '\n';
}

// Of every study: how many runs are done, and what to do next.
void print_studies(std::ostream& out) {
  struct Sum {
    std::size_t runs = 0, done = 0, failed = 0;
  };
  std::map<std::string, Sum> studies;
  for (const RunRow& run : Ledger(kLedger).runs({})) {
    Sum& sum = studies[run.study];
    ++sum.runs;
    sum.done += run.state == RunState::done ? 1 : 0;
    sum.failed += run.state == RunState::failed ? 1 : 0;
  }
  constexpr std::size_t kShown = 5;
  std::size_t shown = 0;
  for (const auto& [name, sum] : studies) {
    if (shown++ == kShown) break;
    const std::string state =
        concat(name, "  ", sum.done, "/", sum.runs, " done",
               sum.failed > 0 ? concat(", ", sum.failed, " failed") : std::string());
    const std::string next = sum.failed > 0
                                 ? concat("mneme runs ls --study ", name, " --state failed")
                             : sum.done > 0 ? concat("mneme report ", name)
                                            : concat("mneme runs ls --study ", name);
    const std::size_t width = answer_screen().width;
    const bool fits = width == 0 || kHeading + state.size() + 2 + next.size() <= width;
    out << styled(padded(shown == 1 ? "here" : "", kHeading, false), Style::strong) << state
        << (fits ? std::string("  ") : '\n' + std::string(kHeading, ' '))
        << styled(next, Style::dim) << '\n';
  }
  if (studies.size() > kShown)
    out << std::string(kHeading, ' ') << "and " << studies.size() - kShown
        << " more studies: mneme runs ls\n";
}

}  // namespace

void print_overview(std::ostream& out) {
  out << styled(concat("mneme ", kVersion), Style::strong) << ": experience replay, measured\n\n";
  std::size_t column = 0;
  for (const Line& line : kStart) column = std::max(column, line.text.size());
  for (const Line& line : kStart) print(out, line, column);
  out << '\n';
  for (const Line& line : kCommands) print(out, line, 0);
  out << '\n';
  std::error_code error;
  if (std::filesystem::exists(kLedger, error)) {
    try {
      print_studies(out);
    } catch (const Error& problem) {
      out << styled(padded("here", kHeading, false), Style::strong) << problem.what() << '\n';
    }
  }
  print(out, {"help", "mneme COMMAND --help", ""}, 0);
}

}  // namespace mneme::lab
