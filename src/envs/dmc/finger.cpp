// envs/dmc/finger.cpp - a two-joint finger and a body on a hinge: spin it, or turn it to a target.
#include "base/text.h"
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text(bool spin, double target_size) {
  // The target only exists in the turn tasks; it has no body to touch.
  const std::string target =
      spin ? ""
           : concat(R"(<body name="target" mocap="true" pos="0 0 .4"><site type="sphere" size=")",
                    target_size, R"(" material="goal"/></body>)");
  return scene(R"(
  <option timestep=".01" cone="elliptic" iterations="200"><flag gravity="disable"/></option>
  <default>
    <geom solimp="0 .9 .01"/>
    <joint type="hinge" axis="0 -1 0"/>
    <motor ctrllimited="true" ctrlrange="-1 1"/>
    <default class="finger">
      <joint damping="2.5" limited="true" range="-110 110"/>
      <site type="ellipsoid" size=".025 .03 .025" group="4"/>
    </default>
  </default>)",
               concat(R"(
    <geom type="plane" size=".6 .2 10" material="ground"/>
    <body pos="-.2 0 .4" childclass="finger">
      <joint name="proximal" ref="-90"/>
      <geom type="cylinder" fromto="0 -.033 0 0 .033 0" size=".034" material="prop"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.17" size=".03" material="body"/>
      <body pos="0 0 -.18">
        <joint name="distal"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.16" size=".028" contype="0" conaffinity="0" material="body"/>
        <geom type="capsule" fromto="0 0 -.13 0 0 -.161" size=".03" material="tip"/>
        <site name="top" pos=".01 0 -.17"/>
        <site name="bottom" pos="-.01 0 -.17"/>
      </body>
    </body>
    <body name="spinner" pos=".2 0 .4">
      <joint name="hinge" frictionloss=".1" damping=")",
                      spin ? ".03" : ".5", R"("/>
      <geom type="capsule" size=".04 .09" pos=".02 0 0" material="body"/>
      <geom type="capsule" size=".04 .09" pos="-.02 0 0" material="body"/>
      <geom type="cylinder" fromto="0 -.045 0 0 .045 0" size=".02" material="prop"/>
      <site name="tip" size=".02" pos="0 0 .13" material="tip"/>
    </body>)",
                      target),
               R"(
  <sensor><touch site="top"/><touch site="bottom"/></sensor>
  <actuator><motor joint="proximal" gear="30"/><motor joint="distal" gear="15"/></actuator>)");
}

std::vector<ObservationKey> keys_of(bool spin) {
  std::vector<ObservationKey> keys{{"position", 4}, {"velocity", 3}, {"touch", 2}};
  if (!spin) {
    keys.push_back({"target_position", 2});
    keys.push_back({"dist_to_target", 1});
  }
  return keys;
}

class Finger final : public Domain {
 public:
  Finger(bool spin, double target_size)
      : Domain(Model::from_xml(model_text(spin, target_size)), 2, keys_of(spin)),
        spin_(spin),
        target_size_(target_size),
        spinner_(sim().names().body("spinner")),
        tip_(sim().names().site("tip")) {}

  void observe(std::span<double> out) const override {
    const double* q = d()->qpos;
    const double *tip = sim().site_xpos(tip_), *spinner = sim().xpos(spinner_);
    Put put(out);
    put.all(q, 2).one(tip[0] - spinner[0]).one(tip[2] - spinner[2]).all(d()->qvel, 3);
    put.one(std::log1p(d()->sensordata[0])).one(std::log1p(d()->sensordata[1]));
    if (spin_) return;
    const double* target = d()->mocap_pos;
    put.one(target[0] - spinner[0]).one(target[2] - spinner[2]).one(distance());
  }

 private:
  void initialize(Rng& rng) override {
    if (!spin_) {
      constexpr double kRadius = 0.04 + 0.09;  // the reach of the spinner's capsules
      const double angle = uniform(rng, -std::numbers::pi, std::numbers::pi);
      const double* spinner = sim().xpos(spinner_);
      sim().d()->mocap_pos[0] = spinner[0] + kRadius * std::sin(angle);
      sim().d()->mocap_pos[2] = spinner[2] + kRadius * std::cos(angle);
    }
    randomize_without_contact(rng, 1000);
  }
  double reward() const override { return (spin_ ? d()->qvel[2] <= -15 : distance() <= 0) ? 1 : 0; }
  // From the spinner's tip to the target's surface; negative is inside.
  double distance() const {
    const double *tip = sim().site_xpos(tip_), *target = d()->mocap_pos;
    return std::hypot(target[0] - tip[0], target[2] - tip[2]) - target_size_;
  }

  bool spin_;
  double target_size_;
  int spinner_, tip_;
};

}  // namespace

std::unique_ptr<Task> make_finger(std::string_view name) {
  const std::string_view variant = variant_of(name);
  return std::make_unique<Finger>(variant == "spin", variant == "turn_easy" ? 0.07 : 0.03);
}

}  // namespace mneme::envs::dmc
