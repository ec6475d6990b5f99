// study/scheduler.cpp - submitting, polling, ingesting, deciding.
#include "study/scheduler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>

#include "base/text.h"
#include "ledger/curves.h"
#include "ledger/ingest.h"
#include "mneme/error.h"
#include "os/machine.h"
#include "run/requirements.h"
#include "run/run_directory.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A run that is killed without getting further is given up after so many attempts.
constexpr int kFutile = 3;
constexpr auto kIngestEvery = std::chrono::seconds(2);
constexpr auto kPollPatience = std::chrono::milliseconds(100);

double since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

// An attempt that is under way.
struct Job {
  const StudyRun* run;
  JobId id;
  fs::path directory;
  Clock::time_point begun;
  std::int64_t first_step, step;  // at its start, now
  double score = std::nan("");
  std::string corrupt = {};  // what is wrong with the files it wrote
};

class Scheduler {
 public:
  Scheduler(Ledger& ledger, const std::vector<StudyRun>& runs, Engine& engine,
            const ScheduleOptions& options, StudyObserver& observer)
      : ledger_(ledger),
        engine_(engine),
        options_(options),
        observer_(observer),
        machine_(machine_text()),
        build_(build_text()),
        runs_(runs.size()) {
    for (const StudyRun& run : runs) admit(run);
  }

  Outcome operator()() {
    while (!jobs_.empty() || (!waiting_.empty() && outcome_.reason.empty())) {
      check_for_stop();
      while (outcome_.reason.empty() && !waiting_.empty() && engine_.slots() > 0 && start_next()) {
      }
      const bool look = Clock::now() - looked_ > kIngestEvery;
      for (const JobStatus& status :
           engine_.poll(jobs_.empty() ? std::chrono::milliseconds(0) : kPollPatience))
        update(status, look);
      if (look) looked_ = Clock::now();
      show();
    }
    outcome_.left = waiting_.size() + elsewhere_;
    return outcome_;
  }

 private:
  void admit(const StudyRun& run) {
    const RunRow row = ledger_.run(run.id);
    switch (row.state) {
      case RunState::done:
        ++outcome_.done;
        if (!options_.keep && ledger_.holds(row)) clear_finished(row.directory);
        return;
      case RunState::failed:
        ++outcome_.failed;
        return;
      case RunState::unavailable:
        ++unavailable_;
        return;
      case RunState::superseded:
        return;
      case RunState::running:
        if (engine_.outlives_head()) {
          ++elsewhere_;
          observer_.on_warning(concat(row.key, " may still be running; it is left alone"));
          return;
        }
        break;
      case RunState::planned:
      case RunState::stopped:
        break;
    }
    waiting_.push_back(&run);
  }

  void check_for_stop() {
    const int interrupts = options_.interrupts();
    if (outcome_.reason.empty() && interrupts > 0) stop("interrupted");
    if (outcome_.reason.empty() && options_.max_hours > 0 &&
        since(begun_) > 3600 * options_.max_hours)
      stop(concat("the ", shortest_number(options_.max_hours), " hours of --max-hours are over"));
    if (interrupts > 1)
      for (const Job& job : jobs_) engine_.stop(job.id, StopJob::at_once);
  }

  void stop(const std::string& reason) {
    outcome_.reason = reason;
    if (!jobs_.empty()) observer_.on_stopping(reason, jobs_.size());
    for (const Job& job : jobs_) engine_.stop(job.id, StopJob::after_checkpoint);
  }

  // True if the next one may be looked at.
  bool start_next() {
    const StudyRun& run = *waiting_.front();
    const RunRow row = ledger_.run(run.id);
    if (!ledger_.holds(row)) {
      waiting_.pop_front();
      fail(run, concat("its directory ", row.directory, " is not below the ledger's folder ",
                       ledger_.folder().string()));
      return true;
    }
    const double room = free_disk(row.directory);
    if (room < run.estimate.disk) {
      stop(concat("the disk has ", bytes_text(room), " left, the next run needs about ",
                  bytes_text(run.estimate.disk)));
      return false;
    }
    waiting_.pop_front();
    std::vector<std::string> arguments = run.plan.arguments;
    const RunInspection there = inspect_run(row.directory);
    switch (there.progress) {
      case RunProgress::unreadable:
        fail(run, concat("its directory ", row.directory, " cannot be continued: ", there.reason,
                         ". Nothing was removed; move it away to start the run again"));
        return true;
      case RunProgress::finished:
        // The machine stopped before the ledger heard of it.
        finish_from_files(run);
        return true;
      case RunProgress::resumable:
        arguments = {"train", "--resume", row.directory};
        break;
      case RunProgress::none:
      case RunProgress::unstarted:
        arguments.insert(arguments.end(), {"--out", row.directory});
        break;
    }
    arguments.insert(arguments.end(),
                     {"--checkpoint-minutes", shortest_number(options_.checkpoint_minutes)});
    if (options_.tensorboard) arguments.emplace_back("--tensorboard");
    ledger_.begin_attempt(run.id, build_, machine_);
    const JobId id = engine_.submit({.name = concat(options_.study, '/', run.plan.key),
                                     .arguments = std::move(arguments),
                                     .directory = row.directory});
    jobs_.push_back({&run, id, row.directory, Clock::now(), row.step, row.step});
    return true;
  }

