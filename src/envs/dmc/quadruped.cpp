// envs/dmc/quadruped.cpp - four legs with tendons across their joints: walk, run.
#include <algorithm>

#include "base/text.h"
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

struct Leg {
  const char* name;
  const char* at;
  int yaw;  // degrees
};
// The order of joints, tendons, actuators and sensors.
constexpr Leg kLegs[] = {{"front_left", ".2 .2 0", 45},
                         {"front_right", ".2 -.2 0", -45},
                         {"back_right", "-.2 -.2 0", -135},
                         {"back_left", "-.2 .2 0", 135}};

std::string model_text() {
  std::string legs, couplings, drives, equalities, actuators, forces, torques;
  for (const Leg& leg : kLegs) {
    const std::string n = leg.name;
    legs += concat(R"(
      <body pos=")",
                   leg.at, R"(" euler="0 0 )", leg.yaw, R"(">
        <joint name="yaw_)",
                   n, R"(" axis="0 0 1" range="-50 50"/>
        <joint name="pitch_)",
                   n, R"(" axis="0 1 0" range="-20 60"/>
        <geom fromto="0 0 0 .3 0 .11"/>
        <body pos=".3 0 .11">
          <joint name="knee_)",
                   n, R"(" axis="0 1 0" range="-60 50"/>
          <geom fromto="0 0 0 .25 0 -.25" size=".065"/>
          <body pos=".25 0 -.25">
            <joint name="ankle_)",
                   n, R"(" axis="0 1 0" range="-45 55"/>
            <geom fromto="0 0 0 0 0 -.25" size=".055"/>
            <body pos="0 0 -.3">
              <geom type="sphere" size=".08" friction="1.5" material="tip"/>
              <site name="toe_)",
                   n, R"(" size=".084" group="4"/>
            </body>
          </body>
        </body>
      </body>)");
    const auto joint = [&](const char* part, const char* weight) {
      return concat(R"(<joint joint=")", part, '_', n, R"(" coef=")", weight, R"("/>)");
    };
    couplings += concat(R"(<fixed name="couple_)", n, R"(">)", joint("pitch", ".333"),
                        joint("knee", ".333"), joint("ankle", ".333"), "</fixed>");
    drives += concat(R"(<fixed name="extend_)", n, R"(">)", joint("pitch", ".25"),
                     joint("knee", "-.5"), joint("ankle", ".25"), R"(</fixed><fixed name="lift_)",
                     n, R"(">)", joint("pitch", ".5"), joint("ankle", "-.5"), "</fixed>");
    equalities +=
        concat(R"(<tendon tendon1="couple_)", n, R"(" solimp=".95 .99 .01" solref=".005 .5"/>)");
    actuators +=
        concat(R"(<general joint="yaw_)", n, R"(" ctrlrange="-1 1"/><general tendon="lift_)", n,
               R"(" ctrlrange="-1 1.1"/><general tendon="extend_)", n, R"(" ctrlrange="-.8 .8"/>)");
    forces += concat(R"(<force site="toe_)", n, R"("/>)");
    torques += concat(R"(<torque site="toe_)", n, R"("/>)");
  }
  return scene(R"(
  <option timestep=".005"/>
  <default>
    <geom solimp=".9 .99 .003" solref=".01 1"/>
    <general ctrllimited="true" dyntype="filter" dynprm=".1" gainprm="1000" biastype="affine" biasprm="0 -1000"/>
    <default class="limb">
      <geom type="capsule" size=".08" condim="1" density="500" material="body"/>
      <joint type="hinge" damping="30" armature=".01" limited="true" solimplimit="0 .99 .01"/>
    </default>
  </default>)",
               concat(R"(
    <geom type="plane" size="100 100 .5" material="ground"/>
    <body name="torso" pos="0 0 .57" childclass="limb">
      <freejoint/>
      <geom type="cylinder" size=".05" fromto=".1 -.07 .12 .31 -.07 .08" mass="0"/>
      <geom type="cylinder" size=".05" fromto=".1 .07 .12 .31 .07 .08" mass="0"/>
      <geom type="ellipsoid" size=".3 .27 .2" density="1000"/>
      <site name="torso" size=".05"/>)",
                      legs, "</body>"),
               concat("<tendon>", couplings, drives, "</tendon><equality>", equalities,
                      "</equality><actuator>", actuators,
                      R"(</actuator><sensor><accelerometer site="torso"/><gyro site="torso"/>)",
                      R"(<velocimeter site="torso"/>)", forces, torques, "</sensor>"));
}

class Quadruped final : public Domain {
 public:
  explicit Quadruped(double speed)
      : Domain(Model::from_xml(model_text()), 4,
               {{"egocentric_state", 44},
                {"torso_velocity", 3},
                {"torso_upright", 1},
                {"imu", 6},
                {"force_torque", 24}}),
        speed_(speed),
        torso_(sim().names().body("torso")) {}

  void observe(std::span<double> out) const override {
    const double* sensor = d()->sensordata;
    Put put(out);
    put.all(d()->qpos + 7, 16).all(d()->qvel + 6, 16).all(d()->act, 12);
    put.all(sensor + 6, 3).one(sim().xmat(torso_)[8]).all(sensor, 6);
    for (int i = 9; i < 33; ++i) put.one(std::asinh(sensor[i]));
  }

 private:
  // Any orientation, as low as it can be without touching the ground or itself.
  void initialize(Rng& rng) override {
    double rotation[4];
    random_quaternion(rng, rotation);
    for (int centimetres = 0; centimetres <= 10000; ++centimetres) {
      sim().clear();
      sim().settle();
      double* root = sim().d()->qpos;
      root[0] = root[1] = 0;
      root[2] = 0.01 * centimetres;
      std::copy_n(rotation, 4, root + 3);
      sim().settle();
      sim().forget_warnings();  // deep in the floor the contacts may not all fit
      if (d()->ncon == 0) return;
    }
    throw Error("quadruped: no height without contact");
  }
  double reward() const override {
    const double upright = linear_to_zero(sim().xmat(torso_)[8], 1, kInfinity, 2);
    return upright * tolerance(d()->sensordata[6], speed_, kInfinity, speed_, Shape::linear, 0.5);
  }

  double speed_;
  int torso_;
};

}  // namespace

std::unique_ptr<Task> make_quadruped(std::string_view name) {
  return std::make_unique<Quadruped>(variant_of(name) == "run" ? 5 : 0.5);
}

}  // namespace mneme::envs::dmc
