// envs/hb/door.cpp - turn the hatch, pull the door, walk through.
#include <algorithm>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

// The door's weight is of its own 600 kg/m^3; the hatch floats, as in the original, where gravity
// is compensated for it.
constexpr const char* kObjects = R"(
  <body pos=".8 0 0">
    <joint name="door" pos="-.05 -.5 1" axis="0 0 1" limited="true" range="0 1.4" stiffness="50"/>
    <geom class="thing" pos="0 0 1" size=".07 .48 .99" density="600"/>
    <body name="hatch" pos="0 .4 1.2" gravcomp="1">
      <joint name="hatch" axis="1 0 0" limited="true" range="0 2" stiffness="2"/>
      <geom class="fixed" type="cylinder" pos="-.12 0 0" size=".05 .05" zaxis="1 0 0"/>
      <geom class="fixed" type="cylinder" pos=".12 0 0" size=".05 .05" zaxis="1 0 0"/>
      <geom class="fixed" type="cylinder" pos="-.141 -.1 0" size=".02 .1" zaxis="0 1 0"/>
      <geom class="fixed" type="cylinder" pos=".141 -.1 0" size=".02 .1" zaxis="0 1 0"/>
      <geom class="fixed" type="cylinder" pos=".15 .07 0" size=".01 .07" zaxis="0 1 0"/>
      <geom class="fixed" type="cylinder" pos="-.15 .07 0" size=".01 .07" zaxis="0 1 0"/>
    </body>
  </body>
  <body pos=".8 0 0">
    <geom class="fixed" pos="0 .66 1" size=".12 .14 1"/>
    <geom class="fixed" pos="0 -.66 1" size=".12 .14 1"/>
    <geom class="fixed" pos="0 0 2.19" size=".12 .82 .19"/>
    <geom class="fixed" pos="-1.31 -.7 1.19" size="1.19 .12 1.19"/>
    <geom class="fixed" pos="-1.31 .7 1.19" size="1.19 .12 1.19"/>
    <geom class="fixed" pos="-2.35 0 1.19" size=".15 .58 1.19"/>
  </body>)";

class Door final : public RobotTask {
 public:
  Door() : RobotTask(h1_scene("", kObjects)), hatch_(sim().names().body("hatch")) {}

 private:
  double reward() override {
    const double door = d()->qpos[kRobotQpos], hatch = d()->qpos[kRobotQpos + 1];
    const double* at = sim().xpos(hatch_);
    const double near = std::min(hand_distance(left_hand(), at), hand_distance(right_hand(), at));
    return 0.1 * standing() * being_upright(0.9, 0.9) * small_control() +
           0.45 * std::min(1.0, door * std::abs(door)) +
           0.05 * tolerance(hatch, 0.75, 2, 0.75, Shape::linear) +
           0.05 * tolerance(near, 0, 0.25, 1, Shape::linear) +
           0.35 * linear_to_zero(imu()[0], 1.2, kInfinity, 1);
  }
  bool terminated() const override { return d()->qpos[2] < 0.58; }

  int hatch_;
};

}  // namespace

std::unique_ptr<Task> make_door(std::string_view) { return std::make_unique<Door>(); }

}  // namespace mneme::envs::hb
