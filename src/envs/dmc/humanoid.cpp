// envs/dmc/humanoid.cpp - 21 joints, on its feet from any pose: stand, walk, run.
#include "base/text.h"
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string leg(const char* side, double s, const char* hip_axis_sign, const char* hip_y_range) {
  // s: -1 right, 1 left; the leg hangs at y = 0.1 s and leans inwards.
  const auto y = [s](double outwards) { return shortest_number(s * outwards); };
  const std::string a = hip_axis_sign;
  return concat(R"(
        <body name=")",
                side, R"(_thigh" pos="0 )", y(0.1), R"( -.04">
          <joint class="big" name=")",
                side, R"(_hip_x" axis=")", a, R"(1 0 0" range="-25 5"/>
          <joint class="big" name=")",
                side, R"(_hip_z" axis="0 0 )", a, R"(1" range="-60 35"/>
          <joint class="stiff" name=")",
                side, R"(_hip_y" axis="0 1 0" range=")", hip_y_range, R"("/>
          <geom fromto="0 0 0 0 )",
                y(-0.01), R"( -.34" size=".06"/>
          <body name=")",
                side, R"(_shin" pos="0 )", y(-0.01), R"( -.403">
            <joint name=")",
                side, R"(_knee" pos="0 0 .02" axis="0 -1 0" range="-160 2"/>
            <geom fromto="0 0 0 0 0 -.3" size=".049"/>
            <body name=")",
                side, R"(_foot" pos="0 0 -.39">
              <joint name=")",
                side, R"(_ankle_y" pos="0 0 .08" axis="0 1 0" range="-50 50" stiffness="6"/>
              <joint name=")",
                side, R"(_ankle_x" pos="0 0 .04" axis="1 0 .5" range="-50 50" stiffness="3"/>
              <geom fromto="-.07 )",
                y(0.02), R"( 0 .14 )", y(0.04), R"( 0" size=".027"/>
              <geom fromto="-.07 0 0 .14 )",
                y(-0.02), R"( 0" size=".027"/>
            </body>
          </body>
        </body>)");
}

std::string arm(const char* side, double s, const char* range, const char* elbow_axis) {
  const auto y = [s](double outwards) { return shortest_number(s * outwards); };
  return concat(R"(
      <body name=")",
                side, R"(_upper_arm" pos="0 )", y(0.17), R"( .06">
        <joint name=")",
                side, R"(_shoulder1" axis="2 )", y(-1), R"( 1" range=")", range, R"("/>
        <joint name=")",
                side, R"(_shoulder2" axis="0 )", y(1), R"( 1" range=")", range, R"("/>
        <geom fromto="0 0 0 .16 )",
                y(0.16), R"( -.16" size=".04"/>
        <body name=")",
                side, R"(_lower_arm" pos=".18 )", y(0.18), R"( -.18">
          <joint name=")",
                side, R"(_elbow" axis=")", elbow_axis, R"(" range="-90 50" stiffness="0"/>
          <geom fromto=".01 )",
                y(-0.01), R"( .01 .17 )", y(-0.17), R"( .17" size=".031"/>
          <body name=")",
                side, R"(_hand" pos=".18 )", y(-0.18), R"( .18">
            <geom type="sphere" size=".04"/>
          </body>
        </body>
      </body>)");
}

std::string motors(const char* side) {
  std::string out;
  for (const auto& [joint, gear] :
       std::initializer_list<std::pair<const char*, int>>{{"hip_x", 40},
                                                          {"hip_z", 40},
                                                          {"hip_y", 120},
                                                          {"knee", 80},
                                                          {"ankle_x", 20},
                                                          {"ankle_y", 20}})
    out += concat(R"(<motor joint=")", side, '_', joint, R"(" gear=")", gear, R"("/>)");
  return out;
}

std::string arm_motors(const char* side) {
  return concat(R"(<motor joint=")", side, R"(_shoulder1" gear="20"/><motor joint=")", side,
                R"(_shoulder2" gear="20"/><motor joint=")", side, R"(_elbow" gear="40"/>)");
}

