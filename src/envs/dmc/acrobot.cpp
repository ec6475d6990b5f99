// envs/dmc/acrobot.cpp - two links, a motor at the elbow only: bring the tip to the target above.
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text() {
  return scene(
      R"(
  <option timestep=".01" integrator="RK4"><flag constraint="disable"/></option>
  <default><joint type="hinge" axis="0 1 0" damping=".05"/></default>)",
      R"(
    <geom type="plane" size="3 3 .2" material="ground"/>
    <site type="sphere" pos="0 0 4" size=".2" material="goal"/>
    <body name="upper" pos="0 0 2">
      <joint/>
      <geom type="capsule" fromto="0 0 0 0 0 1" size=".05" mass="1" material="body"/>
      <body name="lower" pos="0 0 1">
        <joint name="elbow"/>
        <geom type="capsule" fromto="0 0 0 0 0 1" size=".049" mass="1" material="body"/>
        <site name="tip" pos="0 0 1" size=".01"/>
      </body>
    </body>)",
      R"(<actuator><motor joint="elbow" gear="2" ctrllimited="true" ctrlrange="-1 1"/></actuator>)");
}

class Acrobot final : public Domain {
 public:
  explicit Acrobot(bool sparse)
      : Domain(Model::from_xml(model_text()), 1, {{"orientations", 4}, {"velocity", 2}}),
        sparse_(sparse),
        upper_(sim().names().body("upper")),
        lower_(sim().names().body("lower")),
        tip_(sim().names().site("tip")) {}

  void observe(std::span<double> out) const override {
    const double *upper = sim().xmat(upper_), *lower = sim().xmat(lower_);
    Put(out).one(upper[2]).one(lower[2]).one(upper[8]).one(lower[8]).all(d()->qvel, 2);
  }

 private:
  void initialize(Rng& rng) override {
    for (int i = 0; i < 2; ++i)
      sim().d()->qpos[i] = uniform(rng, -std::numbers::pi, std::numbers::pi);
  }
  double reward() const override {
    const double* tip = sim().site_xpos(tip_);
    return tolerance(std::hypot(tip[0], tip[1], 4 - tip[2]), 0, 0.2, sparse_ ? 0 : 1);
  }

  bool sparse_;
  int upper_, lower_, tip_;
};

}  // namespace

std::unique_ptr<Task> make_acrobot(std::string_view name) {
  return std::make_unique<Acrobot>(variant_of(name) == "swingup_sparse");
}

}  // namespace mneme::envs::dmc
