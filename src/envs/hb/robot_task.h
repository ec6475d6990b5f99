// envs/hb/robot_task.h - what the tasks of HumanoidBench have in common.
//
// A step writes the controls and runs ten physics steps of 2 ms. MuJoCo integrates at the end of a
// step, so qpos and qvel are then of the new state while everything derived from them - sites,
// bodies, contacts, sensors, forces of actuators - is of the state 2 ms before. Rewards and
// observations of this suite read both as they stand, and so do we: nothing is recomputed in
// between. (DeepMind Control does recompute: the two suites differ in this.)
//
// The suite takes the observation before the reward: what a reward moves (stages, counters) shows
// one step later. Tasks that show such a number keep the one from before the reward for it.
//
// A task is a file here: what stands in the scene, what begins an episode, what a state is worth.
// Letters in comments are those of the tables in docs/suites/humanoidbench.md.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "envs/hb/robot.h"
#include "envs/hb/scene.h"
#include "envs/mujoco/simulation.h"
#include "envs/random.h"
#include "envs/task.h"
#include "envs/tolerance.h"

namespace mneme::envs::hb {

/// Appends numbers to an observation.
class Put {
 public:
  explicit Put(std::span<double> out) : at_(out.data()) {}
  Put& all(const double* numbers, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) *at_++ = numbers[i];
    return *this;
  }

 private:
  double* at_;
};

/// Euclidean distance in space, and in the horizontal plane.
double distance(const double* a, const double* b);
double flat_distance(const double* a, const double* b);

/// How success is defined: the return of the episode reaches the suite's bar (the upper score of the
/// registry), or the task says it.
enum class Success { by_return, by_task };

class RobotTask : public Task {
 public:
  /// `name`: the full one, "hb/h1-walk" or "hb/h1-walk:model=suite", which says the robot, the bar
  /// of success and the model.
  RobotTask(std::string_view name, const Scene& scene, Success success = Success::by_return);

  std::vector<ObservationKey> keys() const final { return {{"observation", size_}}; }
  void reset(Rng& rng) final;
  Outcome step(std::span<const double> action) final;
  Outcome evaluate() final;
  void reset_nominal() final;
  /// All positions and velocities, unless a task says otherwise.
  void observe(std::span<double> out) const override;
  void save(StateWriter& out) const final;
  void load(StateReader& in) final;
  std::vector<double> physics() const final { return sim_.physics(); }
  void set_physics(std::span<const double> numbers) final;
  Simulation* simulation() final { return &sim_; }
  int substeps() const final;

 protected:
  /// Reward, whether the episode is over, and success where the task defines its own. May change
  /// own_numbers(), nothing else.
  virtual Outcome score() = 0;
  /// What an episode begins with besides noise on every position; all derived quantities are up to
  /// date before, and are brought up to date after.
  virtual void begin(Rng&) {}
  /// The last part of a reset, after which nothing is recomputed.
  virtual void begun(Rng&) {}
  /// Numbers of an episode that are not in mjData (stages, counters), at most kMostNumbers.
  virtual std::span<double> own_numbers() { return {}; }
  /// Gives own_numbers() the values they have when an episode begins; the simulation stands at the
  /// keyframe. `forget`: also what outlives episodes, which two tasks of the suite have.
  virtual void restart(bool forget) { static_cast<void>(forget); }
  static constexpr std::size_t kMostNumbers = 32;
  /// Noise on every number of qpos when an episode begins; without any nothing is drawn.
  virtual double noise() const { return 0.01; }

  Simulation& sim() { return sim_; }
  const Simulation& sim() const { return sim_; }
  const mjModel* m() const { return sim_.m(); }
  const mjData* d() const { return sim_.d(); }

  // What rewards are made of; H: head's height, U: how upright the torso is, V: velocity of the
  // center of mass.
  double head() const { return sim_.site_xpos(head_)[2]; }
  double upright() const { return sim_.xmat(torso_)[8]; }
  const double* velocity() const { return d()->sensordata + velocity_; }
  const double* imu() const { return sim_.site_xpos(imu_); }
  const double* left_foot() const { return sim_.site_xpos(left_foot_); }
  const double* right_foot() const { return sim_.site_xpos(right_foot_); }
  const double* left_hand() const { return sim_.site_xpos(left_hand_); }
  const double* right_hand() const { return sim_.site_xpos(right_hand_); }
  int pelvis() const { return pelvis_; }
  /// What a thing is called: here, or in the suite's own model if that is the one in use.
  const char* named(const char* here, const char* in_suite) const {
    return suite_ ? in_suite : here;
  }
  const Robot& robot() const { return robot_; }

  /// SC, in [0.8, 1]: small forces of actuators.
  double small_control() const;
  /// ST: the head is high.
  double tall(double height = 1.65, double margin = 0.4125) const {
    return tolerance(head(), height, kInfinity, margin);
  }
  /// UP: the torso is upright.
  double straight(double least = 0.9, double margin = 1.9) const {
    return linear_to_zero(upright(), least, kInfinity, margin);
  }
  /// S = ST UP with the usual numbers.
  double standing() const { return tall() * straight(); }
  /// MV: forwards at a speed, in [1/6, 1].
  double moving(double speed) const {
    return (5 * linear_to_zero(velocity()[0], speed, kInfinity, speed) + 1) / 6;
  }
  /// DM: no motion in the plane.
  double still() const {
    return (tolerance(velocity()[0], 0, 0, 2) + tolerance(velocity()[1], 0, 0, 2)) / 2;
  }

  /// Whether a contact of the last physics step satisfies test(geom, geom).
  template <class Test>
  bool any_contact(const Test& test) const {
    for (int i = 0; i < d()->ncon; ++i)
      if (test(d()->contact[i].geom[0], d()->contact[i].geom[1])) return true;
    return false;
  }
  /// Bodies in a row: one here, several in the suite's own models.
  struct Bodies {
    int first = 0, last = 0;
  };
  Bodies bodies(const char* here, const char* first, const char* last) const {
    return {sim_.names().body(named(here, first)), sim_.names().body(named(here, last))};
  }
  /// Whether a shape of those bodies is in contact with anything.
  bool touched(const Bodies& these) const {
    const auto has = [&](int geom) {
      const int body = m()->geom_bodyid[geom];
      return these.first <= body && body <= these.last;
    };
    return any_contact([&](int a, int b) { return has(a) || has(b); });
  }
  bool touched(int body) const { return touched(Bodies{body, body}); }

 private:
  void forward();
  void remember();

  const Robot& robot_;
  bool suite_;  // the model is the suite's own
  Simulation sim_;
  Index size_;
  double bar_;
  double return_ = 0;  // of the episode so far
  int pelvis_, torso_, head_, imu_, left_foot_, right_foot_, left_hand_, right_hand_, velocity_;
  // The state before the last thing that was computed from one, and whether that was a physics step
  // or a look at a state: from these every number can be had again.
  std::vector<double> before_;
  bool stepped_ = false;
};

}  // namespace mneme::envs::hb
