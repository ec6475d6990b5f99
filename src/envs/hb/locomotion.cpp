// envs/hb/locomotion.cpp - on flat ground: stand, walk, run.
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

class Locomotion final : public RobotTask {
 public:
  explicit Locomotion(double speed) : RobotTask(h1_scene("", "")), speed_(speed) {}

 private:
  double reward() override {
    return small_control() * stable() * (speed_ == 0 ? staying() : moving(speed_));
  }
  bool terminated() const override { return d()->qpos[2] < 0.2; }

  double speed_;  // wanted; 0 to stay
};

}  // namespace

std::unique_ptr<Task> make_locomotion(std::string_view name) {
  const std::string_view variant = variant_of(name);
  return std::make_unique<Locomotion>(variant == "stand" ? 0 : variant == "walk" ? 1 : 5);
}

}  // namespace mneme::envs::hb
