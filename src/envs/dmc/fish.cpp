// envs/dmc/fish.cpp - a fish in dense water: keep upright, or swim to a target.
#include "base/text.h"
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

// Weightless parts are looks, but for the mouth, whose frame the target is seen in. Constraints are
// switched off, so nothing collides and joint ranges do not act.
std::string model_text() {
  const auto fin = [](const char* side, const char* sign) {
    return concat(R"(
      <body pos=")",
                  sign, R"(.01 0 0">
        <joint name="fin)",
                  side, R"(_roll" axis="0 1 0"/>
        <joint name="fin)",
                  side, R"(_pitch" axis="1 0 0" pos="0 .005 0"/>
        <geom type="ellipsoid" pos=")",
                  sign, R"(.015 0 0" size=".02 .015 .001"/>
      </body>)");
  };
  return scene(R"(
  <option timestep=".004" density="5000"><flag gravity="disable" constraint="disable" contact="disable"/></option>
  <default>
    <default class="fish">
      <joint type="hinge" damping="2e-5"/>
      <geom material="body"/>
    </default>
    <position ctrllimited="true" ctrlrange="-1 1"/>
  </default>)",
               concat(R"(
    <geom type="plane" size=".5 .5 .1" material="ground"/>
    <body name="target" mocap="true" pos="0 .4 .1"><geom type="sphere" size=".04" material="goal"/></body>
    <body name="torso" pos="0 0 .1" childclass="fish">
      <freejoint/>
      <geom name="mouth" type="capsule" fromto="0 .079 0 0 .07 0" size=".005" mass="0" material="tip"/>
      <geom type="ellipsoid" size=".01 .08 .04" mass="0"/>
      <geom type="ellipsoid" size=".001 .03 .015" pos="0 -.03 .03" mass="0" material="tip"/>
      <geom type="box" size=".002 .06 .03" group="4"/>
      <body pos="0 -.09 0">
        <joint name="tail" axis="0 0 1" pos="0 .01 0"/>
        <joint name="tail_twist" axis="0 1 0" pos="0 .01 0"/>
        <geom type="ellipsoid" size=".001 .008 .016"/>
        <body pos="0 -.028 0">
          <joint axis="0 0 1" pos="0 .02 0" stiffness="8e-5"/>
          <geom type="ellipsoid" size=".001 .018 .035"/>
        </body>
      </body>)",
                      fin("right", ""), fin("left", "-"), "</body>"),
               R"(
  <tendon>
    <fixed name="flap"><joint joint="finleft_roll" coef="-.5"/><joint joint="finright_roll" coef=".5"/></fixed>
    <fixed stiffness="1e-4"><joint joint="finleft_roll" coef=".5"/><joint joint="finright_roll" coef=".5"/></fixed>
  </tendon>
  <actuator>
    <position joint="tail" kp="5e-4"/>
    <position joint="tail_twist" kp="1e-4"/>
    <position tendon="flap" kp="3e-4"/>
    <position joint="finleft_pitch" kp="1e-4"/>
    <position joint="finright_pitch" kp="1e-4"/>
  </actuator>)");
}

std::vector<ObservationKey> keys_of(bool swim) {
  if (!swim) return {{"joint_angles", 7}, {"upright", 1}, {"velocity", 13}};
  return {{"joint_angles", 7}, {"upright", 1}, {"target", 3}, {"velocity", 13}};
}

class Fish final : public Domain {
 public:
  explicit Fish(bool swim)
      : Domain(Model::from_xml(model_text()), 10, keys_of(swim)),
        swim_(swim),
        torso_(sim().names().body("torso")),
        mouth_(sim().names().geom("mouth")) {}

  void observe(std::span<double> out) const override {
    Put put(out);
    put.all(d()->qpos + 7, 7).one(upright());
    if (swim_) {
      double target[3];
      to_target(target);
      put.all(target, 3);
    }
    put.all(d()->qvel, 13);
  }

 private:
  void initialize(Rng& rng) override {
    random_quaternion(rng, sim().d()->qpos + 3);
    for (int i = 7; i < 14; ++i) sim().d()->qpos[i] = uniform(rng, -0.2, 0.2);
    if (!swim_) return;
    double* target = sim().d()->mocap_pos;
    target[0] = uniform(rng, -0.4, 0.4);
    target[1] = uniform(rng, -0.4, 0.4);
    target[2] = uniform(rng, 0.1, 0.3);
  }
  double reward() const override {
    if (!swim_) return tolerance(upright(), 1, 1, 1);
    double target[3];
    to_target(target);
    constexpr double kReach = 0.005 + 0.04;  // radii of mouth and target
    const double near =
        tolerance(std::hypot(target[0], target[1], target[2]), 0, kReach, 2 * kReach);
    return (7 * near + 0.5 * (upright() + 1)) / 8;
  }
  double upright() const { return sim().xmat(torso_)[8]; }
  // From the mouth to the target, as the mouth sees it.
  void to_target(double* out) const {
    double v[3];
    mju_sub3(v, d()->mocap_pos, sim().geom_xpos(mouth_));
    mju_mulMatTVec3(out, d()->geom_xmat + 9 * mouth_, v);
  }

  bool swim_;
  int torso_, mouth_;
};

}  // namespace

std::unique_ptr<Task> make_fish(std::string_view name) {
  return std::make_unique<Fish>(variant_of(name) == "swim");
}

}  // namespace mneme::envs::dmc
