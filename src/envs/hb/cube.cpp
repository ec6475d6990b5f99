// envs/hb/cube.cpp - a small cube on each hand: turn both as the one in the air is turned.
#include <cmath>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

Scene cubes() {
  const std::string cube = box(0, 0, 0, 0.025, 0.025, 0.025, R"(density="500")");
  return {.bodies = loose("left_cube", cube) + loose("right_cube", cube),
          .objects = numbers({0.45, 0.21, 1.125, 1, 0, 0, 0, 0.45, -0.21, 1.125, 1, 0, 0, 0}),
          .marks =
              R"(<body name="target" mocap="true" pos="0.5 0 1.5">
                   <geom type="box" size="0.025 0.025 0.025" contype="0" conaffinity="0" material="goal"/></body>)"};
}

// Of three angles, each anything: not the uniform distribution of rotations.
void draw_rotation(Rng& rng, double* quaternion) {
  double c[3], s[3];
  for (int i = 0; i < 3; ++i) {
    const double half = uniform(rng, -3.14, 3.14) / 2;
    c[i] = std::cos(half);
    s[i] = std::sin(half);
  }
  quaternion[0] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
  quaternion[1] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
  quaternion[2] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
  quaternion[3] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
}

class Cube final : public RobotTask {
 public:
  explicit Cube(std::string_view name)
      : RobotTask(name, cubes()),
        left_(sim().names().body(named("left_cube", "left_cube_to_rotate"))),
        right_(sim().names().body(named("right_cube", "right_cube_to_rotate"))),
        target_(sim().names().body("target")),
        left_place_(sim().names().qpos(named("free_left_cube", "free_left_cube_to_rotate"))),
        right_place_(sim().names().qpos(named("free_right_cube", "free_right_cube_to_rotate"))) {}

  void observe(std::span<double> out) const override {
    Put(out).all(d()->qpos, m()->nq).all(d()->qvel, m()->nv).all(rotation(target_), 4);
  }

 private:
  double noise() const override { return 0; }

  void begin(Rng& rng) override {
    draw_rotation(rng, sim().d()->qpos + left_place_ + 3);
    draw_rotation(rng, sim().d()->qpos + right_place_ + 3);
    draw_rotation(rng, sim().d()->mocap_quat);
  }

  const double* rotation(int body) const { return d()->xquat + 4 * body; }

  // Number by number: q and -q, which are the same rotation, count as far apart.
  double aligned(int cube) const {
    double squared = 0;
    for (int i = 0; i < 4; ++i) {
      const double off = rotation(cube)[i] - rotation(target_)[i];
      squared += off * off;
    }
    return tolerance(std::sqrt(squared), 0, 0, 0.3);
  }

  double held(int cube, const double* hand) const {
    return tolerance(distance(hand, sim().xpos(cube)), 0, 0.1, 0.5);
  }

  Outcome score() override {
    return {.reward = 0.2 * small_control() * standing() * still() +
                      0.5 * (aligned(left_) + aligned(right_)) / 2 +
                      0.3 * (held(left_, left_hand()) + held(right_, right_hand())) / 2,
            .terminated =
                d()->qpos[2] < 0.58 || sim().xpos(left_)[2] < 0.6 || sim().xpos(right_)[2] < 0.6};
  }

  int left_, right_, target_, left_place_, right_place_;
};

}  // namespace

std::unique_ptr<Task> make_cube(std::string_view name) { return std::make_unique<Cube>(name); }

}  // namespace mneme::envs::hb
