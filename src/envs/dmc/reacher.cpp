// envs/dmc/reacher.cpp - a planar arm whose finger should rest on a target; with three or four
// links in BRC's tasks.
#include "base/text.h"
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

struct Arm {
  int links;
  double length;  // between joints
  double hand;    // of the last capsule; the finger sits `length` from the last joint
  double bend;    // of the joints after the first, degrees
};

Arm arm_of(int links) {
  if (links == 3) return {3, 0.09, 0.1, 80};
  if (links == 4) return {4, 0.06, 0.1, 80};
  return {2, 0.12, 0.1, 160};
}

std::string model_text(const Arm& arm, double target_size) {
  std::string chain, end, motors;
  for (int i = 0; i < arm.links; ++i) {
    const bool last = i + 1 == arm.links;
    chain += i == 0 ? std::string(R"(<body pos="0 0 .01">)")
                    : concat(R"(<body pos=")", arm.length, R"( 0 0">)");
    chain += concat(R"(<joint name="joint_)", i, '"');
    if (i > 0) chain += concat(R"( limited="true" range=")", -arm.bend, ' ', arm.bend, '"');
    chain += concat(R"(/><geom type="capsule" size=".01" material="body" fromto="0 0 0 )",
                    last ? arm.hand : arm.length, R"( 0 0"/>)");
    end += "</body>";
    motors += concat(R"(<motor joint="joint_)", i, R"("/>)");
  }
  return scene(
      R"(
  <option timestep=".02"><flag contact="disable"/></option>
  <default>
    <joint type="hinge" axis="0 0 1" damping=".01"/>
    <motor gear=".05" ctrllimited="true" ctrlrange="-1 1"/>
  </default>)",
      concat(R"(
    <geom type="plane" size=".3 .3 10" material="ground"/>
    <geom type="cylinder" fromto="0 0 0 0 0 .02" size=".011" material="prop"/>)",
             chain, R"(<body name="finger" pos=")", arm.length,
             R"( 0 0"><geom name="finger" type="sphere" size=".01" material="tip"/></body>)", end,
             R"(<body name="target" mocap="true" pos="0 0 .01"><geom type="sphere" size=")",
             target_size, R"(" material="goal"/></body>)"),
      concat("<actuator>", motors, "</actuator>"));
}

class Reacher final : public Domain {
 public:
  Reacher(const Arm& arm, double target_size)
      : Domain(Model::from_xml(model_text(arm, target_size)), 1,
               {{"position", arm.links}, {"to_target", 2}, {"velocity", arm.links}}),
        links_(arm.links),
        target_size_(target_size),
        finger_(sim().names().geom("finger")) {}

  void observe(std::span<double> out) const override {
    const double* finger = sim().geom_xpos(finger_);
    const double* target = d()->mocap_pos;
    Put(out)
        .all(d()->qpos, links_)
        .one(target[0] - finger[0])
        .one(target[1] - finger[1])
        .all(d()->qvel, links_);
  }

 private:
  void initialize(Rng& rng) override {
    randomize_joints(rng);
    const double angle = uniform(rng, 0, 2 * std::numbers::pi), radius = uniform(rng, 0.05, 0.20);
    sim().d()->mocap_pos[0] = radius * std::sin(angle);
    sim().d()->mocap_pos[1] = radius * std::cos(angle);
  }
  double reward() const override {
    const double* finger = sim().geom_xpos(finger_);
    const double* target = d()->mocap_pos;
    const double distance = std::hypot(target[0] - finger[0], target[1] - finger[1]);
    return tolerance(distance, 0, target_size_ + 0.01);
  }

  int links_;
  double target_size_;
  int finger_;
};

}  // namespace

std::unique_ptr<Task> make_reacher(std::string_view name) {
  const std::string_view variant = variant_of(name);
  const int links = variant.substr(0, 5) == "three" ? 3 : variant.substr(0, 4) == "four" ? 4 : 2;
  const bool easy = variant.substr(variant.size() - 4) == "easy";
  return std::make_unique<Reacher>(arm_of(links), easy ? 0.05 : 0.015);
}

}  // namespace mneme::envs::dmc
