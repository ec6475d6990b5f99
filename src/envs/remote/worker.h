// envs/remote/worker.h - the trainer's side of one worker process.
//
// Every command has two halves, so that several workers run at the same time:
//
//   Worker worker(request);          // the process starts to make its environments
//   worker.finish_making();
//   worker.attach();                 // rows() can be used
//   worker.begin(Command::step, 0);  // after writing the actions
//   worker.finish();
//
// Every failure of the worker is a WorkerFault; the worker cannot be used after one.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envs/remote/process.h"
#include "envs/remote/shared_block.h"
#include "envs/spec.h"

namespace mneme::envs {

/// Failure of a worker.
struct WorkerFault {
  Index row = -1;  ///< of the worker, where one environment failed; else -1
  std::string message, output_tail;
};

/// Neighboring environments of one task in a worker.
struct EnvGroup {
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
  /// Whether both sides spin for some microseconds before they sleep: only where every worker and
  /// the trainer have a core of their own.
  bool spin = false;
  std::vector<EnvGroup> groups;

  Index rows() const;
};

class Worker {
 public:
  /// Starts the process. Throws IoError, InvalidArgument if the request exceeds one message.
  explicit Worker(WorkerRequest request);
  ~Worker();

  /// Throws WorkerFault.
  void finish_making();
  const std::vector<GroupInfo>& groups() const { return made_.groups; }
  const std::string& packages() const { return made_.packages; }

  /// Shares rows as wide as the widest group. Throws WorkerFault, IoError.
  void attach();
  SharedBlock& rows() { return *block_; }

  void begin(Command command, std::uint64_t nonce);
  /// Throws WorkerFault.
  void finish();

  pid_t id() const { return process_.id(); }

 private:
  /// Sleeps through most of the usual step time, then spins: waking a thread takes longer than a
  /// short step, and spinning through a long one wastes a core.
  void spin_wait();
  [[noreturn]] void fail(const std::string& message, Index row = -1);
  /// The reply to the last request. Throws WorkerFault.
  Reply receive_reply(const char* doing, double seconds);
  [[noreturn]] void fail_without_reply(const char* doing, double timeout);
  [[noreturn]] void fail_with(const Reply& reply);

  WorkerRequest request_;
  WorkerProcess process_;
  Made made_;
  std::unique_ptr<SharedBlock> block_;
  Command command_ = Command::reset;
  std::uint64_t commands_ = 0;
  std::chrono::steady_clock::time_point begun_;  // the last command
  double usual_ = 0;                             // moving average of a step's seconds
};

}  // namespace mneme::envs
