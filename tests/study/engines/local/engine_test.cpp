// tests/study/engines/local/engine_test.cpp - whole studies: started, stopped, killed, changed, restarted.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "base/text.h"
#include "cli/study/status_table.h"
#include "ledger/curves.h"
#include "mneme/error.h"
#include "mneme/rng.h"
#include "os/rotating_log.h"
#include "run/run_directory.h"
#include "study/difference.h"
#include "study/study_process.h"
#include "support/failing_disk.h"
#include "support/tool.h"
#include "term/screen.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Everything a run wrote but the time it took, as text.
std::string numbers_of(const Ledger& ledger, const RunRow& run) {
  std::string text = concat(run.key, ' ', name_of(run.state), ' ', run.seed, ' ', run.step, '\n',
                            ledger.configuration(run.id));
  for (const EvaluationRow& row : evaluations(ledger, run.id))
    text += concat(row.task, ' ', row.step, ' ', shortest_number(row.mean_return), ' ',
                   shortest_number(row.score), ' ', row.episodes, '\n');
  for (const Series series : {Series::metric, Series::diagnostic})
    for (const std::string& name : series_names(ledger, run.id, series))
      for (const Point& point : points(ledger, run.id, series, name))
        text += concat(name, ' ', point.step, ' ',
                       std::isnan(point.value) ? "-" : shortest_number(point.value), '\n');
  return text;
}

std::map<std::string, std::string> numbers_of(const fs::path& out) {
  const Ledger ledger(out / "ledger.db");
  std::map<std::string, std::string> all;
  for (const RunRow& run : ledger.runs()) all[run.key] = numbers_of(ledger, run);
  return all;
}

class StudyTest : public ::testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(directory_ / "mine.toml") << text; }
  std::vector<std::string> words(const std::string& out, std::vector<std::string> more = {}) {
    std::vector<std::string> list{"study",          directory_ / "mine.toml", "--out",
                                  directory_ / out, "--checkpoint-minutes",   "0.003"};
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }
  int run(const std::string& out, std::vector<std::string> more = {}) {
    return StudyProcess(words(out, std::move(more)), log()).wait();
  }
  fs::path log() const { return directory_ / "log"; }
  std::string said() const { return content(log()); }

  void survives_kills(int kills);
  // What the interrupted study has is what the undisturbed one has, run by run.
  void expect_same(const std::string& out) const {
    const auto whole = numbers_of(directory_ / "whole"), parts = numbers_of(directory_ / out);
    EXPECT_GT(whole.size(), 0U);
    EXPECT_EQ(parts.size(), whole.size());
    for (const auto& [key, numbers] : whole) {
      const auto at = parts.find(key);
      ASSERT_NE(at, parts.end()) << key;
      if (numbers != at->second) ADD_FAILURE() << key << '\n' << difference(numbers, at->second);
    }
  }

  TemporaryDirectory directory_;
};

TEST_F(StudyTest, SecondStartOfAFinishedStudyDoesNothing) {
  write(small_study(2, 80));
  ASSERT_EQ(run("out", {"--jobs", "2"}), kDone) << said();
  const Ledger ledger(directory_ / "out/ledger.db");
  const auto runs = ledger.runs({.study = "mine"});
  ASSERT_EQ(runs.size(), 4U);
  for (const RunRow& row : runs) {
    EXPECT_EQ(row.state, RunState::done);
    EXPECT_EQ(row.step, 80);
    EXPECT_EQ(row.attempts, 1);
    EXPECT_EQ(evaluations(ledger, row.id).size(), 5U);  // and one before the first step
    EXPECT_FALSE(points(ledger, row.id, Series::metric, "critic_loss").empty());
    EXPECT_FALSE(points(ledger, row.id, Series::diagnostic, "critic:expected_recency").empty());
    EXPECT_EQ(inspect_run(row.directory).progress, RunProgress::finished);
    EXPECT_EQ(ledger.configuration(row.id), configuration_in(row.directory));
    EXPECT_FALSE(row.machine.empty());
    EXPECT_NE(content(fs::path(row.directory) / "log.txt").find("parameters"), std::string::npos);
  }
  // The same seed begins with the same weights and environments, whatever the sampler.
  EXPECT_EQ(evaluations(ledger, runs[0].id)[0].mean_return,
            evaluations(ledger, runs[2].id)[0].mean_return);
  MNEME_EXPECT_SAYS(said(), "4 runs; about");
  MNEME_EXPECT_SAYS(said(), "(4 of 4)");

  const auto before = numbers_of(directory_ / "out");
  ASSERT_EQ(run("out"), kDone) << said();
  EXPECT_EQ(numbers_of(directory_ / "out"), before);
  EXPECT_EQ(ledger.run(runs[0].id).attempts, 1);

  // Its ledger gone, it is made again from the files; no run is repeated.
  for (const char* name : {"ledger.db", "ledger.db-wal", "ledger.db-shm"})
    fs::remove(directory_ / "out" / name);
  ASSERT_EQ(run("out"), kDone) << said();
  EXPECT_EQ(numbers_of(directory_ / "out"), before);
  EXPECT_EQ(Ledger(directory_ / "out/ledger.db").runs().front().attempts, 0);
}

