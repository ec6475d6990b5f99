// tests/study/scheduler_test.cpp - the policy of studies on a scripted engine: order, retries,
// failures, stops, and when a run counts as done.
#include "study/scheduler.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "mneme/error.h"
#include "run/run_directory.h"
#include "run/tables.h"
#include "study/engines/fake_engine.h"
#include "study/registration.h"
#include "support/failing_disk.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

struct Recorder final : StudyObserver {
  void on_warning(const std::string& text) override { events.push_back("warning " + text); }
  void on_done(const RunReport& run) override { events.push_back("done " + run.key); }
  void on_failed(const RunReport& run) override {
    events.push_back(concat("failed ", run.key, ": ", run.reason));
  }
  void on_retry(const RunReport& run) override {
    events.push_back(concat("retry ", run.key, ": ", run.reason));
  }
  void on_stopping(const std::string& reason, std::size_t runs) override {
    events.push_back(concat("stopping ", runs, ": ", reason));
  }
  std::vector<std::string> events;
};

// Four runs of 80 steps.
constexpr const char* kStudy = R"(
agent = "simbav2"
tasks = ["dummy/count:limit=9"]
samplers = ["uniform", "linear"]
seeds = 2
steps = 80
settings = {critic_width = 4, actor_width = 4}
)";

class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() {
    study_ = read_study(kStudy, "mine", {});
    std::vector<PlannedRun> planned = plan_runs(study_);
    const std::vector<Id> ids = register_runs(ledger_, study_, planned, directory_ / "mine", false);
    for (std::size_t at = 0; at < planned.size(); ++at)
      runs_.push_back({.id = ids[at], .plan = planned[at]});
  }

  Outcome run(FakeEngine& engine, ScheduleOptions options = {}) {
    options.study = "mine";
    return schedule(ledger_, runs_, engine, options, observer_);
  }
  std::string name(std::size_t at) const { return "mine/" + runs_[at].plan.key; }
  RunState state(std::size_t at) const { return ledger_.run(runs_[at].id).state; }
  std::string error(std::size_t at) const { return ledger_.run(runs_[at].id).error; }

  // What a run writes that gets to `step`.
  static void write_outputs(const JobSpec& job, std::int64_t step) {
    fs::create_directories(job.directory);
    std::ofstream(job.directory / "config.toml") << "version = 1\n[settings]\nsteps = 80\n";
    std::ofstream(job.directory / "eval.csv")
        << header_of(RunTable::evaluation) << '\n'
        << line_of({.at = {step, step}, .seconds = 1, .task = "t", .episodes = 1, .score = 0.5})
        << '\n';
  }
  static FakeEngine::Attempt finishing(int polls = 0) {
    return {.work = [](const JobSpec& job) { write_outputs(job, 80); }, .polls = polls};
  }
  TemporaryDirectory directory_;
  Ledger ledger_{directory_ / "ledger.db", Ledger::Mode::create};
  StudyFile study_;
  std::vector<StudyRun> runs_;
  Recorder observer_;
};

TEST_F(SchedulerTest, RunsInOrderWithAsManyJobsAsThereAreSlots) {
  FakeEngine engine(2);
  for (std::size_t at = 0; at < 4; ++at) engine.expect(name(at), finishing(1));
  const Outcome outcome = run(engine);
  EXPECT_EQ(outcome.done, 4U);
  EXPECT_EQ(outcome.left, 0U);
  EXPECT_EQ(outcome.reason, "");
  EXPECT_EQ(engine.most_at_once, 2U);
  ASSERT_EQ(engine.submitted.size(), 4U);
  for (std::size_t at = 0; at < 4; ++at) {
    EXPECT_EQ(engine.submitted[at].name, name(at));
    EXPECT_EQ(engine.submitted[at].arguments.front(), "train");
    EXPECT_EQ(state(at), RunState::done);
  }
  // Nothing is left to do.
  FakeEngine again(2);
  EXPECT_EQ(run(again).done, 4U);
  EXPECT_TRUE(again.submitted.empty());
}

