// envs/hb/hurdle.cpp - ten bars across a lane with walls: run over them.
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

Scene lane() {
  std::string bars;
  for (int i = 1; i <= 10; ++i) bars += box(7 * i, 0, 0.1875, 0.03, 5, 0.1875);
  return {.bodies = fixed("bars", 0, 0, 0, bars) +
                    fixed("barriers", 0, 0, 0,
                          box(35, -4.725, 1, 35.5, 0.275, 1) + box(35, 4.725, 1, 35.5, 0.275, 1) +
                              box(-0.525, 0, 1, 0.05, 5, 1))};
}

class Hurdle final : public RobotTask {
 public:
  explicit Hurdle(std::string_view name)
      : RobotTask(name, lane()), barriers_(bodies("barriers", "left_barrier", "behind_barrier")) {}

 private:
  Outcome score() override {
    // Walls cost, bars do not.
    const double wall = touched(barriers_) ? 0.1 : 1;
    return {.reward = small_control() * tall() * straight(0.8) * moving(5) * wall,
            .terminated = d()->qpos[2] < 0.2};
  }

  Bodies barriers_;
};

}  // namespace

std::unique_ptr<Task> make_hurdle(std::string_view name) { return std::make_unique<Hurdle>(name); }

}  // namespace mneme::envs::hb