  void finish_from_files(const StudyRun& run) {
    try {
      ingest(ledger_, run.id);
    } catch (const CorruptData& error) {
      return fail(run, error.what());
    }
    const std::string missing = missing_evaluation(run);
    if (!missing.empty()) return fail(run, missing);
    ledger_.set_state(run.id, RunState::done);
    ++outcome_.done;
  }

  // What the ledger lacks of the last step; empty if nothing.
  std::string missing_evaluation(const StudyRun& run) const {
    const std::int64_t steps = ledger_.run(run.id).steps;
    const std::int64_t last = last_evaluation_step(ledger_, run.id);
    if (last >= steps) return {};
    return last < 0 ? concat("it wrote no evaluation of its ", steps, " steps")
                    : concat("its last evaluation is at step ", last, " of ", steps);
  }

  void update(const JobStatus& status, bool look) {
    const auto at = std::find_if(jobs_.begin(), jobs_.end(),
                                 [&](const Job& job) { return job.id == status.job; });
    if (at == jobs_.end()) return;
    if (status.state == JobState::exited) {
      const Job job = std::move(*at);
      jobs_.erase(at);
      finish(job, status);
    } else if (look && status.state == JobState::running) {
      ingest_outputs(*at);
    }
  }

  void ingest_outputs(Job& job) {
    try {
      ingest(ledger_, job.run->id);
    } catch (const CorruptData& error) {
      // A corrupt file ends this run, not the others. If it is the ledger that is corrupt, the next
      // line says so too.
      job.corrupt = error.what();
      engine_.stop(job.id, StopJob::at_once);
    }
    const RunRow row = ledger_.run(job.run->id);
    // A resumed run begins where its checkpoint was, not where its files ended.
    if (row.step < job.first_step) job.first_step = row.step;
    job.step = row.step;
    job.score = row.score;
  }

  RunReport report(const StudyRun& run, const std::string& reason) const {
    return {.key = run.plan.key,
            .score = std::nan(""),
            .done = outcome_.done,
            .runs = runs_,
            .reason = reason};
  }

  void fail(const StudyRun& run, const std::string& reason) {
    ledger_.set_state(run.id, RunState::failed, reason);
    ++outcome_.failed;
    observer_.on_failed(report(run, reason));
  }

  void finish(Job job, const JobStatus& status) {
    const StudyRun& run = *job.run;
    const std::int64_t before = job.first_step;
    ingest_outputs(job);
    if (!job.corrupt.empty()) return fail(run, job.corrupt);
    switch (status.exit) {
      case JobExit::done: {
        const std::string missing = missing_evaluation(run);
        if (!missing.empty())
          return fail(run, concat("its process exited with code 0, but ", missing));
        ledger_.set_state(run.id, RunState::done);
        ++outcome_.done;
        if (!options_.keep) clear_finished(job.directory);
        RunReport done = report(run, {});
        done.score = job.score;
        done.seconds = since(job.begun);
        observer_.on_done(done);
        return;
      }
      case JobExit::failed:
        return fail(run, status.message);
      case JobExit::stopped:
      case JobExit::killed: {
        const bool requested = !outcome_.reason.empty();
        const bool futile = !requested && job.step <= before && ++futile_[run.id] >= kFutile;
        if (futile) return fail(run, status.message);
        ledger_.set_state(run.id, RunState::stopped, requested ? std::string() : status.message);
        waiting_.push_front(&run);
        if (!requested) observer_.on_retry(report(run, status.message));
        return;
      }
    }
  }

  // By the estimates, corrected by how long the work so far took against them.
  double left() const {
    double estimated = 0, behind = 0, ahead = 0;
    for (const Job& job : jobs_) {
      const auto steps = static_cast<double>(job.run->plan.config.settings->run.steps);
      const double share = static_cast<double>(job.step) / steps;
      ahead += job.run->estimate.seconds * (1 - share);
      if (job.step > job.first_step) {
        estimated +=
            job.run->estimate.seconds * static_cast<double>(job.step - job.first_step) / steps;
        behind += since(job.begun);
      }
    }
    for (const StudyRun* run : waiting_) ahead += run->estimate.seconds;
    const double correction = estimated > 0 ? behind / estimated : 1;
    return ahead * correction / static_cast<double>(std::max<Index>(1, options_.jobs));
  }

  void show() {
    StudyStatus status{.study = options_.study,
                       .runs = runs_,
                       .done = outcome_.done,
                       .failed = outcome_.failed,
                       .unavailable = unavailable_,
                       .seconds = since(begun_),
                       .left = left(),
                       .running = {}};
    for (const Job& job : jobs_)
      status.running.push_back(
          {.key = job.run->plan.key,
           .step = job.step,
           .steps = job.run->plan.config.settings->run.steps,
           .rate = static_cast<double>(job.step - job.first_step) / since(job.begun),
           .score = job.score});
    observer_.on_status(status);
  }

  Ledger& ledger_;
  Engine& engine_;
  const ScheduleOptions& options_;
  StudyObserver& observer_;
  Clock::time_point begun_ = Clock::now(), looked_ = Clock::now();
  std::string machine_, build_;
  std::deque<const StudyRun*> waiting_;
  std::vector<Job> jobs_;
  std::map<Id, int> futile_;  // attempts in a row that got no further
  std::size_t runs_ = 0, unavailable_ = 0, elsewhere_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome schedule(Ledger& ledger, const std::vector<StudyRun>& runs, Engine& engine,
                 const ScheduleOptions& options, StudyObserver& observer) {
  return Scheduler(ledger, runs, engine, options, observer)();
}

}  // namespace mneme::lab
