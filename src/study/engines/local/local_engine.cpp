// study/engines/local/engine.cpp - starting, listening, taking in, finishing.
#include "study/engines/local/engine.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <deque>
#include <map>
#include <memory>

#include "base/text.h"
#include "ledger/ingest.h"
#include "mneme/error.h"
#include "os/machine.h"
#include "study/engines/local/run_process.h"
#include "study/run_directory.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A run that dies without getting further is given up after so many attempts.
constexpr int kFutile = 3;
constexpr auto kIngestEvery = std::chrono::seconds(2);

volatile std::sig_atomic_t interrupts = 0;

class CatchInterrupts {
 public:
  CatchInterrupts() {
    interrupts = 0;
    for (std::size_t at = 0; at < 3; ++at)
      before_[at] = std::signal(kSignals[at], [](int) { interrupts = interrupts + 1; });
  }
  ~CatchInterrupts() {
    for (std::size_t at = 0; at < 3; ++at) std::signal(kSignals[at], before_[at]);
  }
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  void (*before_[3])(int) = {};
};

double since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

struct Job {
  const EngineRun* run;
  fs::path directory;
  std::unique_ptr<Worker> worker;
  Clock::time_point begun;
  std::int64_t first_step, step;  // at its start, now
  double score = std::nan("");
  std::string trouble = {};  // with what it wrote
};

class Engine {
 public:
  Engine(Ledger& ledger, std::string study, const std::vector<EngineRun>& runs,
         const EngineOptions& options, Board& board)
      : ledger_(ledger),
        study_(std::move(study)),
        options_(options),
        board_(board),
        begun_(Clock::now()),
        machine_(machine_text()),
        build_(build_text()) {
    for (const EngineRun& run : runs) {
      const RunState state = ledger.run(run.id).state;
      if (state == RunState::done) ++outcome_.done;
      if (state == RunState::failed) ++outcome_.failed;
      if (state == RunState::unavailable) ++unavailable_;
      if (state == RunState::planned || state == RunState::running || state == RunState::stopped)
        waiting_.push_back(&run);
      if (state == RunState::done && !options.keep) clear_finished(ledger.run(run.id).directory);
    }
    total_ = runs.size();
  }

