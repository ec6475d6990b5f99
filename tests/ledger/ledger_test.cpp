// tests/ledger/ledger_test.cpp - rows, ingested files, and broken ledgers.
#include "ledger/ledger.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <thread>

#include "base/text.h"
#include "ledger/curves.h"
#include "ledger/ingest.h"
#include "ledger/schema.h"
#include "mneme/error.h"
#include "support/failing_disk.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

class LedgerTest : public ::testing::Test {
 protected:
  Ledger open() { return Ledger(file(), Ledger::Mode::create, std::chrono::milliseconds(200)); }
  fs::path file() const { return directory_ / "ledger.db"; }

  // A run with an empty directory of its own.
  Id add_run(Ledger& ledger, const std::string& key) {
    StudyRow study = ledger.find_study("first");
    if (study.id == 0) study.id = ledger.add_study("first", "agent = 'simbav2'\n");
    fs::create_directories(directory_ / key);
    return ledger.add_run(study.id,
                          {.key = key,
                           .agent = "simbav2",
                           .method = "uniform",
                           .task = "dummy/count",
                           .seed = 3,
                           .steps = 100,
                           .directory = (directory_ / key).string()},
                          "seed = 3\n", {{"utd", "1"}, {"batch", "8"}}, {{"utd", "1/1"}});
  }
  void write(const std::string& key, const std::string& name, const std::string& text) {
    std::ofstream(directory_ / key / name, std::ios::binary) << text;
  }
  static std::vector<double> values(const std::vector<Point>& points) {
    std::vector<double> out;
    for (const Point& point : points) out.push_back(point.value);
    return out;
  }

  TemporaryDirectory directory_;
};

constexpr const char* kEvalHeader =
    "step,frame,seconds,task,episodes,return,deviation,score,success,length\n";

TEST_F(LedgerTest, KeepsStudiesAndRuns) {
  Id id = 0;
  {
    Ledger ledger = open();
    id = add_run(ledger, "a");
    ledger.begin_attempt(id, "0.1", "here");
    ledger.set_state(id, RunState::failed, "it broke");
  }
  Ledger ledger(file());
  const RunRow row = ledger.run("first/a");
  EXPECT_EQ(row.id, id);
  EXPECT_EQ(row.state, RunState::failed);
  EXPECT_EQ(row.error, "it broke");
  EXPECT_EQ(row.attempts, 1);
  EXPECT_EQ(row.seed, 3);
  EXPECT_EQ(row.build, "0.1");
  EXPECT_TRUE(std::isnan(row.score));
  EXPECT_GT(row.finished, 1e9);
  EXPECT_EQ(ledger.run("a").id, id);
  EXPECT_EQ(ledger.run(std::to_string(id)).id, id);
  EXPECT_THROW(ledger.run("b"), NotFound);
  EXPECT_EQ(ledger.configuration(id), "seed = 3\n");
  EXPECT_EQ(ledger.settings(id), (NamedValues{{"utd", "1"}, {"batch", "8"}}));
  EXPECT_EQ(ledger.factors(id), (NamedValues{{"utd", "1/1"}}));
  const StudyRow study = ledger.find_study("first");
  EXPECT_EQ(study.runs, 1);
  EXPECT_EQ(study.failed, 1);
  EXPECT_EQ(study.hash.size(), 16U);
  EXPECT_EQ(ledger.find_study("second").id, 0);

  ledger.supersede(id, "elsewhere");
  EXPECT_TRUE(ledger.runs().empty());
  EXPECT_EQ(ledger.runs({.superseded = true}).front().key, "a~1");
  const Id again = add_run(ledger, "a");
  ledger.supersede(again, "elsewhere too");
  EXPECT_EQ(ledger.run(again).key, "a~2");
  ledger.remove_run(id);
  ledger.remove_study_if_empty("first");
  EXPECT_EQ(ledger.studies().size(), 1U);
  ledger.remove_run(again);
  ledger.remove_study_if_empty("first");
  EXPECT_TRUE(ledger.studies().empty());
}

