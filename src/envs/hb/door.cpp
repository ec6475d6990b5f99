// envs/hb/door.cpp - turn the hatch, open the door, go through.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

// A heavy door on a spring (160 kg) with a hatch of cylinders on both sides, in the wall of a
// closed room. The hatch does not feel gravity. Nothing but its spring keeps the door shut.
Scene room() {
  std::string hatch;
  for (const double side : {-1.0, 1.0})
    hatch += cylinder(0.12 * side, 0, 0, 0.05, 0.05, kAlongX) +
             cylinder(0.141 * side, -0.1, 0, 0.02, 0.1, kAlongY) +
             cylinder(0.15 * side, 0.07, 0, 0.01, 0.07, kAlongY);
  const std::string door = concat(
      R"(<joint name="door" pos="-0.05 -0.5 1" axis="0 0 1" range="0 1.4" stiffness="50"/>)",
      box(0, 0, 1, 0.07, 0.48, 0.99, R"(density="600")"),
      R"(<body name="hatch" pos="0 0.4 1.2" gravcomp="1"><joint name="hatch" axis="1 0 0" range="0 2" stiffness="2"/>)",
      hatch, "</body>");
  const std::string walls =
      box(0, 0.66, 1, 0.12, 0.14, 1) + box(0, -0.66, 1, 0.12, 0.14, 1) +
      box(0, 0, 2.19, 0.12, 0.82, 0.19) + box(-1.31, -0.7, 1.19, 1.19, 0.12, 1.19) +
      box(-1.31, 0.7, 1.19, 1.19, 0.12, 1.19) + box(-2.35, 0, 1.19, 0.15, 0.58, 1.19);
  return {.bodies = fixed("door", 0.8, 0, 0, door) + fixed("walls", 0.8, 0, 0, walls),
          .objects = "0 0"};
}

class Door final : public RobotTask {
 public:
  explicit Door(std::string_view name)
      : RobotTask(name, room()),
        hatch_(sim().names().body(named("hatch", "door_hatch"))),
        door_angle_(sim().names().qpos(named("door", "door_hinge"))),
        hatch_angle_(sim().names().qpos(named("hatch", "door_hatch_hinge"))) {}

 private:
  Outcome score() override {
    const double door = d()->qpos[door_angle_], hatch = d()->qpos[hatch_angle_];
    const double hand = std::min(distance(left_hand(), sim().xpos(hatch_)),
                                 distance(right_hand(), sim().xpos(hatch_)));
    return {.reward = 0.1 * tall() * straight(0.9, 0.9) * small_control() +
                      0.45 * std::min(1.0, door * std::abs(door)) +
                      0.05 * tolerance(hatch, 0.75, 2, 0.75, Shape::linear) +
                      0.05 * tolerance(hand, 0, 0.25, 1, Shape::linear) +
                      0.35 * linear_to_zero(imu()[0], 1.2, kInfinity, 1),
            .terminated = d()->qpos[2] < 0.58};
  }

  int hatch_, door_angle_, hatch_angle_;
};

}  // namespace

std::unique_ptr<Task> make_door(std::string_view name) { return std::make_unique<Door>(name); }

}  // namespace mneme::envs::hb
