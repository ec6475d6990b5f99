// envs/hb/hurdle.cpp - run over ten bars between two walls; touching a wall costs nine tenths.
#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

std::string world() {
  std::string out = fixed_box("right", 35, -4.725, 1, 35.5, 0.275, 1) +
                    fixed_box("left", 35, 4.725, 1, 35.5, 0.275, 1) +
                    fixed_box("behind", -0.525, 0, 1, 0.05, 5, 1);
  for (int bar = 1; bar <= 10; ++bar)
    out += fixed_box(concat("bar_", bar).c_str(), 7 * bar, 0, 0.1875, 0.03, 5, 0.1875);
  return out;
}

class Hurdle final : public RobotTask {
 public:
  Hurdle()
      : RobotTask(h1_scene(world(), "")),
        right_(sim().names().geom("right")),
        behind_(sim().names().geom("behind")) {}

 private:
  double reward() override {
    const auto wall = [this](int geom) { return geom >= right_ && geom <= behind_; };
    const bool touched = any_contact([&](int a, int b) { return wall(a) || wall(b); });
    return small_control() * standing() * being_upright(0.8) * moving(5) * (touched ? 0.1 : 1);
  }
  bool terminated() const override { return d()->qpos[2] < 0.2; }

  int right_, behind_;  // the walls are numbered one after the other
};

}  // namespace

std::unique_ptr<Task> make_hurdle(std::string_view) { return std::make_unique<Hurdle>(); }

}  // namespace mneme::envs::hb
