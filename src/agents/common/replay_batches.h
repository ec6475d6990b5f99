// agents/common/replay_batches.h - batches from the replay buffer as tensors.
//
// The buffer writes straight into the memory of the tensors. For a CUDA device that memory is pinned
// and copied to the device asynchronously: the next draw() overwrites it, so the device must have been
// waited for since the last one, as feed_back() does.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "agents/agent.h"

namespace mneme {

struct TrainingBatch {
  at::Tensor observation, action, next_observation;  ///< (batch, numbers)
  at::Tensor reward, discount, weight;               ///< (batch); discount is 0 after termination
  at::Tensor task;                                   ///< (batch), whole numbers
};

class ReplayBatches {
 public:
  ReplayBatches(const AgentReaders& readers, const AgentShape& shape, Index batch,
                at::Device device);

  /// Samples `count` batches, and as many for the actor if it has its own reader.
  void draw(std::size_t count);
  const TrainingBatch& critic(std::size_t k) const { return slots_[k].critic.device; }
  const TrainingBatch& actor(std::size_t k) const {
    return slots_[k].actor ? slots_[k].actor->device : slots_[k].critic.device;
  }

  /// TD errors of the rows of critic(k), for priorities.
  void feed_back(std::size_t k, const at::Tensor& td_errors);

  /// Progress of the run in [0, 1], for schedules such as PER's beta.
  void set_progress(double progress);

  const BatchSeconds& seconds() const { return seconds_; }

 private:
  struct Memory {
    TrainingBatch host, device;
    std::vector<std::uint64_t> id;
    std::vector<std::int32_t> stream;
    BatchView view;
  };
  struct Slot {
    Memory critic;
    std::optional<Memory> actor;
  };

  void prepare(Memory& memory) const;
  void fill(Memory& memory, ReplayReader& reader) const;

  AgentReaders readers_;
  AgentShape shape_;
  std::size_t batch_;
  at::Device device_;
  std::vector<Slot> slots_;
  BatchSeconds seconds_;
};

}  // namespace mneme
