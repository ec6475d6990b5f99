// bench/harness/peer.h - another implementation of the same tasks, in a process of its own, asked line by
// line.
//
// `mneme envs bench --peer NAME=COMMAND` starts COMMAND and takes turns with it. The program reads
// a line and answers with one; bench/envs/peer.py has the answers of dm_control and EnvPool.
// `mneme bench agents` asks `task` and `run` alone: AGENT/PART for the name, the batch for the
// count, sizes for the keys, updates for the steps (bench/agents/originals.py).
//
//   task NAME COUNT THREADS KEY,KEY...
//                             ok VERSION, or: no REASON (it has no such task, it has one thread).
//                             Keys are the parts of the observation that `play` looks at
//   play                      played OBSERVATION ACTION STEPS SUBSTEPS {RETURN MOTION}: COUNT
//   episodes
//                             under uniform random actions; STEPS 0: they are of different length
//   size                      size N: how many environments `run` steps
//   run STEPS                 ran WALL PROCESSOR: seconds for so many steps of every environment
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mneme/index.h"
#include "os/subprocess.h"

namespace mneme::lab {

/// What one episode per environment looked like: the answer that is checked before any clock runs.
struct Episodes {
  Index observation = 0, action = 0;  // sizes
  Index steps = 0;                    // of every episode; 0: they end by themselves, here and there
  Index substeps = 0;                 // physics steps per step
  std::vector<double> returns;        // of every episode
  std::vector<double> motion;  // mean over steps of the summed absolute changes of the observation
};

/// Why two implementations do not run the same task, or "" if nothing speaks against it: numbers
/// of steps and of components must be equal, means of returns and of motion within five standard
/// errors (and two percent) of each other.
std::string difference(const Episodes& ours, const Episodes& theirs);

class Peer {
 public:
  /// Starts `command` in a shell. Throws IoError if that cannot be done.
  Peer(std::string name, const std::string& command);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const std::string& name() const { return name_; }
  /// What `task` was answered with, after the "ok": the version of what runs it.
  const std::string& version() const { return version_; }

  /// Prepares a task. False, and why(), if the peer does not have it.
  bool take(const std::string& task, Index count, Index threads, const std::string& keys);
  const std::string& why() const { return why_; }
  Episodes play();
  Index size();
  struct Seconds {
    double wall = 0, processor = 0;
  };
  Seconds run(Index steps);

 private:
  /// One question, one answer that begins with `expected`, without that word. Throws IoError if the
  /// program ends or answers something else.
  std::string ask(const std::string& question, const std::string& expected);
  std::string line(const std::string& question);
  bool send(std::string_view text) const;  // false: the peer has exited

  std::string name_, version_, why_;
  Subprocess process_;
  std::string received_;  // of the next answers
};

}  // namespace mneme::lab
