// envs/hb/basketball.cpp - catch a ball that comes flying, throw it into the hoop.
#include <algorithm>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

// Angles in this model are radians: the eighth of a turn of the hoop's corner pieces is written so.
// The original writes 45 there under radians as well, which is 45 - 14 pi = 1.0177; kept.
constexpr const char* kObjects = R"(
  <body pos="5.8198 0 2.25">
    <geom class="fixed" pos=".25 0 -.2" size=".01 .2 .2"/>
    <geom class="fixed" pos=".2 .2 -.2" size=".15 .01 .2" euler="0 0 -45"/>
    <geom class="fixed" pos=".2 -.2 -.2" size=".15 .01 .2" euler="0 0 45"/>
    <geom class="fixed" pos="-.3 0 -.2" size=".01 .2 .2"/>
    <geom class="fixed" pos="-.25 .2 -.2" size=".15 .01 .2" euler="0 0 45"/>
    <geom class="fixed" pos="-.25 -.2 -.2" size=".15 .01 .2" euler="0 0 -45"/>
    <geom class="fixed" pos="-.05 .25 -.2" size=".2 .01 .2"/>
    <geom class="fixed" pos="-.05 -.25 -.2" size=".2 .01 .2"/>
    <geom class="fixed" pos=".27 0 .3" size=".01 .55 .35"/>
    <geom class="fixed" type="cylinder" pos=".6 0 -1.25" size=".05 1"/>
    <geom class="fixed" pos=".9 0 -2.17" size=".35 .25 .08"/>
  </body>
  <body name="ball" pos=".35 .9 2"><freejoint/><geom class="thing" name="ball" type="sphere" size=".1193" density="35"/></body>)";

class Basketball final : public RobotTask {
 public:
  Basketball()
      : RobotTask(h1_scene("", kObjects)),
        ball_(sim().names().body("ball")),
        ball_geom_(sim().names().geom("ball")) {}

 private:
  void pose() override { own_[0] = 0; }
  void randomize(Rng& rng) override {
    const double angle = rng.uniform() * 1.45 * (rng.uniform() < 0.5 ? 1 : -1);
    double *at = sim().d()->qpos + kRobotQpos, *v = sim().d()->qvel + kRobotQvel;
    v[0] = -7.5 * std::cos(angle);
    v[1] = -7.5 * std::sin(angle);
    at[0] = 1.5 * std::cos(angle);
    at[1] = 1.5 * std::sin(angle);
    at[2] = 0.3924 + left_hand()[2];
    forward();
  }
  double to_hoop() const {
    constexpr double kHoop[3] = {5.9, 0, 2.25};
    return hand_distance(sim().xpos(ball_), kHoop);
  }
  double reward() override {
    if (any_contact([this](int a, int b) { return a == ball_geom_ || b == ball_geom_; }))
      own_[0] = 1;  // from now on it is to be thrown
    const double* ball = sim().xpos(ball_);
    const double held = tolerance(
        std::max(hand_distance(left_hand(), ball), hand_distance(right_hand(), ball)), 0, 0.2, 1);
    const double stand = stable() * small_control();
    const double scored = to_hoop() < 0.05 ? 1000 : 0;
    if (own_[0] == 0) return 0.5 * stand + 0.5 * held + scored;
    return 0.15 * stand + 0.05 * held + 0.8 * tolerance(to_hoop(), 0, 0, 7, Shape::linear) + scored;
  }
  bool terminated() const override {
    return d()->qpos[kRobotQpos + 2] < 0.5 || d()->qpos[2] < 0.5 || to_hoop() < 0.05;
  }
  bool succeeded() const override { return to_hoop() < 0.05; }
  std::span<double> own_numbers() override { return own_; }

  int ball_, ball_geom_;
  double own_[1] = {};  // 0: catch, 1: throw
};

}  // namespace

std::unique_ptr<Task> make_basketball(std::string_view) { return std::make_unique<Basketball>(); }

}  // namespace mneme::envs::hb
