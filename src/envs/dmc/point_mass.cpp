// envs/dmc/point_mass.cpp - a weight on two slides, to be brought to the middle.
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text() {
  return scene(R"(
  <option timestep=".02"><flag contact="disable"/></option>
  <default>
    <joint type="slide" limited="true" range="-.29 .29" damping="1"/>
    <motor gear=".1" ctrllimited="true" ctrlrange="-1 1"/>
  </default>)",
               R"(
    <geom type="plane" size=".3 .3 .1" material="ground"/>
    <geom type="sphere" pos="0 0 .01" size=".015" material="goal"/>
    <body pos="0 0 .01">
      <joint name="x" axis="1 0 0"/>
      <joint name="y" axis="0 1 0"/>
      <geom type="sphere" size=".01" mass=".3" material="body"/>
    </body>)",
               R"(<actuator><motor joint="x"/><motor joint="y"/></actuator>)");
}

class PointMass final : public Domain {
 public:
  PointMass() : Domain(Model::from_xml(model_text()), 1, {{"position", 2}, {"velocity", 2}}) {}

  void observe(std::span<double> out) const override {
    Put(out).all(d()->qpos, 2).all(d()->qvel, 2);
  }

 private:
  void initialize(Rng& rng) override { randomize_joints(rng); }
  double reward() const override {
    const double distance = std::hypot(d()->qpos[0], d()->qpos[1]);
    return tolerance(distance, 0, 0.015, 0.015) * small_control();
  }
};

}  // namespace

std::unique_ptr<Task> make_point_mass(std::string_view) { return std::make_unique<PointMass>(); }

}  // namespace mneme::envs::dmc
