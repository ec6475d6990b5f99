// envs/hb/sit.cpp - onto a chair: fixed behind the robot (sit_simple), or free to slide and
// anywhere around it (sit_hard).
#include <cmath>

#include "envs/hb/props.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr double kChairX = -0.25;

Scene room(bool free_chair) {
  if (!free_chair) return {.bodies = fixed("chair", kChairX, 0, 0, chair())};
  return {.bodies = loose("chair", chair()), .objects = numbers({kChairX, 0, 0, 1, 0, 0, 0})};
}

class Sit final : public RobotTask {
 public:
  Sit(std::string_view name, bool hard)
      : RobotTask(name, room(hard)), hard_(hard), chair_(sim().names().body("chair")) {}

 private:
  void begin(Rng& rng) override {
    if (!hard_) return;
    double* q = sim().d()->qpos;
    q[0] = uniform(rng, 0.2, 0.4);
    q[1] = uniform(rng, -0.15, 0.15);
    const double half_yaw = uniform(rng, -1.8, 1.8) / 2;
    q[3] = std::cos(half_yaw);
    q[4] = q[5] = 0;
    q[6] = std::sin(half_yaw);
  }

  Outcome score() override {
    const double* q = d()->qpos;
    const double* chair = sim().xpos(chair_);
    const double low = tolerance(q[2], 0.68, 0.72, 0.2);
    const double above =
        tolerance(q[0] - chair[0], -0.19, 0.19, 0.2) * tolerance(q[1] - chair[1], 0, 0, 0.1);
    const double posture = tolerance(head() - imu()[2], 0.35, 0.45, 0.3);
    return {.reward = small_control() * (0.5 * low + 0.5 * above) * straight(0.95, 0.9) * posture *
                      still(),
            .terminated = q[2] < 0.5};
  }

  bool hard_;
  int chair_;
};

}  // namespace

std::unique_ptr<Task> make_sit(std::string_view name) {
  return std::make_unique<Sit>(name, task_of(name) == "sit_hard");
}

}  // namespace mneme::envs::hb
