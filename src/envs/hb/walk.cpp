// envs/hb/walk.cpp - an empty floor: stand, walk, run.
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

class Walk final : public RobotTask {
 public:
  Walk(std::string_view name, double speed) : RobotTask(name, {}), speed_(speed) {}

 private:
  Outcome score() override {
    const double gait = speed_ == 0 ? still() : moving(speed_);
    return {.reward = small_control() * standing() * gait, .terminated = d()->qpos[2] < 0.2};
  }

  double speed_;  // wanted; 0 to stand still
};

}  // namespace

std::unique_ptr<Task> make_walk(std::string_view name) {
  const std::string_view task = task_of(name);
  return std::make_unique<Walk>(name, task == "stand" ? 0 : task == "walk" ? 1 : 5);
}

}  // namespace mneme::envs::hb
