// envs/dmc/pendulum.cpp - one hinge, one weight: swing it up and hold it, or spin it (BRC's task).
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text() {
  return scene(
      R"(<option timestep=".02"><flag contact="disable"/></option>)",
      R"(
    <geom type="plane" size="2 2 .2" material="ground"/>
    <body name="pole" pos="0 0 .6">
      <joint name="hinge" axis="0 1 0" damping=".1"/>
      <geom type="cylinder" fromto="0 -.03 0 0 .03 0" size=".021" mass="0" material="prop"/>
      <geom type="capsule" fromto="0 0 0 0 0 .5" size=".02" mass="0" material="body"/>
      <geom type="sphere" pos="0 0 .5" size=".05" mass="1" material="tip"/>
    </body>)",
      R"(<actuator><motor joint="hinge" gear="1" ctrllimited="true" ctrlrange="-1 1"/></actuator>)");
}

class Pendulum final : public Domain {
 public:
  explicit Pendulum(bool spin)
      : Domain(Model::from_xml(model_text()), 1, {{"orientation", 2}, {"velocity", 1}}),
        spin_(spin),
        pole_(sim().names().body("pole")) {}

  void observe(std::span<double> out) const override {
    const double* pole = sim().xmat(pole_);
    Put(out).one(pole[8]).one(pole[2]).one(d()->qvel[0]);
  }

 private:
  void initialize(Rng& rng) override {
    sim().d()->qpos[0] = uniform(rng, -std::numbers::pi, std::numbers::pi);
  }
  double reward() const override {
    if (spin_) return tolerance(std::abs(d()->qvel[0]), 9, kInfinity, 4.5, Shape::linear, 0.5);
    static const double kCosine = std::cos(8 * std::numbers::pi / 180);
    return tolerance(sim().xmat(pole_)[8], kCosine, 1);
  }

  bool spin_;
  int pole_;
};

}  // namespace

std::unique_ptr<Task> make_pendulum(std::string_view name) {
  return std::make_unique<Pendulum>(variant_of(name) == "spin");
}

}  // namespace mneme::envs::dmc
