// envs/measure.h - cost of the physics alone, the baseline of `mneme envs bench`.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace mneme::envs {

class Task;

/// A bare loop of mj_step over a task's own model with random controls: no observations, rewards,
/// checks or threads. Episodes restart as the task's do, because the cost of a step depends on how
/// long an episode has lasted.
class RawPhysics {
 public:
  virtual ~RawPhysics() = default;
  /// Runs control steps of every simulation, each with the task's number of physics steps.
  virtual void run(std::int64_t control_steps) = 0;
  virtual int substeps() const = 0;
};

/// Over `count` simulations in turn, as many as the environments it is compared with: cache misses
/// are part of the cost. Uses name and model of a task spec. Null for a task without MuJoCo physics.
std::unique_ptr<RawPhysics> make_raw_physics(std::string_view task, std::int64_t count);

}  // namespace mneme::envs
