// envs/hb/climb.cpp - up and down: four stepped pyramids (stair), nine ramps (slide).
#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

std::string stair_world() {
  std::string out = fixed_box("right", 13.5, -5.05, 2, 15.5, 0.1, 2) +
                    fixed_box("left", 13.5, 5.05, 2, 15.5, 0.1, 2) +
                    fixed_box("behind", -2.1, 0, 2, 0.1, 7.25, 2);
  for (int pyramid = 0; pyramid < 4; ++pyramid)
    for (int k = 0; k < 5; ++k)
      out += fixed_box(concat("step_", pyramid, '_', k).c_str(), 3.2 + 6 * pyramid, 0,
                       0.09 + 0.18 * k, 2.7 - 0.6 * k, 5, 0.09);
  return out;
}

std::string slide_world() {
  std::string out = fixed_box("right", 48.85, -5.15, 4, 53, 0.15, 4) +
                    fixed_box("left", 48.85, 5.15, 4, 53, 0.15, 4) +
                    fixed_box("behind", -4, 0, 4, 0.15, 5.15, 4);
  for (int k = 0; k < 9; ++k)
    out += concat(R"(<geom class="fixed" type="mesh" mesh="ramp_)", k, R"("/>)");
  return out;
}

// A ridge across the way, 1.75 m high: six corners. Each its own mesh, placed by its corners.
std::string slide_assets() {
  std::string out = "<asset>";
  for (int k = 0; k < 9; ++k) {
    const double x[] = {0.3 + 10 * k, 5.3 + 10 * k, 10.3 + 10 * k};
    out += concat(R"(<mesh name="ramp_)", k, R"(" vertex=")");
    for (int i = 0; i < 3; ++i)
      for (const int y : {-5, 5}) out += concat(x[i], ' ', y, ' ', i == 1 ? 1.75 : 0, "  ");
    out += R"("/>)";
  }
  return out + "</asset>";
}

class Climb final : public RobotTask {
 public:
  explicit Climb(bool stair)
      : RobotTask(stair ? h1_scene(stair_world(), "")
                        : h1_scene(slide_world(), "", slide_assets())) {}

 private:
  double reward() override {
    const double tall = tolerance(head() - left_foot(), 1.2, kInfinity, 0.45) *
                        tolerance(head() - right_foot(), 1.2, kInfinity, 0.45);
    return tall * being_upright(0.5) * small_control() * moving(1);
  }
  bool terminated() const override { return upright() < 0.1; }
};

}  // namespace

std::unique_ptr<Task> make_climb(std::string_view name) {
  return std::make_unique<Climb>(variant_of(name) == "stair");
}

}  // namespace mneme::envs::hb
