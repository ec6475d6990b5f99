// tests/cli/hostile_values_test.cpp - every option of every command with values that cannot be
// right.
//
// The list of options is CLI11's own, so that an option added tomorrow is asked too. A value is
// used (exit code 0), or refused in one sentence (2; 1 where it names a file).
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "mneme/replay_buffer.h"
#include "report/real_study.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const Words kHostile{"NaN",
                     "inf",
                     "-inf",
                     "-1",
                     "0",
                     "-0.5",
                     "",
                     "x y",
                     "\x1b[31mred\x07",
                     "a\nb",
                     "1e300",
                     "9223372036854775807",
                     "99999999999999999999",
                     "0x10",
                     "1e-320"};

// Names a file or a folder: what is wrong with it may be known to the file system alone. The naive
// ring fails on purpose.
const std::set<std::string> kMayFail{
    "--ledger", "--out",   "--output", "--html",   "--csv",  "--plots",     "--resume", "--program",
    "--python", "--video", "--assets", "--scores", "--peer", "--policy",    "path",     "directory",
    "file",     "run",     "study",    "--folder", "--from", "--naive-ring"};

class HostileValues : public ::testing::Test {
 protected:
  HostileValues() : before_(fs::current_path()) {
    fs::current_path(folder_.path());
    std::ofstream("scores.csv") << "method,run,task,step,value\n"
                                   "uniform,0,t,10,0.5\nuniform,1,t,10,0.6\n"
                                   "per,0,t,10,0.7\nper,1,t,10,0.8\n";
    std::ofstream("small.toml") << "agent = \"simbav2\"\ntasks = [\"dummy/count\"]\nsteps = 10\n"
                                   "seeds = 1\nsamplers = [\"uniform\"]\n";
    ReplayBuffer buffer({.observation = {1}, .action = {1}, .capacity = 8, .path = "buffer"});
    buffer.commit();
  }
  ~HostileValues() override { fs::current_path(before_); }

  // A call of every command that reaches its own code and takes milliseconds.
  std::map<std::string, Words> calls() {
    const std::string ledger = study_.file().string();
    const Words run{"--ledger", ledger, "1"};
    return {{"inspect", {"--capacity", "1000"}},
            {"match", {"--expected-recency", "0.8", "--capacity", "1000"}},
            {"frontier", {"--capacity", "1000"}},
            {"densities", {"--capacity", "1000"}},
            {"stats", {"scores.csv", "--reps", "20", "--profile-reps", "20"}},
            {"check seams", {"--rows", "1000"}},
            {"buffer info", {"buffer"}},
            {"buffer verify", {"buffer"}},
            {"buffer export", {"buffer", "columns"}},
            {"envs bench", {"dummy/count", "--pairs", "1", "--seconds", "0.001", "--count", "1"}},
            {"envs play", {"dummy/count", "--episodes", "1"}},
            {"envs trace", {"dummy/count", "--steps", "1"}},
            {"envs install", {"nosuch"}},
            {"envs register", {"nosuch", "--python", "nosuch"}},
            {"envs remove", {"nosuch", "--yes"}},
            {"envs doctor", {"mujoco"}},
            {"train", {"simbav2", "dummy/count", "--settings"}},
            {"eval", {"nosuch"}},
            {"export", {"nosuch", "policy.pt"}},
            {"study", {"small.toml", "--dry-run"}},
            {"runs ls", {"--ledger", ledger}},
            {"runs show", run},
            {"runs compare", {"--ledger", ledger, "1", "2"}},
            {"runs rm", {"--ledger", ledger, "nosuch"}},
            {"runs export", {"--ledger", ledger}},
            {"bench agents", {"--agent", "nosuch"}},
            {"report", {"small", "--ledger", ledger, "--reps", "20"}}};
  }

  mneme::testing::TemporaryDirectory folder_;
  RealStudy study_;
  fs::path before_;
};

std::string shown(const Words& words) {
  std::string line = "mneme";
  for (const std::string& word : words) line += concat(" '", word, "'");
  return line;
}

