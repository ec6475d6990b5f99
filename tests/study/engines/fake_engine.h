// tests/study/engines/fake_engine.h - an engine that follows a script: what every attempt writes and
// how it ends.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "study/engine.h"

namespace mneme::lab {

class FakeEngine final : public Engine {
 public:
  /// One attempt at a run. Polled `polls` times as running, then as exited.
  struct Attempt {
    JobExit exit = JobExit::done;
    std::string message = {};
    std::function<void(const JobSpec&)> work = {};  ///< what it writes before it ends
    int polls = 0;
    JobState state = JobState::running;  ///< while it is polled
  };

  explicit FakeEngine(std::size_t slots, bool outlives = false)
      : slots_(slots), outlives_(outlives) {}

  /// The next attempt of this name does that; attempts without a script are done at once and write
  /// nothing.
  void expect(const std::string& name, Attempt attempt) { script_[name].push_back(attempt); }

  std::size_t slots() const override { return slots_ - jobs_.size(); }
  JobId submit(const JobSpec& job) override {
    submitted.push_back(job);
    std::vector<Attempt>& next = script_[job.name];
    Attempt attempt;
    if (!next.empty()) {
      attempt = next.front();
      next.erase(next.begin());
    }
    jobs_[++last_] = {job, attempt};
    most_at_once = std::max(most_at_once, jobs_.size());
    return last_;
  }
  std::vector<JobStatus> poll(std::chrono::milliseconds) override {
    std::vector<JobStatus> all;
    for (auto& [id, job] : jobs_) {
      JobStatus status{.job = id, .state = job.attempt.state};
      if (job.attempt.polls-- <= 0) {
        if (job.attempt.work) job.attempt.work(job.spec);
        status = {.job = id,
                  .state = JobState::exited,
                  .exit = job.attempt.exit,
                  .message = job.attempt.message};
      }
      all.push_back(status);
    }
    for (const JobStatus& status : all)
      if (status.state == JobState::exited) jobs_.erase(status.job);
    return all;
  }
  // A job that is asked to stop does so, whatever its script says.
  void stop(JobId job, StopJob how) override {
    stops.push_back(how);
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return;
    at->second.attempt.polls = 0;
    at->second.attempt.exit = how == StopJob::after_checkpoint ? JobExit::stopped : JobExit::killed;
  }
  bool outlives_head() const override { return outlives_; }

  std::vector<JobSpec> submitted;
  std::vector<StopJob> stops;
  std::size_t most_at_once = 0;

 private:
  struct Job {
    JobSpec spec;
    Attempt attempt;
  };
  std::size_t slots_;
  bool outlives_;
  std::map<std::string, std::vector<Attempt>> script_;
  std::map<JobId, Job> jobs_;
  JobId last_ = 0;
};

}  // namespace mneme::lab
