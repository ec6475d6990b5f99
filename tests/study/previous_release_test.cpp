// tests/study/previous_release_test.cpp - a runs folder of the previous release (fixtures/README.md): read,
// and resumed or refused in words.
#include <gtest/gtest.h>

#include "ledger/curves.h"
#include "mneme/error.h"
#include "os/file.h"
#include "run/run_directory.h"
#include "run/trainer.h"
#include "support/failing_disk.h"
#include "support/places.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

class PreviousRelease : public ::testing::Test {
 protected:
  PreviousRelease() {
    fs::copy(fs::path(test::source_path("tests/study/fixtures/previous")), directory_ / "moved",
             fs::copy_options::recursive);
  }
  testing::TemporaryDirectory directory_;
};

TEST_F(PreviousRelease, LedgerFindsItsRunsWhereverTheFolderIs) {
  const Ledger ledger(directory_ / "moved/ledger.db");
  const RunRow done = ledger.runs({.study = "done"}).front();
  EXPECT_EQ(done.state, RunState::done);
  EXPECT_TRUE(ledger.holds(done)) << done.directory;
  EXPECT_EQ(last_evaluation_step(ledger, done.id), 60);
  EXPECT_EQ(inspect_run(done.directory).progress, RunProgress::finished)
      << inspect_run(done.directory).reason;
  const RunRow stopped = ledger.runs({.study = "stopped"}).front();
  EXPECT_TRUE(ledger.holds(stopped)) << stopped.directory;
  EXPECT_EQ(inspect_run(stopped.directory).progress, RunProgress::resumable)
      << inspect_run(stopped.directory).reason;
  EXPECT_EQ(mneme_tool({"runs", "ls", "--ledger", directory_ / "moved/ledger.db"}).code, kDone);
}

TEST_F(PreviousRelease, StoppedRunResumesOrIsRefusedInWords) {
  const fs::path run =
      Ledger(directory_ / "moved/ledger.db").runs({.study = "stopped"}).front().directory;
  const std::string before = read_file(run / "metrics.csv");
  try {
    const auto trainer = Trainer::resume(run);
    EXPECT_EQ(trainer->steps_done(), 748);
    trainer->step();
    EXPECT_EQ(trainer->steps_done(), 749);
  } catch (const CorruptData& error) {
    // A setting that has another name now: the message has the file and the setting.
    EXPECT_NE(std::string(error.what()).find("config.toml"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("did you mean"), std::string::npos) << error.what();
    EXPECT_EQ(read_file(run / "metrics.csv"), before);
  }
}

}  // namespace
}  // namespace mneme::lab
