// envs/hb/pole.cpp - walk through a forest of thin poles without touching them.
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

Scene forest() {
  std::string poles;
  for (int row = 1; row <= 41; ++row) {
    // Rows of four and of three take turns.
    const int count = row % 2 == 1 ? 4 : 3;
    for (int i = 0; i < count; ++i)
      poles += cylinder(row, 0.75 * (count - 1) - 1.5 * i, 1, 0.05, 1);
  }
  return {.bodies = fixed("poles", 0, 0, 0, poles) +
                    fixed("walls", 0, 0, 0,
                          box(20, -3.15, 1, 20.75, 0.15, 1) + box(20, 3.15, 1, 20.75, 0.15, 1) +
                              box(-0.6, 0, 1, 0.15, 3, 1))};
}

class Pole final : public RobotTask {
 public:
  explicit Pole(std::string_view name)
      : RobotTask(name, forest()), poles_(bodies("poles", "pole_row_1", "pole_row_41")) {}

 private:
  Outcome score() override {
    const double clear = touched(poles_) ? 0.1 : 1;
    return {.reward = (0.5 * small_control() * standing() + 0.5 * moving(0.5)) * clear,
            .terminated = d()->qpos[2] < 0.5};
  }

  Bodies poles_;
};

}  // namespace

std::unique_ptr<Task> make_pole(std::string_view name) { return std::make_unique<Pole>(name); }

}  // namespace mneme::envs::hb
