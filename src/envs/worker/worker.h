// envs/worker/worker.h - a worker from the trainer's side: ordered about in two halves, so that
// several work at the same time.
//
//   Worker worker(request);          // the process has begun to make its environments
//   worker.finish_making();
//   worker.attach();                 // rows() are there
//   worker.begin(Command::step, 0);  // actions have been written
//   worker.finish();
//
// Whatever goes wrong on the other side is a WorkerFault; the worker is of no use after it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envs/spec.h"
#include "envs/worker/block.h"
#include "envs/worker/process.h"

namespace mneme::envs {

/// What is wrong with a worker, in words.
struct WorkerFault {
  Index row = -1;  ///< of the worker, where it was one environment's fault
  std::string words, last_words;
};

struct WorkerGroup {
  std::string task;  ///< without the suite
  Index count = 1;
  std::vector<std::uint32_t> seeds;
  EnvSpec spec;  ///< repeat, limit, order of keys, options
};

struct WorkerRequest {
  std::string suite;
  std::filesystem::path interpreter, folder;
  DType dtype = DType::f32;
  Fault fault = Fault::stop;
  double timeout = 60;  ///< seconds for one step
  /// Whether both sides look for the other's answer for some microseconds before they sleep: where
  /// every worker and the trainer have a core of their own.
  bool watchful = false;
  std::vector<WorkerGroup> groups;

  Index rows() const;
};

class Worker {
 public:
  /// Starts it. Throws IoError, InvalidArgument if the request is too long for one message.
  explicit Worker(WorkerRequest request);
  ~Worker();

  /// Throws WorkerFault.
  void finish_making();
  const std::vector<GroupFacts>& groups() const { return made_.groups; }
  const std::string& packages() const { return made_.packages; }

  /// Shares memory as wide as the widest group. Throws WorkerFault, IoError.
  void attach();
  Block& rows() { return *block_; }

  void begin(Command command, std::uint64_t nonce);
  /// Throws WorkerFault.
  void finish();

  pid_t id() const { return process_.id(); }

 private:
  /// Sleeps through most of a long step and looks for the end of a short one: a thread that is
  /// woken comes late, one that looks all the time takes what a shared core has to give.
  void doze();
  [[noreturn]] void fail(const std::string& words, Index row = -1);
  /// The answer to the last request. Throws WorkerFault.
  Answer answer(const char* doing, double seconds);
  [[noreturn]] void fail_silent(const char* doing, double patience);
  [[noreturn]] void fail_with(const Answer& answer);

  WorkerRequest request_;
  WorkerProcess process_;
  Made made_;
  std::unique_ptr<Block> block_;
  Command ordered_ = Command::reset;
  std::uint64_t orders_ = 0;
  std::chrono::steady_clock::time_point begun_;  // the last order
  double usual_ = 0;                             // seconds of a step, of late
};

}  // namespace mneme::envs
