// envs/remote/shared_block.h - memory shared by trainer and worker (layout: docs/suites/workers.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "envs/remote/process.h"
#include "mneme/index.h"
#include "mneme/schema.h"

namespace mneme::envs {

enum class Command : std::uint64_t { reset = 1, step = 2, close = 3 };

/// Flags that a worker sets for a row.
enum RowFlag : std::uint8_t {
  kTerminated = 1,
  kTruncated = 2,
  kSuccess = 4,
  kBegun = 8,
  kFinalMissing = 16,
  kDropped = 32,
  kNoTransition = 64,
  kUnknownFlag = 128
};

class SharedBlock {
 public:
  /// Throws IoError if the shared memory cannot be allocated.
  SharedBlock(Index rows, Index observation, Index action, DType dtype);
  ~SharedBlock();
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

  Index rows() const { return rows_; }
  Index observation() const { return observation_; }
  Index action() const { return action_; }

  /// The request that shares it with a worker, and the descriptors to send along.
  std::string attach_request() const;
  std::span<const int> descriptors() const { return shared_; }
  int done() const { return done_.get(); }

  template <class T>
  T* actions() {
    return reinterpret_cast<T*>(memory_ + action_at_);
  }
  template <class T>
  const T* final_observations() const {
    return reinterpret_cast<const T*>(memory_ + final_at_);
  }
  template <class T>
  const T* observations() const {
    return reinterpret_cast<const T*>(memory_ + observation_at_);
  }
  std::span<const double> rewards() const {
    return {reinterpret_cast<const double*>(memory_ + reward_at_), static_cast<std::size_t>(rows_)};
  }
  std::span<std::uint8_t> flags() {
    return {reinterpret_cast<std::uint8_t*>(memory_ + flags_at_), static_cast<std::size_t>(rows_)};
  }

  /// Whether the worker may spin for some microseconds before it sleeps.
  void allow_spin(bool allowed);
  /// Zeroes the flags and posts a command to the worker.
  void post(Command command, std::uint64_t nonce);
  /// Whether the worker has finished the last command.
  bool finished() const;
  /// What is wrong with the worker's reply to the last command, or "".
  std::string check_reply(std::uint64_t& status) const;

 private:
  Index rows_, observation_, action_;
  DType dtype_;
  std::size_t action_at_, final_at_, observation_at_, reward_at_, flags_at_, bytes_;
  FileDescriptor file_, go_, done_;
  int shared_[3] = {-1, -1, -1};
  std::byte* memory_ = nullptr;
  std::uint64_t sequence_ = 0;
};

}  // namespace mneme::envs
