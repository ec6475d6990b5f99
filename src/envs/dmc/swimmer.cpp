// envs/dmc/swimmer.cpp - a chain of 6 or 15 links in thick fluid, nose to a target.
#include "base/text.h"
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text(int links) {
  const double bend = 360.0 / links;
  std::string chain, end, motors, sensors = R"(<velocimeter site="head"/><gyro site="head"/>)";
  for (int i = 1; i < links; ++i) {
    chain += concat(R"(<body pos="0 .1 0"><joint name="joint_)", i, R"(" range=")",
                    shortest_number(-bend), ' ', shortest_number(bend), R"("/><site name="site_)",
                    i, R"("/><geom class="weight"/><geom class="looks"/>)");
    end += "</body>";
    motors += concat(R"(<motor joint="joint_)", i, R"("/>)");
    sensors += concat(R"(<velocimeter site="site_)", i, R"("/><gyro site="site_)", i, R"("/>)");
  }
  return scene(R"(
  <option timestep=".002" density="3000"><flag contact="disable"/></option>
  <default>
    <default class="swimmer">
      <joint type="hinge" pos="0 -.05 0" axis="0 0 1" limited="true" solreflimit=".05 1" solimplimit="0 .8 .1" armature="1e-6"/>
      <default class="weight"><geom type="box" size=".001 .05 .01" mass=".01" group="4"/></default>
      <default class="looks"><geom type="capsule" fromto="0 -.05 0 0 .05 0" size=".01" mass="0" material="body"/></default>
      <site size=".01" group="4"/>
    </default>
    <default class="root"><joint limited="false"/></default>
    <motor gear="5e-4" ctrllimited="true" ctrlrange="-1 1"/>
  </default>)",
               concat(R"(
    <geom type="plane" size="2 2 .1" material="ground"/>
    <body name="target" mocap="true" pos="1 1 .05"><geom type="sphere" size=".1" material="goal"/></body>
    <body name="head" pos="0 0 .05" childclass="swimmer">
      <joint class="root" type="slide" axis="1 0 0" pos="0 -.05 0"/>
      <joint class="root" type="slide" axis="0 1 0" pos="0 -.05 0"/>
      <joint class="root" type="hinge" axis="0 0 1" pos="0 -.05 0"/>
      <geom type="ellipsoid" size=".02 .04 .017" pos="0 -.022 0" mass="0" material="body"/>
      <geom name="nose" type="sphere" size=".004" pos="0 -.06 0" mass="0" material="tip"/>
      <geom class="weight"/><geom class="looks"/>
      <site name="head"/>)",
                      chain, end, "</body>"),
               concat("<sensor>", sensors, "</sensor><actuator>", motors, "</actuator>"));
}

class Swimmer final : public Domain {
 public:
  explicit Swimmer(int links)
      : Domain(Model::from_xml(model_text(links)), 15,
               {{"joints", links - 1}, {"to_target", 2}, {"body_velocities", 3 * links}}),
        links_(links),
        head_(sim().names().body("head")),
        nose_(sim().names().geom("nose")) {}

  void observe(std::span<double> out) const override {
    double target[3];
    to_target(target);
    Put put(out);
    put.all(d()->qpos + 3, links_ - 1).all(target, 2);
    for (int i = 0; i < links_; ++i) {  // of each link: forward, sideways, turning
      const double* sensor = d()->sensordata + 6 * i;
      put.one(sensor[0]).one(sensor[1]).one(sensor[5]);
    }
  }

 private:
  void initialize(Rng& rng) override {
    randomize_joints(rng);
    const double box = rng.uniform() < 0.2 ? 0.3 : 2;  // one target in five is close
    sim().d()->mocap_pos[0] = uniform(rng, -box, box);
    sim().d()->mocap_pos[1] = uniform(rng, -box, box);
  }
  double reward() const override {
    double target[3];
    to_target(target);
    return tolerance(std::hypot(target[0], target[1]), 0, 0.1, 0.5, Shape::long_tail);
  }
  void to_target(double* out) const {
    double v[3];
    mju_sub3(v, d()->mocap_pos, sim().geom_xpos(nose_));
    mju_mulMatTVec3(out, sim().xmat(head_), v);
  }

  int links_, head_, nose_;
};

}  // namespace

std::unique_ptr<Task> make_swimmer(std::string_view name) {
  return std::make_unique<Swimmer>(variant_of(name) == "swimmer15" ? 15 : 6);
}

}  // namespace mneme::envs::dmc
