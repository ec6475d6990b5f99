// envs/dmc/domain.h - what the domains of the DeepMind Control Suite have in common.
//
// A step writes the controls, lets the physics run for n substeps and ends with mj_step1, so that
// positions, velocities and what derives from them belong to the new state while sensors of the
// acceleration stage (touch, force, accelerometer) are one physics step older. Models integrated by
// Euler's method pick up where that mj_step1 left off; RK4 models do whole steps. Episodes begin
// with the actuators switched off. No task terminates.
//
// A domain is a file here: model text, reset distribution, observation, reward. Numbers and order
// are those of the suite; the model texts are written from its facts (sizes, masses, gains).
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "envs/mujoco/simulation.h"
#include "envs/random.h"
#include "envs/task.h"
#include "envs/tolerance.h"
#include "mneme/error.h"

namespace mneme::envs::dmc {

/// Appends numbers to an observation.
class Put {
 public:
  explicit Put(std::span<double> out) : at_(out.data()) {}
  Put& one(double number) {
    *at_++ = number;
    return *this;
  }
  Put& all(const double* numbers, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) *at_++ = numbers[i];
    return *this;
  }

 private:
  double* at_;
};

class Domain : public Task {
 public:
  Domain(std::shared_ptr<const Model> model, int substeps, std::vector<ObservationKey> keys);

  std::vector<ObservationKey> keys() const override { return keys_; }
  void reset(Rng& rng) final;
  Outcome step(std::span<const double> action) final;
  Outcome evaluate() final { return {.reward = reward()}; }
  void reset_nominal() final;
  void save(StateWriter& out) const final;
  void load(StateReader& in) final;
  std::vector<double> physics() const final { return sim_.physics(); }
  void set_physics(std::span<const double> numbers) final;
  Simulation* simulation() final { return &sim_; }
  int substeps() const final { return substeps_; }

 protected:
  /// Draws the start of an episode into a simulation that was cleared and settled.
  virtual void initialize(Rng& rng) = 0;
  virtual double reward() const = 0;
  /// Reads off the default pose what rewards compare with; called before every initialize.
  virtual void measure() {}
  /// Numbers of an episode that are not in mjData (stand heights of the dog).
  virtual std::span<double> own_numbers() { return {}; }

  Simulation& sim() { return sim_; }
  const Simulation& sim() const { return sim_; }
  const mjData* d() const { return sim_.d(); }

  /// Every joint uniform in its range, free ones in orientation; see the suite's randomizer.
  void randomize_joints(Rng& rng);
  /// The same until nothing touches anything; throws after `attempts`.
  void randomize_without_contact(Rng& rng, int attempts);
  /// n physics steps in the order described above.
  void advance(int substeps);
  /// (4 + mean over controls of 1 - u^2) / 5: small controls are worth a fifth.
  double small_control() const;

 private:
  Simulation sim_;
  int substeps_;
  bool whole_steps_;      // RK4
  bool forces_are_read_;  // some sensor is of accelerations or forces
  std::vector<ObservationKey> keys_;
};

/// `name` without suite and domain: "run" of "dmc/walker-run".
std::string_view variant_of(std::string_view name);

/// The value beside `variant` in a table of pairs. Throws Error if it is not there: a registry line
/// without its case.
template <class T, std::size_t N>
T pick(const std::pair<std::string_view, T> (&table)[N], std::string_view variant) {
  for (const auto& [name, value] : table)
    if (name == variant) return value;
  throw Error("the registry names a task that its file does not know: " + std::string(variant));
}

/// A model's text: options and defaults, the floor and whatever stands on it, the rest. Adds
/// colors for pictures, which do not change the physics.
std::string scene(std::string_view head, std::string_view world, std::string_view tail);

}  // namespace mneme::envs::dmc
