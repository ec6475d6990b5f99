// envs/dmc/cartpole.cpp - a cart on a rail with one, two or three poles: balance them, or swing
// them up first.
#include "base/text.h"
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text(int poles) {
  std::string chain, end;
  for (int i = 1; i <= poles; ++i) {
    chain += concat(R"(<body name="pole_)", i, R"(" pos="0 0 )", i == 1 ? 0 : 1,
                    R"(" childclass="pole">)", R"(<joint name="hinge_)", i, R"("/><geom/>)");
    end += "</body>";
  }
  return scene(
      R"(
  <option timestep=".01" integrator="RK4"><flag contact="disable"/></option>
  <default>
    <default class="pole">
      <joint type="hinge" axis="0 1 0" damping="2e-6"/>
      <geom type="capsule" fromto="0 0 0 0 0 1" size=".045" mass=".1" material="body"/>
    </default>
  </default>)",
      concat(R"(
    <geom type="plane" size="4 4 .2" pos="0 0 )",
             poles == 1 ? -0.05 : 0.95 - poles, R"(" material="ground"/>
    <geom type="capsule" pos="0 .07 1" zaxis="1 0 0" size=".02 2" material="prop"/>
    <geom type="capsule" pos="0 -.07 1" zaxis="1 0 0" size=".02 2" material="prop"/>
    <body name="cart" pos="0 0 1">
      <joint name="slider" type="slide" axis="1 0 0" limited="true" range="-1.8 1.8" solreflimit=".08 1" damping="5e-4"/>
      <geom type="box" size=".2 .15 .1" mass="1" material="body"/>)",
             chain, end, "</body>"),
      R"(<actuator><motor joint="slider" gear="10" ctrllimited="true" ctrlrange="-1 1"/></actuator>)");
}

class Cartpole final : public Domain {
 public:
  Cartpole(int poles, bool swing_up, bool sparse)
      : Domain(Model::from_xml(model_text(poles)), 1,
               {{"position", 1 + 2 * poles}, {"velocity", 1 + poles}}),
        poles_(poles),
        swing_up_(swing_up),
        sparse_(sparse),
        first_pole_(sim().names().body("pole_1")) {}

  void observe(std::span<double> out) const override {
    Put put(out);
    put.one(d()->qpos[0]);
    for (int i = 0; i < poles_; ++i) {
      const double* pole = sim().xmat(first_pole_ + i);
      put.one(pole[8]).one(pole[2]);
    }
    put.all(d()->qvel, 1 + poles_);
  }

 private:
  void initialize(Rng& rng) override {
    double* q = sim().d()->qpos;
    if (swing_up_) {
      q[0] = 0.01 * normal(rng);
      q[1] = std::numbers::pi + 0.01 * normal(rng);
      for (int i = 2; i <= poles_; ++i) q[i] = 0.1 * normal(rng);
    } else {
      q[0] = uniform(rng, -0.1, 0.1);
      for (int i = 1; i <= poles_; ++i) q[i] = uniform(rng, -0.034, 0.034);
    }
    for (int i = 0; i <= poles_; ++i) sim().d()->qvel[i] = 0.01 * normal(rng);
  }

  double reward() const override {
    const double x = d()->qpos[0];
    if (sparse_) {
      double inside = tolerance(x, -0.25, 0.25);
      for (int i = 0; i < poles_; ++i)
        inside *= tolerance(sim().xmat(first_pole_ + i)[8], 0.995, 1);
      return inside;
    }
    double upright = 0, slow = 1;
    for (int i = 0; i < poles_; ++i) {
      upright += (sim().xmat(first_pole_ + i)[8] + 1) / 2 / poles_;
      slow = std::min(slow, tolerance(d()->qvel[1 + i], 0, 0, 5));
    }
    return upright * small_control() * (1 + slow) / 2 * (1 + tolerance(x, 0, 0, 2)) / 2;
  }

  int poles_;
  bool swing_up_, sparse_;
  int first_pole_;
};

}  // namespace

std::unique_ptr<Task> make_cartpole(std::string_view name) {
  const std::string_view variant = variant_of(name);
  const int poles = variant == "two_poles" ? 2 : variant == "three_poles" ? 3 : 1;
  const bool balance = variant == "balance" || variant == "balance_sparse";
  const bool sparse = variant == "balance_sparse" || variant == "swingup_sparse";
  return std::make_unique<Cartpole>(poles, !balance, sparse);
}

}  // namespace mneme::envs::dmc
