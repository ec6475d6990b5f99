// envs/dmc/domain.cpp - stepping, resetting and saving, the same for every domain.
#include "envs/dmc/domain.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs::dmc {

Domain::Domain(std::shared_ptr<const Model> model, int substeps, std::vector<ObservationKey> keys)
    : sim_(std::move(model)),
      substeps_(substeps),
      whole_steps_(sim_.m()->opt.integrator == mjINT_RK4),
      forces_are_read_(std::any_of(sim_.m()->sensor_needstage,
                                   sim_.m()->sensor_needstage + sim_.m()->nsensor,
                                   [](int stage) { return stage == mjSTAGE_ACC; })),
      keys_(std::move(keys)) {}

void Domain::reset_nominal() {
  sim_.clear();
  sim_.settle();
  measure();
}

void Domain::reset(Rng& rng) {
  reset_nominal();
  initialize(rng);
  sim_.settle();
  if (const char* warning = sim_.warning())
    throw Error(concat("an episode could not begin: ", warning));
}

void Domain::advance(int substeps) {
  // Sensors of positions and velocities are read after mj_step1, which computes them; those of
  // accelerations and forces are of the last whole step. No other step computes any.
  const mjModel* blind = sim_.names().blind();
  const mjModel* last = forces_are_read_ ? sim_.m() : blind;
  mjData* d = sim_.d();
  int done = 0;
  if (!whole_steps_) {
    mj_step2(substeps == 1 ? last : blind, d);
    done = 1;
  }
  for (; done < substeps; ++done) mj_step(done + 1 == substeps ? last : blind, d);
  mj_step1(sim_.m(), d);
}

Outcome Domain::step(std::span<const double> action) {
  sim_.control(action);
  advance(substeps_);
  if (const char* warning = sim_.warning()) return {.failure = warning};
  return evaluate();
}

void Domain::save(StateWriter& out) const {
  sim_.save(out);
  out.put_all<double>(const_cast<Domain*>(this)->own_numbers());
}

void Domain::load(StateReader& in) {
  sim_.load(in);
  in.get_all<double>(own_numbers());
  // mj_step1 gives every derived number its old value but those of the acceleration stage, which
  // are saved with the sensors.
  const std::vector<double> sensors(d()->sensordata, d()->sensordata + sim_.m()->nsensordata);
  mj_step1(sim_.m(), sim_.d());
  std::copy(sensors.begin(), sensors.end(), sim_.d()->sensordata);
}

void Domain::set_physics(std::span<const double> numbers) {
  sim_.set_physics(numbers);
  const std::vector<double> warmstart(d()->qacc_warmstart, d()->qacc_warmstart + sim_.m()->nv);
  sim_.settle();
  std::copy(warmstart.begin(), warmstart.end(), sim_.d()->qacc_warmstart);
}

void Domain::randomize_joints(Rng& rng) {
  const mjModel* m = sim_.m();
  for (int j = 0; j < static_cast<int>(m->njnt); ++j) {
    double* q = sim_.d()->qpos + m->jnt_qposadr[j];
    const double* range = m->jnt_range + 2 * j;
    const bool limited = m->jnt_limited[j] != 0;
    switch (m->jnt_type[j]) {
      case mjJNT_HINGE:
        *q = limited ? uniform(rng, range[0], range[1])
                     : uniform(rng, -std::numbers::pi, std::numbers::pi);
        break;
      case mjJNT_SLIDE:
        if (limited) *q = uniform(rng, range[0], range[1]);
        break;
      case mjJNT_BALL:
        if (limited) {
          double axis[3];
          for (double& x : axis) x = normal(rng);
          mju_normalize3(axis);
          mju_axisAngle2Quat(q, axis, rng.uniform() * range[1]);
        } else {
          random_quaternion(rng, q);
        }
        break;
      default: {  // free: four numbers from [0, 1), so one orthant only, as in the suite
        double squared = 0;
        for (int i = 3; i < 7; ++i) {
          q[i] = rng.uniform();
          squared += q[i] * q[i];
        }
        for (int i = 3; i < 7; ++i) q[i] /= std::sqrt(squared);
      }
    }
  }
}

void Domain::randomize_without_contact(Rng& rng, int attempts) {
  for (int i = 0; i < attempts; ++i) {
    randomize_joints(rng);
    sim_.settle();
    if (d()->ncon == 0) return;
  }
  throw Error(concat("no pose without contact in ", attempts, " attempts"));
}

double Domain::small_control() const {
  const auto nu = static_cast<int>(sim_.m()->nu);
  double sum = 0;
  for (int i = 0; i < nu; ++i) sum += tolerance(d()->ctrl[i], 0, 0, 1, Shape::quadratic, 0);
  return (4 + sum / nu) / 5;
}

std::string_view variant_of(std::string_view name) { return name.substr(name.find('-') + 1); }

std::string scene(std::string_view head, std::string_view world, std::string_view tail) {
  static constexpr std::string_view kLooks = R"(
  <visual><headlight ambient=".4 .4 .4" diffuse=".7 .7 .7"/><global offwidth="1920" offheight="1080"/></visual>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1=".36 .53 .71" rgb2="0 0 0" width="64" height="64"/>
    <texture name="ground" type="2d" builtin="checker" rgb1=".16 .24 .34" rgb2=".22 .32 .44" width="128" height="128"/>
    <material name="ground" texture="ground" texrepeat="1 1" texuniform="true" reflectance=".1"/>
    <material name="body" rgba=".84 .62 .36 1"/>
    <material name="tip" rgba=".85 .42 .22 1"/>
    <material name="prop" rgba=".45 .5 .56 1"/>
    <material name="goal" rgba=".4 .75 .42 .6"/>
  </asset>)";
  return concat("<mujoco>", head, kLooks, "<worldbody>", world, "</worldbody>", tail, "</mujoco>");
}

}  // namespace mneme::envs::dmc
