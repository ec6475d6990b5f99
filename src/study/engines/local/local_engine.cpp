// study/engines/local/local_engine.cpp - starting, listening, waiting.
#include "study/engines/local/local_engine.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/text.h"
#include "os/exit_codes.h"
#include "os/rotating_log.h"
#include "os/subprocess.h"

namespace mneme::lab {
namespace {

// A `mneme train`; what it prints goes to the log of its run.
class Worker {
 public:
  Worker(JobId id, const std::filesystem::path& program, const JobSpec& job)
      : id_(id), process_(words_of(program, job), {}), log_(job.directory) {}

  JobId id() const { return id_; }
  int output() const { return process_.output(); }

  JobStatus status() {
    const bool exited = process_.exited();  // before the last of its output is read
    process_.read_output([&](std::string_view text) {
      log_.write(text);
      lines_.add(text, [&](const std::string& line) { keep(line); });
    });
    if (!exited) return {.job = id_, .state = JobState::running};
    lines_.finish([&](const std::string& line) { keep(line); });
    return ended();
  }

  void stop(StopJob how) {
    // The process alone: a group signal would end its environments in Python before its checkpoint.
    if (how == StopJob::after_checkpoint)
      process_.signal(SIGTERM);
    else
      process_.signal_group(SIGKILL);
  }

 private:
  static std::vector<std::string> words_of(const std::filesystem::path& program,
                                           const JobSpec& job) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), job.arguments.begin(), job.arguments.end());
    return words;
  }

  // The last complaint: why it failed, should it fail.
  void keep(const std::string& line) {
    if (line.starts_with("mneme: ") && !line.starts_with("mneme: note: "))
      complaint_ = line.substr(7);
  }

  JobStatus ended() const {
    const ExitStatus& how = process_.status();
    JobStatus status{.job = id_, .state = JobState::exited};
    if (how.signal != 0) {
      status.exit = JobExit::killed;
      status.message = concat("ended by signal ", how.signal, " (", strsignal(how.signal),
                              how.signal == SIGKILL ? "; was the memory full?)" : ")");
      return status;
    }
    status.exit = how.code == kDone      ? JobExit::done
                  : how.code == kStopped ? JobExit::stopped
                                         : JobExit::failed;
    status.message = complaint_.empty() ? concat("ended with exit code ", how.code) : complaint_;
    return status;
  }

  JobId id_;
  Subprocess process_;
  RotatingLog log_;
  LineReader lines_;
  std::string complaint_;
};

class LocalEngine final : public Engine {
 public:
  explicit LocalEngine(const EngineOptions& options) : options_(options) {}

  std::size_t slots() const override {
    return options_.jobs > workers_.size() ? options_.jobs - workers_.size() : 0;
  }

  JobId submit(const JobSpec& job) override {
    workers_.push_back(std::make_unique<Worker>(++last_, options_.program, job));
    return last_;
  }

  std::vector<JobStatus> poll(std::chrono::milliseconds patience) override {
    std::vector<pollfd> ends;
    for (const auto& worker : workers_)
      ends.push_back({.fd = worker->output(), .events = POLLIN, .revents = 0});
    if (!ends.empty()) ::poll(ends.data(), ends.size(), static_cast<int>(patience.count()));
    std::vector<JobStatus> all;
    for (const auto& worker : workers_) all.push_back(worker->status());
    for (const JobStatus& status : all)
      if (status.state == JobState::exited)
        std::erase_if(workers_, [&](const auto& worker) { return worker->id() == status.job; });
    return all;
  }

  void stop(JobId job, StopJob how) override {
    for (const auto& worker : workers_)
      if (worker->id() == job) worker->stop(how);
  }

  bool outlives_head() const override { return false; }

 private:
  EngineOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;
  JobId last_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_local_engine(const EngineOptions& options) {
  return std::make_unique<LocalEngine>(options);
}

}  // namespace mneme::lab
