// envs/worker/block.h - the memory that trainer and worker share; docs/suites/workers.md has the
// layout.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "envs/worker/process.h"
#include "mneme/index.h"
#include "mneme/schema.h"

namespace mneme::envs {

enum class Command : std::uint64_t { reset = 1, step = 2, close = 3 };

/// What a worker says of a row.
enum RowFlag : std::uint8_t {
  kTerminated = 1,
  kTruncated = 2,
  kSuccess = 4,
  kBegun = 8,
  kFinalMissing = 16,
  kLeftOut = 32,
  kNoTransition = 64,
  kUnknownFlag = 128
};

class Block {
 public:
  /// Throws IoError if the machine has no memory for it.
  Block(Index rows, Index observation, Index action, DType dtype);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  Index rows() const { return rows_; }
  Index observation() const { return observation_; }
  Index action() const { return action_; }

  /// The request that hands it over, and the descriptors that go with it.
  std::string attach_request() const;
  std::span<const int> descriptors() const { return handed_; }
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

  /// Whether the worker may look for an order before it sleeps.
  void let_watch(bool allowed);
  /// Zeroes the flags and tells the worker what to do.
  void order(Command command, std::uint64_t nonce);
  /// Whether the worker has said that it is done with the last order.
  bool finished() const;
  /// Of the last order: what is wrong with how the worker answered it, or "".
  std::string answered(std::uint64_t& status) const;

 private:
  Index rows_, observation_, action_;
  DType dtype_;
  std::size_t action_at_, final_at_, observation_at_, reward_at_, flags_at_, bytes_;
  Descriptor file_, go_, done_;
  int handed_[3] = {-1, -1, -1};
  std::byte* memory_ = nullptr;
  std::uint64_t sequence_ = 0;
};

}  // namespace mneme::envs
