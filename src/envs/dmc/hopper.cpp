// envs/dmc/hopper.cpp - one leg: stand, hop; backwards and flips in BRC's tasks.
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text() {
  return scene(R"(
  <option timestep=".005"/>
  <default>
    <motor ctrllimited="true" ctrlrange="-1 1"/>
    <default class="limb">
      <joint type="hinge" axis="0 1 0" limited="true" damping=".05" armature=".2"/>
      <geom type="capsule" material="body"/>
    </default>
    <default class="root"><joint limited="false"/></default>
  </default>)",
               R"(
    <geom type="plane" size="50 2 .2" pos="48 0 0" material="ground"/>
    <body name="torso" pos="0 0 1" childclass="limb">
      <joint class="root" type="slide" axis="1 0 0"/>
      <joint class="root" type="slide" axis="0 0 1"/>
      <joint class="root" type="hinge" axis="0 1 0"/>
      <geom fromto="0 0 -.05 0 0 .2" size=".0653"/>
      <geom fromto=".08 0 .13 .15 0 .14" size=".03"/>
      <body pos="0 0 -.05">
        <joint name="waist" range="-30 30"/>
        <geom fromto="0 0 0 0 0 -.15" size=".065"/>
        <body pos="0 0 -.2">
          <joint name="hip" range="-170 10"/>
          <geom fromto="0 0 0 0 0 -.33" size=".04"/>
          <body pos="0 0 -.33">
            <joint name="knee" range="5 150"/>
            <geom fromto="0 0 0 0 0 -.32" size=".03"/>
            <body name="foot" pos="0 0 -.32">
              <joint name="ankle" range="-45 45"/>
              <geom fromto="-.08 0 0 .17 0 0" size=".04"/>
              <site name="toe" pos=".17 0 0" size=".05" group="4"/>
              <site name="heel" pos="-.08 0 0" size=".05" group="4"/>
            </body>
          </body>
        </body>
      </body>
    </body>)",
               R"(
  <sensor>
    <subtreelinvel body="torso"/><touch site="toe"/><touch site="heel"/>
  </sensor>
  <actuator>
    <motor joint="waist" gear="30"/><motor joint="hip" gear="40"/>
    <motor joint="knee" gear="30"/><motor joint="ankle" gear="10"/>
  </actuator>)");
}

class Hopper final : public Domain {
 public:
  using Reward = double (Hopper::*)() const;

  explicit Hopper(Reward formula)
      : Domain(Model::from_xml(model_text()), 4, {{"position", 6}, {"velocity", 7}, {"touch", 2}}),
        reward_(formula),
        torso_(sim().names().body("torso")),
        foot_(sim().names().body("foot")) {}

  void observe(std::span<double> out) const override {
    Put(out)
        .all(d()->qpos + 1, 6)
        .all(d()->qvel, 7)
        .one(std::log1p(d()->sensordata[3]))
        .one(std::log1p(d()->sensordata[4]));
  }

  double stand() const { return standing() * small_control(); }
  double hop() const {
    return standing() * tolerance(speed(), 2, kInfinity, 1, Shape::linear, 0.5);
  }
  double hop_backwards() const {
    return standing() * tolerance(speed(), -kInfinity, -1, 0.5, Shape::linear, 0.5);
  }
  double flip() const { return linear_to_zero(spin(), 5, kInfinity, 2.5); }
  double flip_backwards() const { return linear_to_zero(-spin(), 5, kInfinity, 2.5); }

 private:
  void initialize(Rng& rng) override { randomize_joints(rng); }
  double reward() const override { return (this->*reward_)(); }

  double speed() const { return d()->sensordata[0]; }
  double spin() const { return d()->subtree_angmom[3 * torso_ + 1]; }
  // Center of mass of the torso over that of the foot.
  double standing() const {
    return tolerance(d()->xipos[3 * torso_ + 2] - d()->xipos[3 * foot_ + 2], 0.6, 2);
  }

  Reward reward_;
  int torso_, foot_;
};

}  // namespace

std::unique_ptr<Task> make_hopper(std::string_view name) {
  static constexpr std::pair<std::string_view, Hopper::Reward> kRewards[] = {
      {"stand", &Hopper::stand},
      {"hop", &Hopper::hop},
      {"hop_backwards", &Hopper::hop_backwards},
      {"flip", &Hopper::flip},
      {"flip_backwards", &Hopper::flip_backwards}};
  return std::make_unique<Hopper>(pick(kRewards, variant_of(name)));
}

}  // namespace mneme::envs::dmc