TEST_F(LedgerTest, IngestsGrowingFiles) {
  Ledger ledger = open();
  const Id run = add_run(ledger, "a");
  ingest(ledger, run);  // nothing there yet
  write("a", "metrics.csv", "step,frame,name,value\n10,20,loss,0.5\n10,20,updates,7\n20,40,lo");
  write("a", "eval.csv",
        concat(kEvalHeader, "10,20,1.5,x/y,5,100,2.5,0.25,,1000\n",
               "10,20,1.5,x/z,5,100,2.5,0.75,0.2,1000\n"));
  write("a", "diagnostics.csv", "step,frame,reader,name,value\n10,20,critic,mean_age,33.25\n");
  for (int twice = 0; twice < 2; ++twice) {
    ingest(ledger, run);
    EXPECT_EQ(values(points(ledger, run, Series::metric, "loss")), std::vector<double>{0.5});
  }
  RunRow row = ledger.run(run);
  EXPECT_EQ(row.step, 10);
  EXPECT_EQ(row.score, 0.5);
  EXPECT_EQ(row.seconds, 1.5);
  write(
      "a", "metrics.csv",
      "step,frame,name,value\n10,20,loss,0.5\n10,20,updates,7\n20,40,loss,nan\n20,40,updates,9\n");
  ingest(ledger, run);
  const auto loss = points(ledger, run, Series::metric, "loss");
  ASSERT_EQ(loss.size(), 2U);
  EXPECT_TRUE(std::isnan(loss[1].value));
  EXPECT_EQ(ledger.run(run).step, 20);
  const auto rows = evaluations(ledger, run);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].task, "x/y");
  EXPECT_TRUE(std::isnan(rows[0].success));
  EXPECT_EQ(rows[1].success, 0.2);
  EXPECT_EQ(rows[1].frame, 20);
  EXPECT_EQ(series_names(ledger, run, Series::diagnostic),
            std::vector<std::string>{"critic:mean_age"});
  EXPECT_TRUE(points(ledger, run, Series::metric, "mean_age").empty());
  // Both forms of the table.
  write("a", "timing.csv", "step,frame,environment,update\n10,20,0.5,2\n20,40,1,4.5\n");
  ingest(ledger, run);
  EXPECT_EQ(values(points(ledger, run, Series::timing, "update")), (std::vector<double>{2, 4.5}));
  write("a", "timing.csv", "step,frame,name,value\n10,20,sample,3\n");
  ingest(ledger, run);
  EXPECT_EQ(series_names(ledger, run, Series::timing), std::vector<std::string>{"sample"});
}

// A resumed run truncates its files to the checkpoint and writes on: shorter, as long as before, or
// longer by the next ingest.
TEST_F(LedgerTest, IngestsFilesTruncatedToACheckpoint) {
  const std::string head = concat(kEvalHeader, "10,10,1.5,x/y,5,1,1,0.1,,9\n");
  const std::string before =
      concat(head, "20,20,2.5,x/y,5,1,1,0.2,,9\n30,30,3.5,x/y,5,1,1,0.3,,9\n");
  for (const std::string& after :
       {head, concat(head, "20,20,8.5,x/y,5,1,1,0.2,,9\n30,30,9.5,x/y,5,1,1,0.3,,9\n"),
        concat(head, "20,20,8.5,x/y,5,1,1,0.2,,9\n"),
        concat(head, "20,20,18.5,x/y,5,1,1,0.2,,9\n30,30,29.5,x/y,5,1,1,0.3,,9\n",
               "40,40,39.5,x/y,5,1,1,0.4,,9\n")}) {
    const TemporaryDirectory directory;
    std::vector<std::vector<EvaluationRow>> both;
    for (const bool directly : {false, true}) {
      Ledger ledger = open();
      const Id run = add_run(ledger, concat("r", after.size(), directly));
      const std::string key = ledger.run(run).key;
      if (!directly) write(key, "eval.csv", before);
      ingest(ledger, run);
      write(key, "eval.csv", after);
      ingest(ledger, run);
      both.push_back(evaluations(ledger, run));
    }
    ASSERT_EQ(both[0].size(), both[1].size());
    for (std::size_t at = 0; at < both[0].size(); ++at) {
      EXPECT_EQ(both[0][at].step, both[1][at].step);
      EXPECT_EQ(both[0][at].seconds, both[1][at].seconds);
    }
  }
}

// Columns are found by their names: another order, and columns of a newer program, change nothing.
TEST_F(LedgerTest, ColumnsAreFoundByName) {
  Ledger ledger = open();
  const Id run = add_run(ledger, "a");
  write("a", "metrics.csv", "value,new,name,step,frame\n0.5,x,loss,10,20\n");
  write("a", "eval.csv",
        "task,score,length,success,deviation,return,episodes,seconds,frame,step\n"
        "x/y,0.25,9,,2,100,5,1.5,20,10\n");
  ingest(ledger, run);
  EXPECT_EQ(values(points(ledger, run, Series::metric, "loss")), std::vector<double>{0.5});
  const auto rows = evaluations(ledger, run);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].score, 0.25);
  EXPECT_EQ(rows[0].mean_return, 100);
  EXPECT_EQ(rows[0].length, 9);
  EXPECT_EQ(last_evaluation_step(ledger, run), 10);
  write("a", "diagnostics.csv", "step,frame,name,value\n1,1,mean_age,3\n");
  EXPECT_THROW(ingest(ledger, run), CorruptData);  // the reader is missing
}