TEST_F(StudyTest, ChangedStudyIsRefusedWithItsDifference) {
  write(small_study(1, 60));
  ASSERT_EQ(run("out"), kDone) << said();
  const auto before = numbers_of(directory_ / "out");
  write(small_study(1, 80) + "sweep = {utd = [1]}\n");
  const Answer answer = mneme_tool(words("out"));
  EXPECT_EQ(answer.code, kUsage);
  MNEME_EXPECT_SAYS(answer.err, "- steps = 60");
  MNEME_EXPECT_SAYS(answer.err, "+ steps = 80");
  MNEME_EXPECT_SAYS(answer.err, "--name mine-2");
  EXPECT_EQ(numbers_of(directory_ / "out"), before);

  ASSERT_EQ(run("out", {"--name", "mine-2"}), kDone) << said();
  EXPECT_EQ(Ledger(directory_ / "out/ledger.db").runs({.study = "mine"}).size(), 2U);

  // Forced: the run that is the same stays, the others are kept aside.
  write(small_study(2, 60));
  ASSERT_EQ(run("out", {"--force"}), kDone) << said();
  {
    const Ledger ledger(directory_ / "out/ledger.db");
    EXPECT_EQ(ledger.runs({.study = "mine"}).size(), 4U);
    EXPECT_EQ(ledger.runs({.study = "mine", .superseded = true}).size(), 4U);
    for (const RunRow& row : ledger.runs({.study = "mine"})) EXPECT_EQ(row.attempts, 1);
  }
  write(small_study(1, 70));
  ASSERT_EQ(run("out", {"--force"}), kDone) << said();
  const Ledger ledger(directory_ / "out/ledger.db");
  EXPECT_EQ(ledger.runs({.study = "mine"}).size(), 2U);
  EXPECT_EQ(ledger.runs({.study = "mine", .superseded = true}).size(), 6U);
  std::set<std::string> directories;
  for (const RunRow& row : ledger.runs({.study = "mine", .superseded = true})) {
    EXPECT_TRUE(fs::exists(fs::path(row.directory) / "eval.csv"));
    directories.insert(row.directory);
  }
  EXPECT_EQ(directories.size(), 6U);
}

TEST_F(StudyTest, FailedRunIsReportedAndOthersContinue) {
  // One of two runs diverges.
  write(
      "agent = \"simbav2\"\ntasks = [\"dummy/count:limit=9\", \"metaworld/reach\"]\nsteps = 60\n"
      "evaluation = {checkpoints = 2, episodes = 1, at_start = false}\n"
      "settings = {random_steps = 5, learning_starts = 10, batch_size = 8, capacity = 500, "
      "critic_width = "
      "4, actor_width = 4}\n[[arm]]\nname = \"bad\"\nlearning_rate = 1e30\n[[arm]]\nname = "
      "\"good\"\n");
  EXPECT_EQ(run("out"), kFailed);
  MNEME_EXPECT_SAYS(said(), "1 failed");
  MNEME_EXPECT_SAYS(said(), "--retry");
  MNEME_EXPECT_SAYS(said(), "Meta-World");
  const Ledger ledger(directory_ / "out/ledger.db");
  EXPECT_EQ(ledger.runs({.state = "done"}).size(), 1U);
  EXPECT_EQ(ledger.runs({.state = "unavailable"}).size(), 2U);
  const RunRow failed = ledger.runs({.state = "failed"}).front();
  EXPECT_EQ(failed.method, "bad");
  EXPECT_NE(failed.error.find("loss"), std::string::npos) << failed.error;
  EXPECT_EQ(run("out"), kFailed);  // not tried again without being asked
  EXPECT_EQ(ledger.run(failed.id).attempts, 1);
  EXPECT_EQ(run("out", {"--retry"}), kFailed);
  EXPECT_EQ(ledger.run(failed.id).attempts, 2);
}

