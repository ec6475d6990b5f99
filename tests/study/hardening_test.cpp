// tests/study/hardening_test.cpp - what a study must not do: delete what it did not make, run what it
// was not asked to, call done what is not. The real program, in processes of its own.
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>

#include "base/text.h"
#include "ledger/ledger.h"
#include "os/file.h"
#include "os/subprocess.h"
#include "run/run_directory.h"
#include "study/study_process.h"
#include "support/failing_disk.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

constexpr const char* kKey = "dummy-count,uniform,s0";

class Hardening : public ::testing::Test {
 protected:
  Hardening() {
    std::ofstream(directory_ / "t.toml")
        << "agent=\"simbav2\"\ntasks=[\"dummy/count\"]\nsteps=3000000\n"
           "settings={eval_episodes=1,eval_every=10000,random_steps=100000000,"
           "learning_starts=100000000,capacity=2000,critic_width=4,actor_width=4}\n";
  }

  struct Result {
    int code;
    std::string text;
  };
  // The program with these words, in this directory.
  Result mneme(std::vector<std::string> words, const fs::path& where) const {
    words.insert(words.begin(), MNEME_PROGRAM);
    Subprocess child(std::move(words), {.output_file = {}, .working_directory = where});
    Result result{};
    for (; !child.exited(); usleep(5'000))
      child.read_output([&](std::string_view part) { result.text += part; });
    child.read_output([&](std::string_view part) { result.text += part; });
    result.code = child.status().code;
    return result;
  }
  Result mneme(std::vector<std::string> words) const {
    return mneme(std::move(words), directory_.path());
  }
  // The same, interrupted when the run's metrics have grown.
  Result interrupted(std::vector<std::string> words, const fs::path& where,
                     const fs::path& run) const {
    const auto size = [&] {
      std::error_code error;
      const std::uintmax_t bytes = fs::file_size(run / "metrics.csv", error);
      return error ? std::uintmax_t{0} : bytes;
    };
    const std::uintmax_t before = size();
    words.insert(words.begin(), MNEME_PROGRAM);
    Subprocess child(std::move(words), {.output_file = {}, .working_directory = where});
    while (!child.exited() && size() < before + 100) usleep(5'000);
    child.signal(SIGINT);
    Result result{child.wait().code, {}};
    child.read_output([&](std::string_view part) { result.text += part; });
    return result;
  }
  // A study that was stopped in the middle of its only run.
  void stop() const {
    const Result result = interrupted({"study", "t.toml", "--quiet"}, directory_.path(), run());
    ASSERT_EQ(result.code, kStopped) << result.text;
    ASSERT_EQ(inspect_run(run()).progress, RunProgress::resumable);
  }
  fs::path run() const { return directory_ / "runs/t" / kKey; }
  RunRow row() const { return Ledger(directory_ / "runs/ledger.db").runs().front(); }

  TemporaryDirectory directory_;
};

TEST_F(Hardening, DamagedRunIsFailedAndNeverDeleted) {
  stop();
  const std::string before = read_file(run() / "metrics.csv");
  std::string manifest = read_file(run() / "replay/manifest");
  manifest[200] = static_cast<char>(manifest[200] ^ 0x55);
  std::ofstream(run() / "replay/manifest", std::ios::binary) << manifest;
  const Result result = mneme({"study", "t.toml", "--quiet"});
  EXPECT_EQ(result.code, kFailed) << result.text;
  MNEME_EXPECT_SAYS(result.text, "Nothing was removed");
  EXPECT_EQ(row().state, RunState::failed);
  EXPECT_EQ(read_file(run() / "metrics.csv"), before);
  EXPECT_TRUE(fs::exists(run() / "replay"));
}

TEST_F(Hardening, RunWithoutItsBufferIsNotDone) {
  stop();
  fs::remove_all(run() / "replay");
  const Result result = mneme({"study", "t.toml", "--quiet"});
  EXPECT_EQ(result.code, kFailed) << result.text;
  EXPECT_EQ(row().state, RunState::failed);
  EXPECT_NE(row().error.find("of 3000000"), std::string::npos) << row().error;
}

TEST_F(Hardening, RunsFolderCanBeMovedAndUsedFromAnywhere) {
  stop();
  const std::int64_t step = row().step;
  fs::create_directories(directory_ / "other" / "runs/t" / kKey);
  std::ofstream(directory_ / "other" / "runs/t" / kKey / "config.toml") << "victim";
  const fs::path other = directory_ / "other";
  // Continued from another directory, not started over in it.
  const Result again =
      interrupted({"study", "../t.toml", "--out", "../runs", "--quiet"}, other, run());
  EXPECT_EQ(again.code, kStopped) << again.text;
  EXPECT_GT(row().step, step);
  EXPECT_EQ(read_file(other / "runs/t" / kKey / "config.toml"), "victim");
  // Moved.
  fs::rename(directory_ / "runs", directory_ / "moved");
  const Result moved = interrupted({"study", "t.toml", "--out", "moved", "--quiet"},
                                   directory_.path(), directory_ / "moved/t" / kKey);
  EXPECT_EQ(moved.code, kStopped) << moved.text;
  EXPECT_FALSE(fs::exists(directory_ / "runs"));
  const Result removed =
      mneme({"runs", "rm", "t", "--files", "--ledger", "../moved/ledger.db"}, other);
  EXPECT_EQ(removed.code, kDone) << removed.text;
  MNEME_EXPECT_SAYS(removed.text, "../moved/t/");
  EXPECT_FALSE(fs::exists(directory_ / "moved/t" / kKey));
  EXPECT_EQ(read_file(other / "runs/t" / kKey / "config.toml"), "victim");
}

TEST_F(Hardening, HintToContinueHasEveryArgument) {
  const Result result = mneme({"study", "t.toml", "--name", "it's mine", "--seeds", "2", "--set",
                               "utd=1/2", "--quiet", "--max-hours", "0.0003"});
  EXPECT_EQ(result.code, kStopped);
  MNEME_EXPECT_SAYS(result.text,
                    "Continue with: mneme study t.toml --name 'it'\\''s mine' --seeds 2 --set "
                    "utd=1/2 --quiet --max-hours 0.0003");
}

TEST_F(Hardening, StudyFileRunsNoProgramAndDeletesNothing) {
  for (const char* command :
       {"envs bench dmc/cartpole-balance --pairs 1 --seconds 0.01 --peer x=touch${IFS}PWNED",
        "runs rm t --files", "study e.toml"}) {
    std::ofstream(directory_ / "e.toml") << "commands=['" << command << "']\n";
    const Result result = mneme({"study", "e.toml"});
    EXPECT_EQ(result.code, kUsage) << command << result.text;
    EXPECT_FALSE(fs::exists(directory_ / "PWNED"));
  }
  std::string deep = "a";
  for (int part = 0; part < 100'000; ++part) deep += ".a";
  std::ofstream(directory_ / "e.toml") << deep << " = 1\n";
  EXPECT_EQ(mneme({"study", "e.toml"}).code, kUsage);
  EXPECT_EQ(mneme({"study", "t.toml", "--name", "../../x"}).code, kUsage);
  EXPECT_FALSE(fs::exists(directory_ / "runs"));
}

TEST_F(Hardening, ProgramThatDoesNothingIsAFailure) {
  const Result result = mneme({"study", "t.toml", "--program", "/bin/true", "--quiet"});
  EXPECT_EQ(result.code, kFailed);
  MNEME_EXPECT_SAYS(result.text, "wrote no evaluation");
  EXPECT_EQ(row().state, RunState::failed);
}

// Three times the same directory at once: one trains, the others say why not, nothing is lost.
TEST_F(Hardening, LosersOfARaceRemoveNothing) {
  for (int round = 0; round < 5; ++round) {
    const std::string out = concat("race", round);
    const std::vector<std::string> words{MNEME_PROGRAM,  "train",
                                         "simbav2",      "dummy/count",
                                         "--steps",      "40",
                                         "--out",        directory_ / out,
                                         "--set",        "critic_width=4",
                                         "--set",        "actor_width=4",
                                         "--batch-size", "8",
                                         "--set",        "learning_starts=10",
                                         "--set",        "random_steps=5",
                                         "--capacity",   "1k"};
    std::vector<std::unique_ptr<Subprocess>> racers;
    for (int racer = 0; racer < 3; ++racer)
      racers.push_back(std::make_unique<Subprocess>(words, SubprocessOptions{}));
    int done = 0;
    for (const auto& racer : racers) done += racer->wait().code == kDone ? 1 : 0;
    EXPECT_EQ(done, 1);
    EXPECT_EQ(why_not_finished(directory_ / out), "");
  }
}

// Ctrl-C and kill -9 at any moment of the first second: the same command, or --resume, continues.
TEST_F(Hardening, TrainingStoppedDuringItsStartCanBeStartedAgain) {
  const std::vector<std::string> train{"train",
                                       "simbav2",
                                       "dummy/count",
                                       "--steps",
                                       "200",
                                       "--out",
                                       directory_ / "run",
                                       "--set",
                                       "critic_width=4",
                                       "--set",
                                       "actor_width=4",
                                       "--batch-size",
                                       "8",
                                       "--set",
                                       "learning_starts=10",
                                       "--set",
                                       "random_steps=5",
                                       "--capacity",
                                       "1k"};
  for (const int signal : {SIGINT, SIGKILL}) {
    for (int milliseconds = 0; milliseconds < 1000; milliseconds += 150) {
      fs::remove_all(directory_ / "run");
      std::vector<std::string> words = train;
      words.insert(words.begin(), MNEME_PROGRAM);
      {
        Subprocess child(words, {});
        usleep(static_cast<useconds_t>(milliseconds) * 1000);
        child.signal(signal);
        child.wait();
      }
      Result result = mneme(train);
      if (result.code == kUsage) result = mneme({"train", "--resume", directory_ / "run"});
      ASSERT_EQ(result.code, kDone) << signal << ' ' << milliseconds << result.text;
      EXPECT_EQ(why_not_finished(directory_ / "run"), "");
    }
  }
}

}  // namespace
}  // namespace mneme::lab