// Numbers of 25 digits, C++ names, control characters.
bool shows_internals(const std::string& text) {
  constexpr std::array<std::string_view, 13> kNotForPeople{
      "std::",           "c10",          "frame #",      "terminate",
      "bad_alloc",       "basic_string", "stoi",         "stod",
      "vector::",        "map::at",      "not in range", "Could not convert",
      "filesystem error"};
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits == 25 || (static_cast<unsigned char>(c) < 0x20 && c != '\n')) return true;
  }
  return std::any_of(kNotForPeople.begin(), kNotForPeople.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

void expect_answer(const Words& words, bool may_fail) {
  SCOPED_TRACE(shown(words));
  const Answer answer = mneme_tool(words);
  if (answer.code == kDone) return;
  EXPECT_TRUE(answer.code == kUsage || (may_fail && answer.code == kFailed))
      << answer.code << ": " << answer.err;
  EXPECT_EQ(answer.out, "");
  EXPECT_TRUE(answer.err.starts_with("mneme: ")) << answer.err;
  EXPECT_EQ(answer.err.find('\n'), answer.err.size() - 1) << answer.err;
  EXPECT_LT(answer.err.size(), 1500U) << answer.err;
  EXPECT_FALSE(shows_internals(answer.err)) << answer.err;
}

// Words without one option and its value.
Words without(Words words, const std::string& option) {
  const auto at = std::find(words.begin(), words.end(), option);
  if (at != words.end()) words.erase(at, at + 2);
  return words;
}

void commands_of(CLI::App& app, const Words& name, std::vector<std::pair<Words, CLI::App*>>& all) {
  const auto inner = app.get_subcommands({});
  for (CLI::App* one : inner) {
    Words deeper = name;
    deeper.push_back(one->get_name());
    commands_of(*one, deeper, all);
  }
  if (!name.empty() && (inner.empty() || name.front() == "envs")) all.emplace_back(name, &app);
}

TEST_F(HostileValues, AreUsedOrRefusedInOneSentence) {
  CLI::App app;
  std::ostringstream unused;
  add_commands(app, unused);
  std::vector<std::pair<Words, CLI::App*>> commands;
  commands_of(app, {}, commands);
  ASSERT_GT(commands.size(), 25U);
  const auto base = calls();
  std::size_t asked = 0;
  for (const auto& [name, command] : commands) {
    const auto call = base.find(join(name, " "));
    const Words words = call == base.end() ? Words{} : call->second;
    for (const CLI::Option* option : command->get_options()) {
      const bool positional = option->get_positional();
      const std::string flag =
          option->get_lnames().empty() ? "" : "--" + option->get_lnames().front();
      if (flag == "--help" || flag == "--help-all" || flag == "--version") continue;
      if (flag == "--serve") continue;  // answers until Ctrl-C
      for (const std::string& value : kHostile) {
        Words line = name;
        if (flag.empty()) {
          ASSERT_TRUE(positional);
          line.push_back(value);
        } else {
          const Words rest = without(words, flag);
          line.insert(line.end(), rest.begin(), rest.end());
          line.push_back(flag + "=" + value);
        }
        ++asked;
        fs::remove_all("columns");
        // There is no run to evaluate: an accepted value fails later.
        const bool no_run = name.front() == "eval" || name.front() == "export";
        expect_answer(line, no_run || kMayFail.contains(flag.empty() ? option->get_name() : flag));
      }
    }
  }
  EXPECT_GT(asked, 2000U);
}

// The control: without these the test above could ask nothing that matters.
TEST(HostileValuesControl, ChecksSayWhatIsAllowed) {
  expect_refused({"eval", "x", "--episodes", "0"}, {"--episodes must be", "got '0'"});
  expect_refused({"stats", "x.csv", "--reps", "-1"}, {"--reps must be", "got -1"});
  expect_refused({"check", "seams", "--seed", "1e300"}, {"--seed must be a whole number"});
}

}  // namespace
}  // namespace mneme::lab
