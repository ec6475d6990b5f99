// envs/measure.h - what the physics alone costs: the yardstick of `mneme envs bench`.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace mneme::envs {

class Task;

/// A bare loop of mj_step over a task's own model with random controls: no observations, rewards,
/// checks or threads. Episodes begin anew as the task's do, because motion from a fresh start costs
/// more or less than motion after a while.
class RawPhysics {
 public:
  virtual ~RawPhysics() = default;
  /// As many control steps of every simulation as asked for, each the task's number of physics
  /// steps.
  virtual void run(std::int64_t control_steps) = 0;
  virtual int substeps() const = 0;
};

/// Over `count` simulations in turn, as many as the environments it is compared with: memory that
/// does not fit the caches is part of the cost. Of a task spec, name and model count. Nothing for a
/// task without MuJoCo physics.
std::unique_ptr<RawPhysics> make_raw_physics(std::string_view task, std::int64_t count);

}  // namespace mneme::envs
