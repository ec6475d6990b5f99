// tests/cli/terminal_test.cpp - what a terminal of 120, 80 and 60 columns shows, character by
// character.
//
// The captures are in fixtures/terminal/. After a change on purpose:
// MNEME_UPDATE_GOLDEN=1 build/release/tests/cli_tests --gtest_filter='Terminal*', then read the
// difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "report/real_study.h"
#include "support/places.h"
#include "support/tool.h"
#include "term/screen.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

// The tool on a terminal so wide, from `folder`.
class OnTerminal {
 public:
  OnTerminal(std::size_t width, bool color, const fs::path& folder) : before_(fs::current_path()) {
    use_screens({.width = width, .color = color}, {.width = width, .color = color});
    fs::current_path(folder);
  }
  ~OnTerminal() {
    use_screens({}, {});
    fs::current_path(before_);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

 private:
  fs::path before_;
};

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_capture(const std::string& name, const std::string& text) {
  const fs::path file =
      fs::path(test::source_path("tests/cli/fixtures/terminal")) / (name + ".txt");
  if (std::getenv("MNEME_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(content(file), text) << file.filename();
}

// The folder of the study changes from run to run; its name does not belong into a capture.
std::string without_folder(std::string text, const fs::path& folder) {
  for (std::size_t at; (at = text.find(folder.string())) != std::string::npos;)
    text.replace(at, folder.string().size(), "STUDY");
  return text;
}

void capture(const std::string& name, const std::vector<std::string>& words,
             const fs::path& folder) {
  for (const std::size_t width : {120U, 80U, 60U}) {
    const OnTerminal terminal(width, false, folder);
    const Answer answer = mneme_tool(words);
    EXPECT_EQ(answer.code, kDone) << answer.err;
    const std::string text = answer.out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t word = line.find_first_not_of(' ');
      if (line.find(' ', word) == std::string::npos) continue;  // one word: a key stays whole
      EXPECT_LE(display_width(line), width) << name << ": " << line;
    }
    expect_capture(concat(name, "-", width), without_folder(text, folder));
  }
}

class Terminal : public ::testing::Test {
 protected:
  Terminal() {
    fs::create_directories(study_.folder("runs"));
    fs::create_symlink(study_.file(), study_.folder("runs") / "ledger.db");
  }
  fs::path folder() const { return study_.file().parent_path(); }
  RealStudy study_{"small", [](const RealRun& run) {
                     return run.utd == "1/2" && run.seed == 2 ? RunState::failed : RunState::done;
                   }};
};

TEST_F(Terminal, OverviewNamesCommandsAndStudies) { capture("overview", {}, folder()); }
TEST_F(Terminal, ListsRuns) {
  capture("runs-ls", {"runs", "ls", "--task", "dmc/cartpole-balance"}, folder());
}
TEST_F(Terminal, ComparesRuns) { capture("runs-compare", {"runs", "compare", "1", "4"}, folder()); }
TEST_F(Terminal, ReportsStudy) {
  capture("report", {"report", "small", "--reps", "500"}, folder());
}
TEST_F(Terminal, MatchesSamplers) {
  capture("match", {"match", "--expected-recency", "0.857", "--capacity", "1M"}, folder());
}
TEST_F(Terminal, ListsFrontier) { capture("frontier", {"frontier", "--capacity", "1M"}, folder()); }

TEST_F(Terminal, ColorsMeanStates) {
  const std::vector<std::string> words{"runs", "ls", "--state", "failed"};
  {
    const OnTerminal terminal(80, true, folder());
    const Answer answer = mneme_tool(words);
    EXPECT_NE(answer.out.find("\033[31mfailed\033[0m"), std::string::npos) << answer.out;
  }
  const OnTerminal terminal(80, true, folder());
  std::vector<std::string> never = words;
  never.insert(never.end(), {"--color", "never"});
  EXPECT_EQ(mneme_tool(never).out.find('\033'), std::string::npos);
  EXPECT_NE(mneme_tool({"--color=always", "runs", "ls"}).out.find('\033'), std::string::npos);
  const OnTerminal plain(80, false, folder());
  expect_refused({"runs", "ls", "--color", "maybe"}, {"--color must be auto, always or never"});
}

}  // namespace
}  // namespace mneme::lab
