// envs/hb/push.cpp - push a box over a table to a point.
#include <algorithm>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr const char* kObjects = R"(
  <body pos=".9 0 .45">
    <geom class="fixed" pos="0 0 .4" size=".5 1 .05"/>
    <geom class="fixed" pos=".4 .85 -.05" size=".05 .05 .4"/><geom class="fixed" pos=".4 -.85 -.05" size=".05 .05 .4"/>
    <geom class="fixed" pos="-.4 .85 -.05" size=".05 .05 .4"/><geom class="fixed" pos="-.4 -.85 -.05" size=".05 .05 .4"/>
  </body>
  <body pos=".7 0 1"><freejoint/><inertial pos="0 0 0" mass=".3" diaginertia=".001 .001 .001"/>
    <geom class="thing" size=".1 .1 .1"/></body>
  <body mocap="true" pos="1 0 1"><geom type="sphere" size=".05" contype="0" conaffinity="0" material="goal"/></body>)";

class Push final : public RobotTask {
 public:
  Push() : RobotTask(h1_scene("", kObjects)) {}

 private:
  void randomize(Rng& rng) override {
    double* goal = sim().d()->mocap_pos;
    goal[0] = uniform(rng, 0.7, 1);
    goal[1] = uniform(rng, -0.5, 0.5);
    goal[2] = 1;
  }
  Index observation_size() const override { return kRobotQpos + kRobotQvel + 12; }
  void write_observation(double* out) const override {
    out = std::copy_n(d()->qpos, kRobotQpos, out);
    out = std::copy_n(d()->qvel, kRobotQvel, out);
    out = std::copy_n(left_hand(), 3, out);
    out = std::copy_n(d()->mocap_pos, 3, out);
    out = std::copy_n(box(), 3, out);
    std::copy_n(d()->qvel + kRobotQvel, 3, out);
  }
  const double* box() const { return d()->qpos + kRobotQpos; }
  double distance() const { return hand_distance(box(), d()->mocap_pos); }
  double reward() override {
    return -0.1 * hand_distance(left_hand(), box()) - distance() + (distance() < 0.05 ? 1000 : 0);
  }
  bool terminated() const override { return distance() < 0.05; }
  bool succeeded() const override { return distance() < 0.05; }
};

}  // namespace

std::unique_ptr<Task> make_push(std::string_view) { return std::make_unique<Push>(); }

}  // namespace mneme::envs::hb