// Exit code 0 alone proves nothing: /bin/true has it too.
TEST_F(SchedulerTest, RunWithoutItsLastEvaluationIsFailed) {
  FakeEngine silent(1);
  silent.expect(name(1), {.work = [](const JobSpec& job) { write_outputs(job, 60); }});
  silent.expect(name(2), finishing());
  silent.expect(name(3), finishing());
  const Outcome outcome = run(silent);
  EXPECT_EQ(outcome.done, 2U);
  EXPECT_EQ(outcome.failed, 2U);
  EXPECT_NE(error(0).find("exited with code 0, but it wrote no evaluation"), std::string::npos)
      << error(0);
  EXPECT_NE(error(1).find("last evaluation is at step 60 of 80"), std::string::npos) << error(1);
}

TEST_F(SchedulerTest, FailedRunIsNotTriedAgainAndOthersContinue) {
  FakeEngine failing(1);
  failing.expect(name(0), {.exit = JobExit::failed, .message = "the loss is NaN"});
  for (std::size_t at = 1; at < 4; ++at) failing.expect(name(at), finishing());
  EXPECT_EQ(run(failing).failed, 1U);
  EXPECT_EQ(error(0), "the loss is NaN");
  EXPECT_EQ(observer_.events.front(), "failed " + runs_[0].plan.key + ": the loss is NaN");
  EXPECT_EQ(failing.submitted.size(), 4U);
  FakeEngine again(1);
  EXPECT_EQ(run(again).failed, 1U);
  EXPECT_TRUE(again.submitted.empty());
}

TEST_F(SchedulerTest, KilledRunIsTriedAgainUntilItGetsNoFurther) {
  FakeEngine killing(1);
  // Killed twice without progress, then with some, then three times more without.
  const FakeEngine::Attempt killed{.exit = JobExit::killed, .message = "ended by signal 9"};
  killing.expect(name(0), killed);
  killing.expect(name(0), killed);
  killing.expect(name(0), finishing());
  for (int attempt = 0; attempt < 3; ++attempt) killing.expect(name(1), killed);
  killing.expect(name(2), finishing());
  killing.expect(name(3), finishing());
  const Outcome outcome = run(killing);
  EXPECT_EQ(outcome.done, 3U);
  EXPECT_EQ(outcome.failed, 1U);
  EXPECT_EQ(state(0), RunState::done);
  EXPECT_EQ(ledger_.run(runs_[0].id).attempts, 3);
  EXPECT_EQ(state(1), RunState::failed);
  EXPECT_EQ(ledger_.run(runs_[1].id).attempts, 3);
}

// The first request stops after checkpoints, the second kills; both leave runs that continue.
TEST_F(SchedulerTest, StopRequestsLeaveRunsThatContinue) {
  int polls = 0;
  FakeEngine engine(2);
  for (std::size_t at = 0; at < 4; ++at) engine.expect(name(at), finishing(1000));
  const Outcome outcome = run(engine, {.interrupts = [&] { return ++polls > 3 ? 1 : 0; }});
  EXPECT_EQ(outcome.reason, "interrupted");
  EXPECT_EQ(outcome.left, 4U);
  EXPECT_EQ(engine.submitted.size(), 2U);
  EXPECT_EQ(engine.stops,
            (std::vector<StopJob>{StopJob::after_checkpoint, StopJob::after_checkpoint}));
  EXPECT_EQ(observer_.events.front(), "stopping 2: interrupted");
  EXPECT_EQ(state(0), RunState::stopped);
  EXPECT_EQ(error(0), "");
  EXPECT_EQ(state(2), RunState::planned);

  FakeEngine killed(1);
  EXPECT_EQ(run(killed, {.interrupts = [] { return 2; }}).left, 4U);
  EXPECT_TRUE(killed.submitted.empty());  // requested before anything started
  FakeEngine timed(1);
  timed.expect(name(0), finishing(1'000'000));
  EXPECT_NE(run(timed, {.max_hours = 1e-9}).reason.find("--max-hours"), std::string::npos);
}

// A run that an engine outside this process may still be making is never started twice.
TEST_F(SchedulerTest, RunningRunOfALastingEngineIsLeftAlone) {
  ledger_.begin_attempt(runs_[0].id, "build", "machine");
  FakeEngine lasting(1, true);
  for (std::size_t at = 1; at < 4; ++at) lasting.expect(name(at), finishing());
  EXPECT_EQ(run(lasting).left, 1U);
  EXPECT_EQ(lasting.submitted.size(), 3U);
  EXPECT_EQ(state(0), RunState::running);
  EXPECT_NE(observer_.events.front().find("may still be running"), std::string::npos);
  FakeEngine local(1);
  local.expect(name(0), finishing());
  EXPECT_EQ(run(local).done, 4U);
}

