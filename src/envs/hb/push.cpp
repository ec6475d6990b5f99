// envs/hb/push.cpp - a light box across a table to a point.
//
// With hands the suite means to begin with both wrists turned, but the second angle stands where
// the right shoulder is: that arm points forwards. push_fixed turns both wrists.
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

Scene table() {
  std::string shapes = box(0, 0, 0.4, 0.5, 1, 0.05);
  for (const double x : {0.4, -0.4})
    for (const double y : {0.85, -0.85}) shapes += box(x, y, -0.05, 0.05, 0.05, 0.4);
  return {.bodies = fixed("table", 0.9, 0, 0.45, shapes) +
                    loose("object",
                          R"(<inertial pos="0 0 0" mass="0.3" diaginertia="0.001 0.001 0.001"/>)" +
                              box(0, 0, 0, 0.1, 0.1, 0.1)),
          .objects = numbers({0.7, 0, 1, 1, 0, 0, 0}),
          .marks = mark("goal", 1, 0, 1)};
}

class Push final : public RobotTask {
 public:
  explicit Push(std::string_view name)
      : RobotTask(name, table(), Success::by_task),
        place_(sim().names().qpos("free_object")),
        motion_(sim().names().qvel("free_object")) {
    if (robot().name != "h1hand") return;
    const int wrist = sim().names().qpos("right_wrist_yaw");
    const int shoulder = sim().names().qpos("right_shoulder_pitch");
    const bool fixed = task_of(name) == "push_fixed";
    starts_ = {{sim().names().qpos("left_wrist_yaw"), 1.57},
               {wrist, fixed ? 1.57 : 0},
               {shoulder, fixed ? 0 : 1.57}};
  }

  void observe(std::span<double> out) const override {
    Put(out)
        .all(d()->qpos, robot().positions)
        .all(d()->qvel, robot().positions - 1)
        .all(left_hand(), 3)
        .all(goal(), 3)
        .all(d()->qpos + place_, 3)
        .all(d()->qvel + motion_, 3);
  }

 private:
  const double* goal() const { return d()->mocap_pos; }

  void restart(bool) override {
    for (const auto& [joint, angle] : starts_) sim().d()->qpos[joint] = angle;
  }

  void begin(Rng& rng) override {
    double* goal = sim().d()->mocap_pos;
    goal[0] = uniform(rng, 0.7, 1);
    goal[1] = uniform(rng, -0.5, 0.5);
  }

  Outcome score() override {
    const double* object = d()->qpos + place_;
    const double left = distance(object, goal());
    const bool there = left < 0.05;
    return {.reward = -0.1 * distance(left_hand(), object) - left + (there ? 1000 : 0),
            .terminated = there,
            .success = there};
  }

  int place_, motion_;
  std::vector<std::pair<int, double>> starts_;  // angles of the robot that begin otherwise
};

}  // namespace

std::unique_ptr<Task> make_push(std::string_view name) { return std::make_unique<Push>(name); }

}  // namespace mneme::envs::hb
