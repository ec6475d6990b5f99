// run/policy.h - who acts in `mneme envs play`: a rule that knows nothing, or the agent of a run.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mneme/vec_env.h"

namespace mneme::lab {

class Policy {
 public:
  virtual ~Policy() = default;

  /// The task as this policy has to see it: with the action repeat it was trained with.
  virtual std::string spec(const std::string& task) const { return task; }
  /// These are the environments it will act in. Throws InvalidArgument if it cannot.
  virtual void begin(const VecEnv& envs) = 0;
  /// A row of actions for every row of observations.
  virtual void act(std::span<const float> observations, std::span<float> actions) = 0;
};

/// random, zero, scalar (one random number for all actuators), or the directory of a training run.
/// Throws NotFound for anything else.
std::unique_ptr<Policy> make_policy(const std::string& name, std::uint64_t seed);

}  // namespace mneme::lab
