// tests/cli/study/runs_test.cpp - `mneme runs` on a ledger made by hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "ledger/ingest.h"
#include "support/failing_disk.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

class RunsCommand : public ::testing::Test {
 protected:
  RunsCommand() {
    Ledger ledger(file(), Ledger::Mode::create);
    const Id study = ledger.add_study("first", "text");
    for (const char* method : {"uniform", "per"})
      for (int seed = 0; seed < 2; ++seed) {
        const std::string key = concat(method, ",s", seed);
        fs::create_directories(directory_ / key);
        const Id run =
            ledger.add_run(study,
                           {.key = key,
                            .agent = "brc",
                            .method = method,
                            .task = "dmc/walker-run",
                            .seed = seed,
                            .steps = 20,
                            .directory = (directory_ / key).string(),
                            .command = "mneme train brc"},
                           "seed = 1\n", {{"sampler", method}, {"batch", "8"}}, {{"utd", "1/2"}});
        std::ofstream(directory_ / key / "config.toml") << "version = 1\n";
        std::ofstream(directory_ / key / "eval.csv")
            << "step,frame,seconds,task,episodes,return,deviation,score,success,length\n"
            << concat("10,10,1,dmc/walker-run,5,100,1,0.", seed + 1, ",,9\n")
            << concat("20,20,2,dmc/walker-run,5,200,1,0.", seed + 3, ",,9\n");
        std::ofstream(directory_ / key / "diagnostics.csv")
            << "step,frame,reader,name,value\n20,20,critic,mean_age,12.5\n";
        ingest(ledger, run);
        ledger.set_state(run, RunState::done);
      }
  }
  std::string file() const { return directory_ / "ledger.db"; }
  Answer runs(std::vector<std::string> words) {
    words.insert(words.begin(), "runs");
    words.insert(words.end(), {"--ledger", file()});
    return mneme_tool(words);
  }
  test::JsonValue json(std::vector<std::string> words) {
    words.insert(words.begin(), "runs");
    words.insert(words.end(), {"--ledger", file()});
    return json_of(words);
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(RunsCommand, ListsShowsAndCompares) {
  MNEME_EXPECT_SAYS(runs({"ls"}).out, "1 first uniform,s0 done 100 % 0.3000 2 s");
  EXPECT_EQ(json({"ls"}).size(), 4U);
  EXPECT_EQ(json({"ls", "--method", "per"}).size(), 2U);
  EXPECT_EQ(json({"ls", "--state", "failed"}).size(), 0U);
  MNEME_EXPECT_SAYS(runs({"ls", "--state", "failed"}).out, "no runs");
  const Answer one = runs({"show", "first/uniform,s1"});
  MNEME_EXPECT_SAYS(one.out, "dmc/walker-run 20 200.0 1.0 0.4000");
  MNEME_EXPECT_SAYS(one.out, "again mneme train brc");
  MNEME_EXPECT_SAYS(one.out, "critic:mean_age 12.5");
  const test::JsonValue shown = json({"show", "2"});
  EXPECT_EQ(shown["evaluations"][1]["score"].number, 0.4);
  EXPECT_EQ(shown["factors"]["utd"].text, "1/2");
  EXPECT_EQ(shown["settings"]["batch"].text, "8");
  const Answer both = runs({"compare", "1", "3"});
  MNEME_EXPECT_SAYS(both.out, "sampler uniform per");
  EXPECT_EQ(both.out.find("batch"), std::string::npos);
  MNEME_EXPECT_SAYS(both.out, "step 20 0.3000 0.3000 +0.0000");
  EXPECT_EQ(json({"compare", "1", "2"})["runs"][1]["differs"]["seed"].text, "1");
}

TEST_F(RunsCommand, ExportsWhatStatsReads) {
  const std::string csv = directory_ / "scores.csv";
  EXPECT_EQ(runs({"export", "-o", csv}).code, kDone);
  const test::JsonValue stats =
      json_of({"stats", csv, "--baseline", "uniform utd=1/2", "--reps", "200"});
  EXPECT_EQ(stats["methods"].size(), 2U);
  const Answer rows = runs({"export", "--what", "diagnostics", "--method", "per"});
  MNEME_EXPECT_SAYS(rows.out,
                    "first,\"per,s0\",per utd=1/2,dmc/walker-run,0,20,critic:mean_age,12.5");
}

TEST_F(RunsCommand, RemovesRunsAndStudies) {
  EXPECT_EQ(runs({"rm", "1"}).code, kDone);
  EXPECT_TRUE(fs::exists(directory_ / "uniform,s0"));
  EXPECT_EQ(json({"ls"}).size(), 3U);
  const Answer dry = runs({"rm", "first", "--files", "--dry-run"});
  MNEME_EXPECT_SAYS(dry.out, "would remove " + (directory_ / "per,s1").string() + ": 3 files");
  EXPECT_EQ(json({"ls"}).size(), 3U);
  std::ofstream(directory_ / "per,s0" / "notes.txt") << "mine";
  const Answer gone = runs({"rm", "first", "--files"});
  EXPECT_EQ(gone.code, kDone) << gone.err;
  MNEME_EXPECT_SAYS(gone.out, "not mneme's, kept: notes.txt");
  EXPECT_TRUE(fs::exists(directory_ / "per,s0" / "notes.txt"));
  EXPECT_FALSE(fs::exists(directory_ / "per,s1"));
  EXPECT_EQ(json({"ls"}).size(), 0U);
}

// From another directory that has the same relative path: the ledger's own runs are removed.
TEST_F(RunsCommand, RemovesFilesBelowTheLedgerOnly) {
  const fs::path here = fs::current_path();
  fs::create_directories(directory_ / "other" / "uniform,s0");
  std::ofstream(directory_ / "other" / "uniform,s0" / "config.toml") << "version = 1\n";
  fs::current_path(directory_ / "other");
  EXPECT_EQ(runs({"rm", "1", "--files"}).code, kDone);
  EXPECT_TRUE(fs::exists("uniform,s0/config.toml"));
  EXPECT_FALSE(fs::exists(directory_ / "uniform,s0"));
  fs::current_path(here);
  // A ledger from elsewhere.
  const testing::TemporaryDirectory home;
  {
    fs::create_directories(home / "run");
    std::ofstream(home / "run" / "config.toml") << "version = 1\n";
    Ledger ledger(file());
    ledger.database().execute(concat("UPDATE run SET directory = '", (home / "run").string(), "'"));
    const Answer answer = runs({"rm", "2", "--files"});
    EXPECT_EQ(answer.code, kUsage);
    MNEME_EXPECT_SAYS(answer.err, "is not below the ledger's folder");
    EXPECT_TRUE(fs::exists(home / "run" / "config.toml"));
    EXPECT_EQ(json({"ls"}).size(), 3U);
  }
  Ledger(file()).database().execute("UPDATE run SET directory = 'plain'");
  fs::create_directories(directory_ / "plain");
  std::ofstream(directory_ / "plain" / "metrics.csv") << "mine";
  MNEME_EXPECT_SAYS(runs({"rm", "2", "--files"}).err, "nothing proves that it is a run");
  EXPECT_TRUE(fs::exists(directory_ / "plain" / "metrics.csv"));
}

TEST_F(RunsCommand, SaysWhatIsWrong) {
  EXPECT_EQ(runs({"show", "first/unifrom,s0"}).code, kUsage);
  MNEME_EXPECT_SAYS(runs({"show", "first/unifrom,s0"}).err, "did you mean 'first/uniform,s0'");
  MNEME_EXPECT_SAYS(runs({"compare", "1"}).err, "at least two runs, got 1");
  const Answer none = mneme_tool({"runs", "ls", "--ledger", directory_ / "none.db"});
  EXPECT_EQ(none.code, kUsage);
  MNEME_EXPECT_SAYS(none.err, "there is no ledger here");
  std::ofstream(directory_ / "text.db") << std::string(9000, 'x');
  const Answer text = mneme_tool({"runs", "ls", "--ledger", directory_ / "text.db"});
  EXPECT_EQ(text.code, kFailed);
  MNEME_EXPECT_SAYS(text.err, "corrupt or not a mneme ledger");
}

}  // namespace
}  // namespace mneme::lab
