// run/policy.h - policies of `mneme envs play`: scripted, or the agent of a training run.
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

/// random, zero or scalar (one random number for all actuators); null for any other name.
std::unique_ptr<Policy> scripted_policy(const std::string& name, std::uint64_t seed);
/// The agent of a run's last checkpoint. Throws IoError or CorruptData without one; NotFound
/// in a build without LibTorch.
std::unique_ptr<Policy> trained_policy(const std::string& directory);

}  // namespace mneme::lab
