// envs/hb/basketball.cpp - catch a ball that comes flying, throw it into the hoop.
#include <algorithm>
#include <cmath>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr double kHoop[3] = {5.9, 0, 2.25};

Scene court() {
  // The corners of the ring are turned by 45 radians (58 degrees), as in the suite.
  constexpr std::string_view kTurned = R"(euler="0 0 45")", kBack = R"(euler="0 0 -45")";
  const std::string ring =
      box(0.25, 0, -0.2, 0.01, 0.2, 0.2) + box(-0.3, 0, -0.2, 0.01, 0.2, 0.2) +
      box(0.2, 0.2, -0.2, 0.15, 0.01, 0.2, kBack) + box(0.2, -0.2, -0.2, 0.15, 0.01, 0.2, kTurned) +
      box(-0.25, 0.2, -0.2, 0.15, 0.01, 0.2, kTurned) +
      box(-0.25, -0.2, -0.2, 0.15, 0.01, 0.2, kBack) + box(-0.05, 0.25, -0.2, 0.2, 0.01, 0.2) +
      box(-0.05, -0.25, -0.2, 0.2, 0.01, 0.2);
  const std::string stand = box(0.27, 0, 0.3, 0.01, 0.55, 0.35) + cylinder(0.6, 0, -1.25, 0.05, 1) +
                            box(0.9, 0, -2.17, 0.35, 0.25, 0.08);
  return {.bodies = fixed("hoop", 5.8198, 0, 2.25, ring + stand) +
                    loose("ball", sphere(0, 0, 0, 0.1193, R"(density="35")")),
          .objects = numbers({0.35, 0.9, 2, 1, 0, 0, 0})};
}

class Basketball final : public RobotTask {
 public:
  explicit Basketball(std::string_view name)
      : RobotTask(name, court(), Success::by_task),
        ball_(sim().names().body(named("ball", "basketball"))),
        place_(sim().names().qpos(named("free_ball", "free_basketball"))),
        motion_(sim().names().qvel(named("free_ball", "free_basketball"))) {}

 private:
  std::span<double> own_numbers() override { return {&throwing_, 1}; }
  void restart(bool) override { throwing_ = 0; }

  void begin(Rng& rng) override {
    const double turn = rng.uniform() * 1.45;
    const double angle = rng.uniform() < 0.5 ? turn : -turn;
    double* place = sim().d()->qpos + place_;
    double* motion = sim().d()->qvel + motion_;
    place[0] = 1.5 * std::cos(angle);
    place[1] = 1.5 * std::sin(angle);
    place[2] = 0.3924 + left_hand()[2];
    motion[0] = -7.5 * std::cos(angle);
    motion[1] = -7.5 * std::sin(angle);
  }

  Outcome score() override {
    const double* ball = sim().xpos(ball_);
    const double hands =
        tolerance(std::max(distance(left_hand(), ball), distance(right_hand(), ball)), 0, 0.2, 1);
    const double left = distance(ball, kHoop);
    const bool in = left < 0.05;
    // Whatever the ball touches first counts as a catch, the floor too.
    if (touched(ball_)) throwing_ = 1;
    const double posture = standing() * small_control();
    const double reward = throwing_ == 0 ? 0.5 * posture + 0.5 * hands
                                         : 0.15 * posture + 0.05 * hands +
                                               0.8 * tolerance(left, 0, 0, 7, Shape::linear);
    return {.reward = reward + (in ? 1000 : 0),
            .terminated = d()->qpos[place_ + 2] < 0.5 || d()->qpos[2] < 0.5 || in,
            .success = in};
  }

  int ball_, place_, motion_;
  double throwing_ = 0;  // 0: to be caught, 1: to be thrown
};

}  // namespace

std::unique_ptr<Task> make_basketball(std::string_view name) {
  return std::make_unique<Basketball>(name);
}

}  // namespace mneme::envs::hb
