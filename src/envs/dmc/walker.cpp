// envs/dmc/walker.cpp - a planar biped: stand, walk, run; backwards and yoga in BRC's tasks.
#include "base/text.h"
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text() {
  const auto leg = [](const char* side, const char* y) {
    return concat(R"(
      <body name=")",
                  side, R"(_thigh" pos="0 )", y, R"( -.3">
        <joint name=")",
                  side, R"(_hip" range="-20 100"/>
        <geom pos="0 0 -.225" size=".05 .225"/>
        <body name=")",
                  side, R"(_leg" pos="0 0 -.7">
          <joint name=")",
                  side, R"(_knee" pos="0 0 .25" range="-150 0"/>
          <geom size=".04 .25"/>
          <body name=")",
                  side, R"(_foot" pos=".06 0 -.25">
            <joint name=")",
                  side, R"(_ankle" pos="-.06 0 0" range="-45 45"/>
            <geom zaxis="1 0 0" size=".05 .1"/>
          </body>
        </body>
      </body>)");
  };
  const auto motors = [](const char* side) {
    return concat(R"(<motor joint=")", side, R"(_hip" gear="100"/><motor joint=")", side,
                  R"(_knee" gear="50"/><motor joint=")", side, R"(_ankle" gear="20"/>)");
  };
  return scene(R"(
  <option timestep=".0025"/>
  <default>
    <geom contype="1" conaffinity="0" friction=".7 .1 .1"/>
    <motor ctrllimited="true" ctrlrange="-1 1"/>
    <default class="limb">
      <geom type="capsule" material="body"/>
      <joint axis="0 -1 0" limited="true" damping=".1" armature=".01" solimplimit="0 .99 .01"/>
    </default>
    <default class="root"><joint limited="false" solimplimit="0 .99 .01"/></default>
  </default>)",
               concat(R"(
    <geom type="plane" conaffinity="1" size="250 2 .2" pos="248 0 0" material="ground"/>
    <body name="torso" pos="0 0 1.3" childclass="limb">
      <joint class="root" type="slide" axis="0 0 1"/>
      <joint class="root" type="slide" axis="1 0 0"/>
      <joint class="root" type="hinge" axis="0 1 0"/>
      <geom size=".07 .3"/>)",
                      leg("right", "-.05"), leg("left", ".05"), "</body>"),
               concat(R"(<sensor><subtreelinvel name="velocity" body="torso"/></sensor><actuator>)",
                      motors("right"), motors("left"), "</actuator>"));
}

constexpr double kRunSpeed = 8, kHigh = 1, kLow = 0.08, kLegsUp = 1.1;

class Walker final : public Domain {
 public:
  using Reward = double (Walker::*)() const;

  explicit Walker(Reward formula)
      : Domain(Model::from_xml(model_text()), 10,
               {{"orientations", 14}, {"height", 1}, {"velocity", 9}}),
        reward_(formula) {}

  void observe(std::span<double> out) const override {
    Put put(out);
    for (int body = 1; body < 8; ++body) put.one(sim().xmat(body)[0]).one(sim().xmat(body)[2]);
    put.one(z(kTorso)).all(d()->qvel, 9);
  }

  double stand() const {
    return (3 * tolerance(z(kTorso), 1.2, kInfinity, 0.6) + (1 + upright()) / 2) / 4;
  }
  double walk() const { return stand() * pace(1); }
  double run() const { return stand() * pace(kRunSpeed); }
  double walk_backwards() const { return stand() * pace(-1); }
  double run_backwards() const { return stand() * pace(-kRunSpeed); }
  double arabesque() const {
    return (3 * tolerance(z(kTorso), kHigh, kInfinity, kHigh / 2) +
            tolerance(z(kLeftFoot), -kInfinity, kLow, kHigh / 2) +
            tolerance(z(kRightFoot), kHigh, kInfinity, kHigh / 2) + (1 - upright()) / 2) /
           6;
  }
  double lie_down() const {
    return (3 * down(z(kTorso)) + down(thighs()) + (1 - upright()) / 2) / 5;
  }
  double legs_up() const {
    return (3 * down(z(kTorso)) + 2 * feet_up() + down(thighs()) + (1 - upright()) / 2) / 7;
  }
  double headstand() const {
    return (3 * feet_up() + 2 * tolerance(thighs(), kHigh, kInfinity, kHigh / 2)) / 5;
  }
  double flip() const { return headstand() * pace(0.75 * kRunSpeed); }
  double backflip() const { return headstand() * pace(-0.75 * kRunSpeed); }

 private:
  // In the order of the model: torso, then thigh, leg, foot of the right and of the left.
  enum Body { kTorso = 1, kRightThigh = 2, kRightFoot = 4, kLeftThigh = 5, kLeftFoot = 7 };

  void initialize(Rng& rng) override { randomize_joints(rng); }
  double reward() const override { return (this->*reward_)(); }

  double z(int body) const { return sim().xpos(body)[2]; }
  double upright() const { return sim().xmat(kTorso)[8]; }
  double thighs() const { return (z(kLeftThigh) + z(kRightThigh)) / 2; }
  double down(double height) const { return tolerance(height, -kInfinity, kLow, kLow / 2); }
  double feet_up() const {
    return tolerance((z(kLeftFoot) + z(kRightFoot)) / 2, kLegsUp, kInfinity, kLegsUp / 2);
  }
  // A sixth for nothing, all of it at the wanted speed; negative means backwards.
  double pace(double wanted) const {
    const double low = wanted > 0 ? wanted : -kInfinity, high = wanted > 0 ? kInfinity : wanted;
    return (5 * tolerance(d()->sensordata[0], low, high, std::abs(wanted) / 2, Shape::linear, 0.5) +
            1) /
           6;
  }

  Reward reward_;
};

}  // namespace

std::unique_ptr<Task> make_walker(std::string_view name) {
  static constexpr std::pair<std::string_view, Walker::Reward> kRewards[] = {
      {"stand", &Walker::stand},
      {"walk", &Walker::walk},
      {"run", &Walker::run},
      {"walk_backwards", &Walker::walk_backwards},
      {"run_backwards", &Walker::run_backwards},
      {"arabesque", &Walker::arabesque},
      {"lie_down", &Walker::lie_down},
      {"legs_up", &Walker::legs_up},
      {"headstand", &Walker::headstand},
      {"flip", &Walker::flip},
      {"backflip", &Walker::backflip}};
  return std::make_unique<Walker>(pick(kRewards, variant_of(name)));
}

}  // namespace mneme::envs::dmc