TEST_F(StudyTest, StoppedStudyContinuesWithTheSameNumbers) {
  write(small_study(1, 620));
  ASSERT_EQ(run("whole"), kDone) << said();
  {
    StudyProcess study(words("parts"), log());
    // Into its first run: that one's directory has a checkpoint by then.
    while (!study.ended_within(std::chrono::milliseconds(5)) &&
           content(directory_ / "parts/mine/dummy-count-limit=9,uniform,s0/metrics.csv").size() <
               400) {
    }
    study.send(SIGINT);
    EXPECT_EQ(study.wait(), kStopped);
  }
  MNEME_EXPECT_SAYS(said(), "stopped: interrupted");
  {
    const Ledger ledger(directory_ / "parts/ledger.db");
    EXPECT_EQ(ledger.runs().front().state, RunState::stopped);
    EXPECT_GT(ledger.runs().front().step, 0);
  }
  EXPECT_EQ(run("parts", {"--max-hours", "0.0000001"}), kStopped);
  MNEME_EXPECT_SAYS(said(), "--max-hours are over");
  ASSERT_EQ(run("parts"), kDone) << said();
  expect_same("parts");
}

// Coordinator killed at random moments, each time started again: nothing is lost, nothing differs,
// and no worker outlives it. A study that gets to its end between two kills is compared, and the
// next one begun, until there were enough of them.
void StudyTest::survives_kills(int kills) {
  write(small_study(2, 620));
  ASSERT_EQ(run("whole", {"--jobs", "2"}), kDone) << said();
  Rng rng(20261);
  for (int killed = 0, study = 0; killed < kills; ++study) {
    const std::string out = concat("parts", study);
    for (bool over = false; !over;) {
      StudyProcess process(words(out, {"--jobs", "2"}), log());
      const auto time = std::chrono::milliseconds(static_cast<int>(100 + 3000 * rng.uniform()));
      over = killed == kills || process.ended_within(time);
      if (over) {
        ASSERT_EQ(process.wait(), kDone) << said();
      } else {
        process.send(SIGKILL);
        ASSERT_EQ(process.wait(), -SIGKILL);
        ++killed;
      }
    }
    expect_same(out);
  }
}

TEST_F(StudyTest, SurvivesBeingKilled) { survives_kills(4); }

using StudyTestSlow = StudyTest;
TEST_F(StudyTestSlow, SurvivesBeingKilledFiftyTimes) { survives_kills(50); }

TEST_F(StudyTest, SecondCoordinatorOfAStudyIsRefused) {
  write(small_study(1, 20'000));
  StudyProcess first(words("out"), log());
  while (!first.ended_within(std::chrono::milliseconds(20)) &&
         !fs::exists(directory_ / "out/mine/lock")) {
  }
  // The second waits ten seconds, as long as dying workers may take, and then says why it will not.
  EXPECT_EQ(run("out"), kFailed);
  MNEME_EXPECT_SAYS(said(), "another mneme study is at work here");
  // Another study of the same ledger can run.
  std::ofstream(directory_ / "other.toml") << small_study(1, 60);
  EXPECT_EQ(
      StudyProcess({"study", directory_ / "other.toml", "--out", directory_ / "out"}, log()).wait(),
      kDone)
      << said();
  first.send(SIGTERM);
  first.wait();
}

TEST(RotatingLog, KeepsThreeFiles) {
  const TemporaryDirectory directory;
  RotatingLog log(directory.path(), 100);
  for (int line = 0; line < 40; ++line)
    log.write(concat("line ", line, " ", std::string(20, '.'), "\n"));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    EXPECT_LE(entry.file_size(), 100U);
    ++files;
  }
  EXPECT_EQ(files, 3);
  EXPECT_NE(content(directory / "log.txt").find("line 39"), std::string::npos);
  RotatingLog("/nonexistent", 100).write("dropped");
}

TEST(Difference, ShowsLinesOfOneTextOnly) {
  EXPECT_EQ(difference("a\nb\nc\n", "a\nx\nc\nd\n"), "- b\n+ x\n+ d");
  EXPECT_EQ(difference("a\n", "a\n"), "");
  EXPECT_EQ(difference("", "1\n2\n3\n", 2), "+ 1\n+ 2\n... and 1 more lines");
}

TEST(StatusTable, FitsItsWidth) {
  const StudyStatus status{
      .study = "fig3-laptop",
      .runs = 180,
      .done = 12,
      .failed = 1,
      .unavailable = 2,
      .seconds = 100,
      .left = 5000,
      .running = {
          {.key = std::string(200, 'k'), .step = 50, .steps = 200, .rate = 812, .score = 0.31},
          {.key = "short", .steps = 0, .score = std::nan("")}}};
  for (const std::size_t width : {30U, 79U, 200U})
    for (const std::string& line : status_lines(status, width))
      EXPECT_LE(display_width(line), width);
  const auto lines = status_lines(status, 120);
  ASSERT_EQ(lines.size(), 3U);
  MNEME_EXPECT_SAYS(lines[0], "12 of 180 runs done, 1 failed, 2 unavailable");
  MNEME_EXPECT_SAYS(lines[1], "25 % 812 steps/s score 0.310");
  MNEME_EXPECT_SAYS(lines[2], "short 0 % ...");
}

}  // namespace
}  // namespace mneme::lab
