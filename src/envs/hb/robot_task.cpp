// envs/hb/robot_task.cpp - stepping, resetting, observing and saving, the same for every task.
#include "envs/hb/robot_task.h"

#include <algorithm>

#include "base/text.h"

namespace mneme::envs::hb {

RobotTask::RobotTask(const std::string& xml)
    : sim_(Model::from_xml(xml)),
      pelvis_(sim_.names().body("pelvis")),
      torso_(sim_.names().body("torso")),
      head_(sim_.names().site("head")),
      imu_(sim_.names().site("imu")),
      left_hand_(sim_.names().site("left_hand")),
      right_hand_(sim_.names().site("right_hand")),
      left_foot_(sim_.names().site("left_foot")),
      right_foot_(sim_.names().site("right_foot")) {}

Index RobotTask::observation_size() const {
  return static_cast<Index>(sim_.m()->nq + sim_.m()->nv);
}

void RobotTask::to_keyframe() {
  sim_.clear();
  std::copy(kPose.begin(), kPose.end(), sim_.d()->qpos + 7);
  pose();
  forward();
}

void RobotTask::reset_nominal() {
  to_keyframe();
  observation_.resize(static_cast<std::size_t>(observation_size()));
  write_observation(observation_.data());
}

void RobotTask::reset(Rng& rng) {
  to_keyframe();
  for (int i = 0; i < static_cast<int>(sim_.m()->nq); ++i)
    sim_.d()->qpos[i] += uniform(rng, -0.01, 0.01);
  // Versions of MuJoCo before 3.2 normalised quaternions in place; observations rely on it.
  mj_normalizeQuat(sim_.m(), sim_.d()->qpos);
  forward();
  randomize(rng);
  if (const char* warning = sim_.warning())
    throw Error(concat("an episode could not begin: ", warning));
  observation_.resize(static_cast<std::size_t>(observation_size()));
  write_observation(observation_.data());
}

Outcome RobotTask::step(std::span<const double> action) {
  sim_.control(action);
  for (int i = 0; i < 10; ++i) mj_step(sim_.m(), sim_.d());
  if (const char* warning = sim_.warning()) return {.failure = warning};
  write_observation(observation_.data());
  return evaluate();
}

void RobotTask::observe(std::span<double> out) const {
  std::copy(observation_.begin(), observation_.end(), out.begin());
}

void RobotTask::write_observation(double* out) const {
  out = std::copy_n(d()->qpos, sim_.m()->nq, out);
  std::copy_n(d()->qvel, sim_.m()->nv, out);
}

void RobotTask::save(StateWriter& out) const {
  sim_.save(out);
  out.put_all<double>(const_cast<RobotTask*>(this)->own_numbers());
  std::vector<double> observation = observation_;
  observation.resize(static_cast<std::size_t>(observation_size()));
  out.put_all<double>(observation);
}

void RobotTask::load(StateReader& in) {
  sim_.load(in);
  in.get_all<double>(own_numbers());
  observation_.resize(static_cast<std::size_t>(observation_size()));
  in.get_all<double>(observation_);
  // The next mj_step starts from positions and velocities alone; forward() would move the warm
  // start, which is part of the state.
  mj_fwdPosition(sim_.m(), sim_.d());
}

void RobotTask::set_physics(std::span<const double> numbers) {
  sim_.set_physics(numbers);
  const std::vector<double> warmstart(d()->qacc_warmstart, d()->qacc_warmstart + sim_.m()->nv);
  forward();
  std::copy(warmstart.begin(), warmstart.end(), sim_.d()->qacc_warmstart);
  write_observation(observation_.data());
}

double RobotTask::small_control() const {
  const auto nu = static_cast<int>(sim_.m()->nu);
  double sum = 0;
  for (int i = 0; i < nu; ++i)
    sum += tolerance(d()->actuator_force[i], 0, 0, 10, Shape::quadratic, 0);
  return (4 + sum / nu) / 5;
}

std::string fixed_box(const char* name, double x, double y, double z, double sx, double sy,
                      double sz) {
  return concat(R"(<geom class="fixed" name=")", name, R"(" pos=")", x, ' ', y, ' ', z,
                R"(" size=")", sx, ' ', sy, ' ', sz, R"("/>)");
}

}  // namespace mneme::envs::hb
