// envs/hb/powerlift.cpp - a barbell of 104 kg, from the floor to above the head.
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

Scene gym() {
  return {.bodies = loose("barbell", cylinder(0, 0, 0, 0.029, 0.65, kAlongY) +
                                         cylinder(0, 0.75, 0, 0.2, 0.2, kAlongY) +
                                         cylinder(0, -0.75, 0, 0.2, 0.2, kAlongY)),
          .objects = numbers({0.5, 0, 0.2, 1, 0, 0, 0})};
}

class Powerlift final : public RobotTask {
 public:
  explicit Powerlift(std::string_view name)
      : RobotTask(name, gym()), barbell_(sim().names().body(named("barbell", "dumbbell"))) {}

 private:
  Outcome score() override {
    return {.reward = 0.2 * small_control() * tall(1.65, 0.55) * straight(0.8) +
                      0.8 * tolerance(sim().xpos(barbell_)[2], 1.9, 2.1, 2),
            .terminated = d()->qpos[2] < 0.2};
  }

  int barbell_;
};

}  // namespace

std::unique_ptr<Task> make_powerlift(std::string_view name) {
  return std::make_unique<Powerlift>(name);
}

}  // namespace mneme::envs::hb
