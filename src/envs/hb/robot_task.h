// envs/hb/robot_task.h - what the tasks of HumanoidBench have in common.
//
// A step is ten mj_step of 2 ms. mj_step integrates last: afterwards qpos and qvel are new while
// everything derived (positions of sites, contacts, forces, sensors) is one physics step old, and
// rewards mix the two. Nothing is refreshed in between. The observation is taken before the reward,
// whose side effects (stages, counters) therefore show one step later.
//
// Symbols as in the files: H head height, U uprightness, V velocity of the centre of mass, f forces
// of the servos.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "envs/hb/h1.h"
#include "envs/mujoco/simulation.h"
#include "envs/random.h"
#include "envs/task.h"
#include "envs/tolerance.h"
#include "mneme/error.h"

namespace mneme::envs::hb {

class RobotTask : public Task {
 public:
  explicit RobotTask(const std::string& xml);

  /// One part: HumanoidBench hands out one vector, and it must not be sorted apart.
  std::vector<ObservationKey> keys() const final { return {{"state", observation_size()}}; }
  void reset(Rng& rng) final;
  Outcome step(std::span<const double> action) final;
  Outcome evaluate() final { return {reward(), terminated(), succeeded()}; }
  void reset_nominal() final;
  void observe(std::span<double> out) const final;
  void save(StateWriter& out) const final;
  void load(StateReader& in) final;
  std::vector<double> physics() const final { return sim_.physics(); }
  void set_physics(std::span<const double> numbers) final;
  Simulation* simulation() final { return &sim_; }
  int substeps() const final { return 10; }

 protected:
  /// The pose of the keyframe beyond the robot's usual one; objects are where the model puts them.
  virtual void pose() {}
  /// What a task draws after every number of qpos got its noise. Forward once done.
  virtual void randomize(Rng&) {}
  /// By default all of qpos, then all of qvel.
  virtual Index observation_size() const;
  virtual void write_observation(double* out) const;
  /// May move stages on; called once per step.
  virtual double reward() = 0;
  virtual bool terminated() const = 0;
  virtual bool succeeded() const { return false; }
  /// Numbers of an episode that are not in mjData.
  virtual std::span<double> own_numbers() { return {}; }

  Simulation& sim() { return sim_; }
  const Simulation& sim() const { return sim_; }
  const mjData* d() const { return sim_.d(); }
  void forward() { mj_forward(sim_.m(), sim_.d()); }

  double head() const { return sim_.site_xpos(head_)[2]; }    // H
  double upright() const { return sim_.xmat(torso_)[8]; }     // U
  const double* velocity() const { return d()->sensordata; }  // V
  const double* imu() const { return sim_.site_xpos(imu_); }
  const double* left_hand() const { return sim_.site_xpos(left_hand_); }
  const double* right_hand() const { return sim_.site_xpos(right_hand_); }
  double left_foot() const { return sim_.site_xpos(left_foot_)[2]; }
  double right_foot() const { return sim_.site_xpos(right_foot_)[2]; }
  int pelvis() const { return pelvis_; }

  /// (4 + mean of 1 - (f/10)^2, not below 0) / 5
  double small_control() const;
  double standing(double height = 1.65, double margin = 0.4125) const {
    return tolerance(head(), height, kInfinity, margin);
  }
  double being_upright(double from = 0.9, double margin = 1.9) const {
    return linear_to_zero(upright(), from, kInfinity, margin);
  }
  double stable() const { return standing() * being_upright(); }
  double moving(double speed) const {
    return (5 * linear_to_zero(velocity()[0], speed, kInfinity, speed) + 1) / 6;
  }
  double staying() const {
    return (tolerance(velocity()[0], 0, 0, 2) + tolerance(velocity()[1], 0, 0, 2)) / 2;
  }
  double hand_distance(const double* hand, const double* at) const {
    return std::hypot(hand[0] - at[0], hand[1] - at[1], hand[2] - at[2]);
  }
  /// Whether `test(geom1, geom2)` holds for a contact of the last physics step.
  template <class Test>
  bool any_contact(Test&& test) const {
    for (int i = 0; i < d()->ncon; ++i)
      if (test(d()->contact[i].geom[0], d()->contact[i].geom[1])) return true;
    return false;
  }

 private:
  void to_keyframe();

  Simulation sim_;
  int pelvis_, torso_, head_, imu_, left_hand_, right_hand_, left_foot_, right_foot_;
  std::vector<double> observation_;
};

/// A fixed box: centre and half sizes.
std::string fixed_box(const char* name, double x, double y, double z, double sx, double sy,
                      double sz);

/// `name` without suite and robot: "walk" of "hb/h1-walk".
inline std::string_view variant_of(std::string_view name) {
  return name.substr(name.find('-') + 1);
}

}  // namespace mneme::envs::hb
