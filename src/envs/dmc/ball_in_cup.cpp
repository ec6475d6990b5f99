// envs/dmc/ball_in_cup.cpp - a ball on a string under a cup: catch it, or swing it round (BRC's
// task).
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text() {
  return scene(R"(
  <default>
    <motor ctrllimited="true" ctrlrange="-1 1" gear="5"/>
    <default class="cup">
      <joint type="slide" damping="3" stiffness="20"/>
      <geom type="capsule" size=".008" material="body"/>
    </default>
  </default>)",
               R"(
    <geom type="plane" size=".6 .2 10" material="ground"/>
    <body pos="0 0 .6" childclass="cup">
      <joint name="x" axis="1 0 0"/>
      <joint name="z" axis="0 0 1"/>
      <geom fromto="-.05 0 0 -.05 0 -.075"/>
      <geom fromto="-.05 0 -.075 -.025 0 -.1"/>
      <geom fromto="-.025 0 -.1 .025 0 -.1"/>
      <geom fromto=".025 0 -.1 .05 0 -.075"/>
      <geom fromto=".05 0 -.075 .05 0 0"/>
      <site name="cup" pos="0 0 -.108" size=".005"/>
      <site name="target" type="box" pos="0 0 -.05" size=".05 .006 .05" group="4"/>
    </body>
    <body name="ball" pos="0 0 .2">
      <joint type="slide" axis="1 0 0"/>
      <joint type="slide" axis="0 0 1"/>
      <geom type="sphere" size=".025" material="tip"/>
      <site name="ball" size=".005"/>
    </body>)",
               R"(
  <tendon>
    <spatial limited="true" range="0 .3" width=".003"><site site="ball"/><site site="cup"/></spatial>
  </tendon>
  <actuator><motor joint="x"/><motor joint="z"/></actuator>)");
}

class BallInCup final : public Domain {
 public:
  explicit BallInCup(bool spin)
      : Domain(Model::from_xml(model_text()), 10, {{"position", 4}, {"velocity", 4}}),
        spin_(spin),
        ball_(sim().names().body("ball")),
        target_(sim().names().site("target")) {}

  void observe(std::span<double> out) const override {
    Put(out).all(d()->qpos, 4).all(d()->qvel, 4);
  }

 private:
  void initialize(Rng& rng) override {
    // To spin, nine episodes of ten begin with the ball in the cup.
    const bool anywhere = !spin_ || rng.uniform() < 0.1;
    for (;;) {
      sim().d()->qpos[2] = uniform(rng, -0.2, 0.2);
      sim().d()->qpos[3] = uniform(rng, 0.2, 0.5);
      sim().settle();
      if (d()->ncon == 0 && (anywhere || caught())) return;
    }
  }
  double reward() const override {
    if (!spin_) return caught() ? 1 : 0;
    if (caught()) return 0;
    const double speed = std::hypot(d()->qvel[2], d()->qvel[3]);
    return (tolerance(std::hypot(dx(), dz()), 0.5, kInfinity, 0.25, Shape::linear, 0.5) +
            2 * tolerance(speed, 6, kInfinity, 3, Shape::linear, 0.5)) /
           3;
  }
  double dx() const { return sim().site_xpos(target_)[0] - sim().xpos(ball_)[0]; }
  double dz() const { return sim().site_xpos(target_)[2] - sim().xpos(ball_)[2]; }
  bool caught() const {
    constexpr double kRoom = 0.05 - 0.025;  // half the target less the ball's radius
    return std::abs(dx()) < kRoom && std::abs(dz()) < kRoom;
  }

  bool spin_;
  int ball_, target_;
};

}  // namespace

std::unique_ptr<Task> make_ball_in_cup(std::string_view name) {
  return std::make_unique<BallInCup>(variant_of(name) == "spin");
}

}  // namespace mneme::envs::dmc
