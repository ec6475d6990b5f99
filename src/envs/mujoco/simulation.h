// envs/mujoco/simulation.h - mjData of one environment over a shared model.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/state.h"
#include "envs/mujoco/model.h"
#include "mneme/rng.h"

namespace mneme::envs {

class Simulation {
 public:
  explicit Simulation(std::shared_ptr<const Model> model);

  const Model& names() const { return *model_; }
  const mjModel* m() const { return model_->get(); }
  mjData* d() { return data_.get(); }
  const mjData* d() const { return data_.get(); }

  /// mj_resetData: time 0, default pose, no warnings.
  void clear() { mj_resetData(m(), d()); }
  /// All derived quantities, with actuators switched off.
  void settle() { mj_forward(model_->passive(), d()); }

  /// What MuJoCo warned of since clear(), or nullptr.
  const char* warning() const;
  void forget_warnings();

  /// Writes controls: actions in [-1, 1] mapped onto each actuator's range, unclipped.
  void control(std::span<const double> action);

  /// Sensors that derive from the acceleration are part of it: they cannot be recomputed from a
  /// position. load() leaves other derived quantities to the caller.
  void save(StateWriter& out) const;
  void load(StateReader& in);
  /// See VecEnv::physics. set_physics leaves derived quantities to the caller.
  std::vector<double> physics() const;
  void set_physics(std::span<const double> numbers);

  // Shorthands for rewards and observations.
  const double* xpos(int body) const { return d()->xpos + 3 * body; }
  const double* xmat(int body) const { return d()->xmat + 9 * body; }
  const double* site_xpos(int site) const { return d()->site_xpos + 3 * site; }
  const double* geom_xpos(int geom) const { return d()->geom_xpos + 3 * geom; }

 private:
  struct Free {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::shared_ptr<const Model> model_;
  std::unique_ptr<mjData, Free> data_;
  std::vector<double> low_, half_;  // per actuator; empty where every range is [-1, 1]
};

}  // namespace mneme::envs
