// study/engine.h - where runs are executed, as the scheduler sees it.
//
// An engine starts processes and says how they ended; it decides nothing. Which run is next, what
// is tried again and when to stop is the scheduler's. How a job ended is told by exit codes
// (os/exit_codes.h); messages are for people.
//
// Another engine: a class in engines/NAME/, a factory, and one line in engines.def.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace mneme::lab {

using JobId = std::int64_t;

/// One attempt at a run.
struct JobSpec {
  std::string name = {};                    ///< STUDY/KEY
  std::vector<std::string> arguments = {};  ///< of mneme
  std::filesystem::path directory = {};     ///< of the run; the job's output goes to log.txt in it
};

enum class JobState {
  queued,  ///< submitted, not started
  running,
  exited,       ///< `exit` says how; reported once, then forgotten
  unreachable,  ///< nothing is known at the moment: never submit it again
};

enum class JobExit {
  done,     ///< exit code 0
  stopped,  ///< exit code 75: asked to stop, after a checkpoint
  failed,   ///< any other exit code
  killed,   ///< by a signal, or with the machine it was on
};

struct JobStatus {
  JobId job = 0;
  JobState state = JobState::running;
  JobExit exit = JobExit::done;
  std::string message = {};  ///< why it failed, for people
};

enum class StopJob {
  after_checkpoint,
  at_once,
};

class Engine {
 public:
  virtual ~Engine() = default;

  /// How many more jobs it takes now.
  virtual std::size_t slots() const = 0;
  /// Starts or queues a job. Throws IoError.
  virtual JobId submit(const JobSpec& job) = 0;
  /// The jobs submitted so far, without those that were reported as exited before. Waits at most
  /// this long for something to happen.
  virtual std::vector<JobStatus> poll(std::chrono::milliseconds patience) = 0;
  virtual void stop(JobId job, StopJob how) = 0;
  /// Whether jobs run on when this process ends. A run that the ledger has as running may then
  /// still be alive.
  virtual bool outlives_head() const = 0;
};

struct EngineOptions {
  std::filesystem::path program = {};  ///< that has `train`
  std::size_t jobs = 1;                ///< at a time
};

using MakeEngine = std::unique_ptr<Engine> (*)(const EngineOptions& options);
struct EngineInfo {
  std::string name, summary;
  MakeEngine make;
};
/// Those of engines.def.
const std::vector<EngineInfo>& registered_engines();
/// Throws NotFound with the names.
std::unique_ptr<Engine> make_engine(const std::string& name, const EngineOptions& options);

}  // namespace mneme::lab