std::string model_text() {
  return scene(
      R"(
  <option timestep=".005"/>
  <default>
    <motor ctrllimited="true" ctrlrange="-1 1"/>
    <default class="limb">
      <geom type="capsule" condim="1" friction=".7" solimp=".9 .99 .003" solref=".015 1" material="body"/>
      <joint type="hinge" damping=".2" stiffness="1" armature=".01" limited="true" solimplimit="0 .99 .01"/>
      <default class="big">
        <joint damping="5" stiffness="10"/>
        <default class="stiff"><joint stiffness="20"/></default>
      </default>
    </default>
  </default>)",
      concat(R"(
    <geom type="plane" size="100 100 .2" material="ground"/>
    <body name="torso" pos="0 0 1.5" childclass="limb">
      <freejoint/>
      <geom fromto="0 -.07 0 0 .07 0" size=".07"/>
      <geom fromto="-.01 -.06 -.12 -.01 .06 -.12" size=".06"/>
      <body name="head" pos="0 0 .19"><geom type="sphere" size=".09"/></body>
      <body pos="-.01 0 -.26" quat="1 0 -.002 0">
        <joint class="stiff" name="abdomen_z" pos="0 0 .065" axis="0 0 1" range="-45 45"/>
        <joint class="big" name="abdomen_y" pos="0 0 .065" axis="0 1 0" range="-75 30"/>
        <geom fromto="0 -.06 0 0 .06 0" size=".06"/>
        <body pos="0 0 -.165" quat="1 0 -.002 0">
          <joint class="big" name="abdomen_x" pos="0 0 .1" axis="1 0 0" range="-35 35"/>
          <geom fromto="-.02 -.07 0 -.02 .07 0" size=".09"/>)",
             leg("right", -1, "", "-110 20"), leg("left", 1, "-", "-120 20"), "</body></body>",
             arm("right", -1, "-85 60", "0 -1 1"), arm("left", 1, "-60 85", "0 -1 -1"), "</body>"),
      concat(R"(
  <sensor><subtreelinvel body="torso"/></sensor>
  <actuator>
    <motor joint="abdomen_y" gear="40"/><motor joint="abdomen_z" gear="40"/><motor joint="abdomen_x" gear="40"/>)",
             motors("right"), motors("left"), arm_motors("right"), arm_motors("left"),
             "</actuator>"));
}

class Humanoid final : public Domain {
 public:
  explicit Humanoid(double speed)
      : Domain(Model::from_xml(model_text()), 5,
               {{"joint_angles", 21},
                {"head_height", 1},
                {"extremities", 12},
                {"torso_vertical", 3},
                {"com_velocity", 3},
                {"velocity", 27}}),
        speed_(speed),
        torso_(sim().names().body("torso")),
        head_(sim().names().body("head")),
        limbs_{sim().names().body("left_hand"), sim().names().body("left_foot"),
               sim().names().body("right_hand"), sim().names().body("right_foot")} {}

  void observe(std::span<double> out) const override {
    const double *torso = sim().xpos(torso_), *frame = sim().xmat(torso_);
    Put put(out);
    put.all(d()->qpos + 7, 21).one(sim().xpos(head_)[2]);
    for (const int limb : limbs_) {  // seen from the torso
      const double* at = sim().xpos(limb);
      const double v[3] = {at[0] - torso[0], at[1] - torso[1], at[2] - torso[2]};
      for (int i = 0; i < 3; ++i)
        put.one(v[0] * frame[i] + v[1] * frame[3 + i] + v[2] * frame[6 + i]);
    }
    put.all(frame + 6, 3).all(d()->sensordata, 3).all(d()->qvel, 27);
  }

 private:
  void initialize(Rng& rng) override { randomize_without_contact(rng, 1'000'000); }

  double reward() const override {
    const double standing = tolerance(sim().xpos(head_)[2], 1.4, kInfinity, 0.35) *
                            linear_to_zero(sim().xmat(torso_)[8], 0.9, kInfinity, 1.9);
    const double vx = d()->sensordata[0], vy = d()->sensordata[1];
    if (speed_ == 0)
      return small_control() * standing * (tolerance(vx, 0, 0, 2) + tolerance(vy, 0, 0, 2)) / 2;
    const double move = linear_to_zero(std::hypot(vx, vy), speed_, kInfinity, speed_);
    return small_control() * standing * (5 * move + 1) / 6;
  }

  double speed_;  // wanted; 0 to stand still
  int torso_, head_;
  int limbs_[4];
};

}  // namespace

std::unique_ptr<Task> make_humanoid(std::string_view name) {
  static constexpr std::pair<std::string_view, double> kSpeeds[] = {
      {"stand", 0}, {"walk", 1}, {"run", 10}};
  return std::make_unique<Humanoid>(pick(kSpeeds, variant_of(name)));
}

}  // namespace mneme::envs::dmc