TEST_F(SchedulerTest, UnreachableJobIsWaitedForAndNotSubmittedAgain) {
  FakeEngine far(4);
  far.expect(name(0), {.work = [](const JobSpec& job) { write_outputs(job, 80); },
                       .polls = 50,
                       .state = JobState::unreachable});
  for (std::size_t at = 1; at < 4; ++at) far.expect(name(at), finishing());
  EXPECT_EQ(run(far).done, 4U);
  EXPECT_EQ(far.submitted.size(), 4U);
}

// A directory that cannot be read fails its run with the reason, and nothing in it is touched.
TEST_F(SchedulerTest, UnreadableDirectoryFailsItsRunAndIsKept) {
  const fs::path bad = ledger_.run(runs_[0].id).directory;
  fs::create_directories(bad / "replay");
  std::ofstream(bad / "config.toml") << "version = 1\n[settings]\nsteps = 80\n";
  std::ofstream(bad / "replay" / "manifest") << "not a manifest";
  std::ofstream(bad / "metrics.csv") << "step,frame,name,value\n40,40,loss,1\n";
  FakeEngine engine(1);
  for (std::size_t at = 1; at < 4; ++at) engine.expect(name(at), finishing());
  EXPECT_EQ(run(engine).failed, 1U);
  EXPECT_EQ(engine.submitted.size(), 3U);
  EXPECT_NE(error(0).find("cannot be continued"), std::string::npos) << error(0);
  EXPECT_NE(error(0).find("manifest"), std::string::npos) << error(0);
  EXPECT_TRUE(fs::exists(bad / "replay" / "manifest"));
  EXPECT_TRUE(fs::exists(bad / "metrics.csv"));
}

TEST_F(SchedulerTest, FinishedDirectoryIsTakenFromItsFiles) {
  write_outputs({.directory = ledger_.run(runs_[0].id).directory}, 80);
  write_outputs({.directory = ledger_.run(runs_[1].id).directory}, 40);
  FakeEngine engine(1);
  for (std::size_t at = 2; at < 4; ++at) engine.expect(name(at), finishing());
  const Outcome outcome = run(engine);
  EXPECT_EQ(outcome.done, 3U);
  EXPECT_EQ(state(0), RunState::done);
  EXPECT_EQ(state(1), RunState::failed);  // its buffer is missing at step 40
  EXPECT_NE(error(1).find("step 40 of 80"), std::string::npos) << error(1);
  EXPECT_EQ(engine.submitted.size(), 2U);
}

TEST_F(SchedulerTest, RunOutsideTheLedgersFolderIsRefused) {
  const TemporaryDirectory elsewhere;
  ledger_.database().execute(
      concat("UPDATE run SET directory = '", elsewhere.path().string(), "/x' WHERE id = 1"));
  FakeEngine engine(1);
  for (std::size_t at = 1; at < 4; ++at) engine.expect(name(at), finishing());
  EXPECT_EQ(run(engine).failed, 1U);
  EXPECT_NE(error(0).find("not below the ledger's folder"), std::string::npos) << error(0);
}

TEST_F(SchedulerTest, CorruptTableFailsItsRunAlone) {
  FakeEngine engine(1);
  engine.expect(name(0), {.work = [](const JobSpec& job) {
                  write_outputs(job, 80);
                  std::ofstream(job.directory / "metrics.csv") << "step,frame,name,value\nx,y\n";
                }});
  for (std::size_t at = 1; at < 4; ++at) engine.expect(name(at), finishing());
  EXPECT_EQ(run(engine).done, 3U);
  EXPECT_NE(error(0).find("metrics.csv"), std::string::npos) << error(0);
}

TEST(Engines, UnknownNameListsTheKnown) {
  try {
    make_engine("lcoal", {});
    ADD_FAILURE();
  } catch (const NotFound& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'local'"), std::string::npos);
  }
  EXPECT_FALSE(make_engine("local", {.jobs = 3})->outlives_head());
  EXPECT_EQ(make_engine("local", {.jobs = 3})->slots(), 3U);
}

}  // namespace
}  // namespace mneme::lab
