// envs/hb/stair.cpp - up and down: stairs, and slopes (slide).
#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

// Four pyramids of five steps each, all ten meters wide.
Scene stairs() {
  std::string steps;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 5; ++k)
      steps += box(3.2 + 6 * i, 0, 0.09 + 0.18 * k, 2.7 - 0.6 * k, 5, 0.09);
  return {.bodies = fixed("stairs", 0, 0, 0, steps) +
                    fixed("walls", 0, 0, 0,
                          box(13.5, -5.05, 2, 15.5, 0.1, 2) + box(13.5, 5.05, 2, 15.5, 0.1, 2) +
                              box(-2.1, 0, 2, 0.1, 7.25, 2))};
}

// Nine ridges, 1.75 m high, ten meters apart. MuJoCo moves a mesh to its center of mass, and a
// shape's place is that of the vertices as written: one mesh for all.
Scene slopes() {
  std::string ridges;
  for (int k = 0; k < 9; ++k)
    ridges +=
        concat(R"(<geom type="mesh" mesh="ridge" material="prop" pos=")", 10 * k, R"( 0 0"/>)");
  return {
      .bodies = fixed("slopes", 0, 0, 0, ridges) +
                fixed("walls", 0, 0, 0,
                      box(48.85, -5.15, 4, 53, 0.15, 4) + box(48.85, 5.15, 4, 53, 0.15, 4) +
                          box(-4, 0, 4, 0.15, 5.15, 4)),
      .assets =
          R"(<mesh name="ridge" vertex="0.3 5 0 0.3 -5 0 5.3 5 1.75 5.3 -5 1.75 10.3 5 0 10.3 -5 0"/>)"};
}

class Stair final : public RobotTask {
 public:
  Stair(std::string_view name, const Scene& scene) : RobotTask(name, scene) {}

 private:
  Outcome score() override {
    // High above both feet, wherever the ground is.
    const double stretched = tolerance(head() - left_foot()[2], 1.2, kInfinity, 0.45) *
                             tolerance(head() - right_foot()[2], 1.2, kInfinity, 0.45);
    return {.reward = stretched * straight(0.5) * small_control() * moving(1),
            .terminated = upright() < 0.1};
  }
};

}  // namespace

std::unique_ptr<Task> make_stair(std::string_view name) {
  return std::make_unique<Stair>(name, task_of(name) == "slide" ? slopes() : stairs());
}

}  // namespace mneme::envs::hb