TEST_F(LedgerTest, MalformedLineIsNamedAndNothingIsIngested) {
  Ledger ledger = open();
  const Id run = add_run(ledger, "a");
  for (const std::string bad : {"10,20,loss", "10,20,loss,many", "x,20,loss,1", "1.5,2,loss,1"}) {
    write("a", "metrics.csv", concat("step,frame,name,value\n5,5,loss,1\n", bad, "\n"));
    try {
      ingest(ledger, run);
      ADD_FAILURE() << bad;
    } catch (const CorruptData& error) {
      EXPECT_NE(std::string(error.what()).find(bad), std::string::npos) << error.what();
    }
    EXPECT_TRUE(points(ledger, run, Series::metric, "loss").empty());
  }
}

TEST_F(LedgerTest, LedgerOfAnOlderVersionIsUpgraded) {
  {
    const Database db(file(), Database::Mode::create, std::chrono::seconds(1));
    db.execute(schema_step(1));
    db.execute("PRAGMA user_version = 1; PRAGMA application_id = 1835951469");
    db.execute(
        "INSERT INTO study VALUES (1, 'old', 'text', 'hash', 5);"
        "INSERT INTO run (study, key, state, agent, method, task, seed, steps, created, directory) "
        "VALUES (1, 'k', 'done', 'brc', 'per', 't', 1, 10, 5, 'there');"
        "INSERT INTO name VALUES (1, 'loss'); INSERT INTO metric VALUES (1, 1, 10, 0.5)");
  }
  const Ledger ledger(file());
  EXPECT_EQ(ledger.run("old/k").state, RunState::done);
  EXPECT_EQ(points(ledger, 1, Series::metric, "loss").size(), 1U);
  EXPECT_TRUE(points(ledger, 1, Series::timing, "update").empty());
  EXPECT_EQ(ledger.database().number("PRAGMA user_version"), ledger_version());
}

// A folder of runs can be moved: what the file keeps is relative to it. Older programs stored the
// path from the directory that the study was started in, or an absolute one.
TEST_F(LedgerTest, DirectoriesAreBelowTheLedgerWhereverItIs) {
  const fs::path before = directory_ / "before", after = directory_ / "after";
  fs::create_directories(before / "first" / "a");
  Id run = 0;
  {
    Ledger ledger(before / "ledger.db", Ledger::Mode::create);
    const Id study = ledger.add_study("first", "");
    run = ledger.add_run(study, {.key = "a", .directory = (before / "first" / "a").string()}, "",
                         {}, {});
    EXPECT_EQ(ledger.run(run).directory, (before / "first" / "a").string());
    EXPECT_TRUE(ledger.holds(ledger.run(run)));
  }
  fs::rename(before, after);
  const auto directory = [&] { return Ledger(after / "ledger.db").run(run).directory; };
  EXPECT_EQ(directory(), (after / "first" / "a").string());
  for (const std::string& old : {std::string("runs/first/a"), (before / "first" / "a").string()}) {
    Ledger(after / "ledger.db")
        .database()
        .execute(concat("UPDATE run SET directory = '", old, "'"));
    EXPECT_EQ(directory(), (after / "first" / "a").string()) << old;
  }
  // A ledger from elsewhere that points out of its folder, directly or by a link.
  fs::create_directories(directory_ / "victim");
  fs::create_directory_symlink(directory_ / "victim", after / "link");
  for (const std::string& bad : {std::string("../victim"), (directory_ / "victim").string(),
                                 std::string("link"), std::string("/"), std::string(".")}) {
    const Ledger ledger(after / "ledger.db");
    ledger.database().execute(concat("UPDATE run SET directory = '", bad, "'"));
    EXPECT_FALSE(ledger.holds(ledger.run(run))) << bad << ' ' << ledger.run(run).directory;
  }
}

// As a user without the right to write: root may write everywhere.
int as_nobody(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(3);
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(LedgerTest, ReadOnlyLedgerIsReadAndNotWritten) {
  {
    Ledger ledger = open();
    add_run(ledger, "a");
  }
  for (const auto mode : {fs::perms::owner_read | fs::perms::others_read | fs::perms::owner_exec |
                              fs::perms::others_exec,
                          fs::perms::all}) {
    fs::permissions(file(), fs::perms::owner_read | fs::perms::others_read);
    fs::permissions(directory_.path(), mode);
    EXPECT_EQ(as_nobody([&] {
                const Ledger ledger(file());
                if (ledger.runs().size() != 1) throw IoError("one run is missing");
                try {
                  ledger.database().execute("DELETE FROM run");
                } catch (const IoError&) {
                  return;
                }
                throw IoError("it was written");
              }),
              0);
  }
  fs::permissions(directory_.path(), fs::perms::all);
}

TEST_F(LedgerTest, RejectsForeignDatabase) {
  EXPECT_THROW(Ledger(directory_ / "none.db"), NotFound);
  EXPECT_FALSE(fs::exists(directory_ / "none.db"));
  EXPECT_THROW(Ledger("/nonexistent/ledger.db", Ledger::Mode::create), IoError);

  {
    open();
  }
  {
    const Database db(file(), Database::Mode::open, std::chrono::seconds(1));
    db.execute("PRAGMA user_version = 99");
  }
  try {
    open();
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("newer mneme"), std::string::npos);
  }

  const fs::path other = directory_ / "other.db";
  {
    const Database db(other, Database::Mode::create, std::chrono::seconds(1));
    db.execute("CREATE TABLE cats (name TEXT)");
  }
  EXPECT_THROW(Ledger ledger(other), CorruptData);

  const fs::path text = directory_ / "text.db";
  std::ofstream(text) << std::string(5000, 'x');
  EXPECT_THROW(Ledger ledger(text), CorruptData);
  EXPECT_EQ(testing::bytes_of(text).size(), 5000U);
}