  Outcome operator()() {
    const CatchInterrupts guard;
    while (!jobs_.empty() || (!waiting_.empty() && outcome_.why.empty())) {
      check_for_the_end();
      while (outcome_.why.empty() && !waiting_.empty() &&
             static_cast<Index>(jobs_.size()) < options_.jobs && start_next()) {
      }
      wait_a_moment();
      const bool look = Clock::now() - looked_ > kIngestEvery;
      for (std::size_t at = 0; at < jobs_.size();) {
        jobs_[at].worker->listen();
        if (jobs_[at].worker->ended()) {
          finish(jobs_[at]);
          jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(at));
          continue;
        }
        if (look) take_in(jobs_[at]);
        ++at;
      }
      if (look) looked_ = Clock::now();
      show();
    }
    outcome_.left = waiting_.size();
    return outcome_;
  }

 private:
  void check_for_the_end() {
    if (outcome_.why.empty() && interrupts > 0) stop("interrupted");
    if (outcome_.why.empty() && options_.max_hours > 0 && since(begun_) > 3600 * options_.max_hours)
      stop(concat("the ", number(options_.max_hours), " hours are over"));
    if (interrupts > 1)
      for (const Job& job : jobs_) job.worker->kill_now();
  }

  void stop(const std::string& why) {
    outcome_.why = why;
    if (!jobs_.empty())
      board_.say(concat(why, "; ", jobs_.size(), " runs write a checkpoint. Once more: at once"));
    for (const Job& job : jobs_) job.worker->ask_to_stop();
  }

  bool start_next() {
    const EngineRun& run = *waiting_.front();
    const RunRow row = ledger_.run(run.id);
    const double room = free_disk(row.directory);
    if (room < run.estimate.disk) {
      stop(concat("the disk has ", bytes_text(room), " left, the next run needs about ",
                  bytes_text(run.estimate.disk)));
      return false;
    }
    waiting_.pop_front();
    std::vector<std::string> arguments;
    const Progress progress = progress_of(row.directory);
    if (progress == Progress::over) {
      // Done before the machine stopped, and the ledger's last word about it was lost.
      ingest(ledger_, run.id);
      ledger_.set_state(run.id, RunState::done);
      ++outcome_.done;
      return true;
    }
    if (progress == Progress::begun) {
      arguments = {"train", "--resume", row.directory};
    } else {
      // Whatever is there has no checkpoint: it never got as far as counting.
      std::error_code error;
      fs::remove_all(row.directory, error);
      arguments = run.plan.arguments;
      arguments.insert(arguments.end(), {"--out", row.directory});
    }
    arguments.insert(arguments.end(),
                     {"--checkpoint-minutes", shortest_number(options_.checkpoint_minutes)});
    if (options_.tensorboard) arguments.emplace_back("--tensorboard");
    ledger_.begin_attempt(run.id, build_, machine_);
    jobs_.push_back({&run, row.directory,
                     std::make_unique<Worker>(options_.program, arguments, row.directory),
                     Clock::now(), row.step, row.step});
    return true;
  }

  void wait_a_moment() const {
    std::vector<pollfd> ends;
    for (const Job& job : jobs_)
      ends.push_back({.fd = job.worker->descriptor(), .events = POLLIN, .revents = 0});
    poll(ends.data(), ends.size(), jobs_.empty() ? 0 : 100);
  }

  void take_in(Job& job) {
    try {
      ingest(ledger_, job.run->id);
    } catch (const CorruptData& error) {
      // A file that is not what it should be ends this run, not the others. If it is the ledger
      // that is damaged, the next line says so too.
      job.trouble = error.what();
      job.worker->kill_now();
    }
    const RunRow row = ledger_.run(job.run->id);
    // A resumed run begins where its checkpoint was, not where its files ended.
    if (row.step < job.first_step) job.first_step = row.step;
    job.step = row.step;
    job.score = row.score;
  }

  void finish(Job& job) {
    const Id id = job.run->id;
    const std::string& key = job.run->plan.key;
    const Ending& ending = job.worker->ending();
    const std::int64_t before = job.first_step;
    take_in(job);
    if (ending.done && job.trouble.empty()) {
      ledger_.set_state(id, RunState::done);
      ++outcome_.done;
      if (!options_.keep) clear_finished(job.directory);
      board_.say(concat(
          "done    ", key, std::isnan(job.score) ? "" : concat("  score ", rounded(job.score, 3)),
          "  ", duration_text(since(job.begun)), "  (", outcome_.done, " of ", total_, ")"));
      return;
    }
    const bool asked = !outcome_.why.empty() && job.trouble.empty();
    const bool futile = job.step <= before && ++futile_[id] >= kFutile;
    const bool again = (ending.killed || ending.stopped) && !futile && job.trouble.empty();
    if (asked || again) {
      ledger_.set_state(id, RunState::stopped, asked ? std::string() : ending.words);
      waiting_.push_front(job.run);
      if (!asked) board_.say(concat("again   ", key, ": ", ending.words));
      return;
    }
    const std::string& why = job.trouble.empty() ? ending.words : job.trouble;
    ledger_.set_state(id, RunState::failed, why);
    ++outcome_.failed;
    board_.say(concat("failed  ", key, ": ", why));
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
    for (const EngineRun* run : waiting_) ahead += run->estimate.seconds;
    const double correction = estimated > 0 ? behind / estimated : 1;
    return ahead * correction / static_cast<double>(std::max<Index>(1, options_.jobs));
  }

  void show() {
    BoardState state{.study = study_,
                     .runs = total_,
                     .done = outcome_.done,
                     .failed = outcome_.failed,
                     .unavailable = unavailable_,
                     .seconds = since(begun_),
                     .left = left(),
                     .running = {}};
    for (const Job& job : jobs_)
      state.running.push_back(
          {.key = job.run->plan.key,
           .step = job.step,
           .steps = job.run->plan.config.settings->run.steps,
           .rate = static_cast<double>(job.step - job.first_step) / since(job.begun),
           .score = job.score});
    board_.show(state);
  }

  Ledger& ledger_;
  std::string study_;
  EngineOptions options_;
  Board& board_;
  Clock::time_point begun_, looked_ = Clock::now();
  std::string machine_, build_;
  std::deque<const EngineRun*> waiting_;
  std::vector<Job> jobs_;
  std::map<Id, int> futile_;
  std::size_t total_ = 0, unavailable_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome run_all(Ledger& ledger, const std::string& study, const std::vector<EngineRun>& runs,
                const EngineOptions& options, Board& board) {
  return Engine(ledger, study, runs, options, board)();
}

}  // namespace mneme::lab
