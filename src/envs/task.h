// envs/task.h - interface of a native task; src/envs/dummy/count.cpp is the annotated template.
//
// A Task is one environment: it simulates, observes and rewards. VecEnv does the rest: time limit,
// action repeat, order and type of observations, padding, seeds, resets at episode ends, threads. A
// Task is used by one thread at a time; many run at once, so that what they share is constant.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/state.h"
#include "mneme/rng.h"
#include "mneme/vec_env.h"

namespace mneme::envs {

class Simulation;  // envs/mujoco/simulation.h

/// The result of one step.
struct Outcome {
  double reward = 0;
  bool terminated = false;  ///< the episode is over for good: nothing to bootstrap from
  bool success = false;
  const char* failure = nullptr;  ///< why the simulation failed; the other fields are invalid then
};

class Task {
 public:
  virtual ~Task() = default;

  /// Parts of the observation in the suite's own order; sizes add up to TaskInfo::observation.
  virtual std::vector<ObservationKey> keys() const = 0;

  /// Begins an episode. All randomness comes from `rng`: the same numbers, the same start.
  virtual void reset(Rng& rng) = 0;

  /// One control step. `action` has TaskInfo::action finite numbers, meant to lie in [-1, 1].
  virtual Outcome step(std::span<const double> action) = 0;

  /// The outcome of the current state, without stepping: the last part of step().
  virtual Outcome evaluate() = 0;

  /// The start without randomness (default pose, keyframe), for fixtures and pictures.
  virtual void reset_nominal() = 0;

  /// Writes the observation, parts in the order of keys(). Valid after reset and step.
  virtual void observe(std::span<double> out) const = 0;

  /// All state that later steps depend on. After load, steps and observations continue bit for bit.
  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;

  /// See VecEnv::physics; tasks without physics do not override these.
  virtual std::vector<double> physics() const { return {}; }
  virtual void set_physics(std::span<const double>) {}

  /// The MuJoCo simulation behind it, for pictures and measurements, and its physics steps per
  /// step.
  virtual Simulation* simulation() { return nullptr; }
  virtual int substeps() const { return 1; }
};

/// Makes one environment of the task with this full name, "suite/task"; HumanoidBench's may be
/// followed by ":model=NAME".
using MakeTask = std::unique_ptr<Task> (*)(std::string_view name);

}  // namespace mneme::envs