TEST_F(LedgerTest, ReportsCorruptFile) {
  {
    Ledger ledger = open();
    for (int n = 0; n < 50; ++n) add_run(ledger, concat("r", n));
    ledger.database().execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  std::vector<char> bytes = testing::bytes_of(file());
  for (std::size_t at = 4096; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at * 7);
  testing::write_bytes(file(), bytes);
  try {
    const Ledger ledger(file());
    ledger.runs();
    ADD_FAILURE();
  } catch (const CorruptData& error) {
    EXPECT_NE(std::string(error.what()).find("from the runs' own files"), std::string::npos);
  }
}

TEST_F(LedgerTest, FullDiskLosesNothing) {
  Ledger ledger = open();
  const Id run = add_run(ledger, "a");
  std::string text = "step,frame,name,value\n1,1,loss,1\n";
  write("a", "metrics.csv", text);
  ingest(ledger, run);
  const std::int64_t pages = ledger.database().number("PRAGMA page_count");
  ledger.database().execute(concat("PRAGMA max_page_count = ", pages + 1));
  for (int step = 2; step < 4000; ++step) text += concat(step, ',', step, ",loss,0.5\n");
  write("a", "metrics.csv", text);
  try {
    ingest(ledger, run);
    ADD_FAILURE();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("disk is full"), std::string::npos) << error.what();
  }
  EXPECT_EQ(points(ledger, run, Series::metric, "loss").size(), 1U);
  ledger.database().execute("PRAGMA max_page_count = 1000000");
  ingest(ledger, run);
  EXPECT_EQ(points(ledger, run, Series::metric, "loss").size(), 3999U);
}

TEST_F(LedgerTest, WriterWaitsForAnotherThenFails) {
  Ledger ledger = open();
  Ledger other = open();
  const Id run = add_run(ledger, "a");
  {
    const Transaction all(other.database());
    EXPECT_THROW(ledger.set_state(run, RunState::done), IoError);
    EXPECT_EQ(ledger.runs().size(), 1U);  // readers do not wait
  }
  ledger.set_state(run, RunState::done);
}

// Processes that add rows at once, from the making of the file on, some of them killed.
TEST_F(LedgerTest, ConcurrentProcessesAndAKilledOneLeaveWholeRows) {
  constexpr int kRuns = 60;
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      try {
        Ledger ledger(file(), Ledger::Mode::create, std::chrono::seconds(30));
        Id study = 0;
        {
          Transaction all(ledger.database());
          study = ledger.add_study(concat("study", child), "");
          all.commit();
        }
        for (int n = 0; n < (child == 2 ? 1'000'000 : kRuns); ++n) {
          Transaction all(ledger.database());
          ledger.add_run(study, {.key = concat(n)}, "text", {{"a", "1"}}, {{"b", "2"}});
          all.commit();
        }
      } catch (const std::exception&) {
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(pid);
  }
  int status = 0;
  for (int child = 0; child < 2; ++child) {
    ASSERT_EQ(waitpid(children[static_cast<std::size_t>(child)], &status, 0),
              children[static_cast<std::size_t>(child)]);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  // The third never stops by itself; it may not even have begun.
  kill(children[2], SIGKILL);
  waitpid(children[2], &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  const Ledger ledger(file());
  EXPECT_EQ(ledger.runs({.study = "study0"}).size(), static_cast<std::size_t>(kRuns));
  EXPECT_EQ(ledger.runs({.study = "study1"}).size(), static_cast<std::size_t>(kRuns));
  for (const RunRow& row : ledger.runs({.study = "study2"}))
    EXPECT_EQ(ledger.settings(row.id).size(), 1U);  // whole or not at all
  Statement check = ledger.database().prepare("PRAGMA integrity_check");
  ASSERT_TRUE(check.step());
  EXPECT_EQ(check.text(0), "ok");
}

}  // namespace
}  // namespace mneme::lab
