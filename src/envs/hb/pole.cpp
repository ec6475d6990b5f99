// envs/hb/pole.cpp - walk through a forest of poles without touching them.
#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

std::string world() {
  std::string out = fixed_box("right", 20, -3.15, 1, 20.75, 0.15, 1) +
                    fixed_box("left", 20, 3.15, 1, 20.75, 0.15, 1) +
                    fixed_box("behind", -0.6, 0, 1, 0.15, 3, 1);
  for (int row = 1; row <= 41; ++row) {
    const int poles = row % 2 == 1 ? 4 : 3;
    for (int k = 0; k < poles; ++k)
      out += concat(R"(<geom class="fixed" type="cylinder" size=".05 1" name="pole_)", row, '_', k,
                    R"(" pos=")", row, ' ', 0.75 * (poles - 1) - 1.5 * k, R"( 1"/>)");
  }
  return out;
}

class Pole final : public RobotTask {
 public:
  Pole()
      : RobotTask(h1_scene(world(), "")),
        first_(sim().names().geom("pole_1_0")),
        last_(sim().names().geom("pole_41_3")) {}

 private:
  double reward() override {
    const auto pole = [this](int geom) { return geom >= first_ && geom <= last_; };
    const bool touched = any_contact(
        [&](int a, int b) { return (pole(a) || pole(b)) && a != 0 && b != 0; });  // 0: the floor
    return (0.5 * small_control() * stable() + 0.5 * moving(0.5)) * (touched ? 0.1 : 1);
  }
  bool terminated() const override { return d()->qpos[2] < 0.5; }

  int first_, last_;
};

}  // namespace

std::unique_ptr<Task> make_pole(std::string_view) { return std::make_unique<Pole>(); }

}  // namespace mneme::envs::hb
