// study/engines/local/run_process.h - a `mneme train` in a process of its own, which does not outlive the one that
// started it, whatever happens to that.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "os/rotating_log.h"

namespace mneme::lab {

/// How a worker ended.
struct Ending {
  bool done = false;     ///< exit code 0
  bool killed = false;   ///< by a signal, from outside
  bool stopped = false;  ///< asked to, after a checkpoint
  std::string words;     ///< the last thing it complained about, or which signal
};

class Worker {
 public:
  /// Starts `program arguments...`; what it prints goes to `directory`/log.txt. Throws IoError.
  Worker(const std::filesystem::path& program, const std::vector<std::string>& arguments,
         std::filesystem::path directory);
  /// Kills it if it still runs.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int descriptor() const { return pipe_; }
  /// Takes what it has printed; never waits.
  void listen();
  /// Whether it has ended; never waits.
  bool ended();
  const Ending& ending() const { return ending_; }

  void ask_to_stop() const;  ///< it writes a checkpoint first
  void kill_now() const;

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
  RotatingLog log_;
  std::string line_, complaint_;
  Ending ending_;
};

}  // namespace mneme::lab
