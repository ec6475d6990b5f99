// envs/dmc/cheetah.cpp - a planar runner with two legs; forward in the suite, and BRC's tricks
// (backwards, on one leg, jumping, lying down, flips).
#include "base/text.h"
#include "envs/dmc/domain.h"

namespace mneme::envs::dmc {
namespace {

std::string model_text() {
  // A limb: where it hangs, its joint (range, stiffness, damping), its capsule (center, pitch, half
  // length).
  const auto limb = [](const char* name, const char* at, const char* range, const char* spring,
                       const char* damping, const char* centre, const char* pitch,
                       const char* half) {
    return concat(R"(<body name=")", name, R"(" pos=")", at, R"("><joint name=")", name,
                  R"(" range=")", range, R"(" stiffness=")", spring, R"(" damping=")", damping,
                  R"("/><geom pos=")", centre, R"(" euler="0 )", pitch, R"( 0" size=".046 )", half,
                  R"("/>)");
  };
  return scene(
      R"(
  <compiler settotalmass="14"/>
  <option timestep=".01"/>
  <default>
    <default class="limb">
      <joint type="hinge" axis="0 1 0" limited="true" armature=".1"/>
      <geom type="capsule" friction=".4 .1 .1" material="body"/>
    </default>
    <default class="root"><joint limited="false" armature="0"/></default>
    <motor ctrllimited="true" ctrlrange="-1 1"/>
  </default>)",
      concat(R"(
    <geom type="plane" size="100 2 .5" pos="98 0 0" material="ground"/>
    <body name="torso" pos="0 0 .7" childclass="limb">
      <joint class="root" type="slide" axis="1 0 0"/>
      <joint class="root" type="slide" axis="0 0 1"/>
      <joint class="root" type="hinge" axis="0 1 0"/>
      <geom fromto="-.5 0 0 .5 0 0" size=".046"/>
      <geom pos=".6 0 .1" euler="0 50 0" size=".046 .15"/>)",
             limb("bthigh", "-.5 0 0", "-30 60", "240", "6", ".1 0 -.13", "-218", ".145"),
             limb("bshin", ".16 0 -.25", "-50 50", "180", "4.5", "-.14 0 -.07", "-116", ".15"),
             limb("bfoot", "-.28 0 -.14", "-230 50", "120", "3", ".03 0 -.097", "-15", ".094"),
             "</body></body></body>",
             limb("fthigh", ".5 0 0", "-57 .40", "180", "4.5", "-.07 0 -.12", "30", ".133"),
             limb("fshin", "-.14 0 -.24", "-70 50", "120", "3", ".065 0 -.09", "-34", ".106"),
             limb("ffoot", ".13 0 -.18", "-28 28", "60", "1.5", ".045 0 -.07", "-34", ".07"),
             "</body></body></body></body>"),
      R"(
  <sensor><subtreelinvel name="velocity" body="torso"/></sensor>
  <actuator>
    <motor joint="bthigh" gear="120"/><motor joint="bshin" gear="90"/><motor joint="bfoot" gear="60"/>
    <motor joint="fthigh" gear="90"/><motor joint="fshin" gear="60"/><motor joint="ffoot" gear="30"/>
  </actuator>)");
}

constexpr double kRunSpeed = 10, kHigh = 1.2, kLow = 0.25, kSpin = 8;

class Cheetah final : public Domain {
 public:
  using Reward = double (Cheetah::*)() const;

  explicit Cheetah(Reward formula)
      : Domain(Model::from_xml(model_text()), 1, {{"position", 8}, {"velocity", 9}}),
        reward_(formula),
        torso_(sim().names().body("torso")),
        back_foot_(sim().names().body("bfoot")),
        front_foot_(sim().names().body("ffoot")) {}

  void observe(std::span<double> out) const override {
    Put(out).all(d()->qpos + 1, 8).all(d()->qvel, 9);
  }

  double run() const { return linear_to_zero(speed(), kRunSpeed, kInfinity, kRunSpeed); }
  double run_backwards() const {
    return linear_to_zero(speed(), -kInfinity, -0.8 * kRunSpeed, 0.8 * kRunSpeed);
  }
  double stand_front() const { return stand(back_foot_); }
  double stand_back() const { return stand(front_foot_); }
  double jump() const { return (stand_front() + stand_back()) / 2; }
  double run_front() const { return lifted(back_foot_) * pace(0.6 * kRunSpeed); }
  double run_back() const { return lifted(front_foot_) * pace(0.6 * kRunSpeed); }
  double lie_down() const {
    const double feet = (z(front_foot_) + z(back_foot_)) / 2;
    return (3 * linear_to_zero(z(torso_), -kInfinity, kLow, kLow) +
            linear_to_zero(feet, -kInfinity, kLow, kLow)) /
           4;
  }
  double legs_up() const {
    return (5 * tolerance(z(torso_), -kInfinity, kLow, kLow / 2) + lifted(back_foot_)) / 6;
  }
  double flip() const { return flip(1, kRunSpeed); }
  double flip_backwards() const { return flip(-1, 0.8 * kRunSpeed); }

 private:
  void initialize(Rng& rng) override {
    const mjModel* m = sim().m();
    for (int j = 0; j < static_cast<int>(m->njnt); ++j)
      if (m->jnt_limited[j])
        sim().d()->qpos[j] = uniform(rng, m->jnt_range[2 * j], m->jnt_range[2 * j + 1]);
    advance(200);  // let it come to rest
    sim().d()->time = 0;
  }
  double reward() const override { return (this->*reward_)(); }

  double speed() const { return d()->sensordata[0]; }
  double z(int body) const { return sim().xpos(body)[2]; }
  double raised(double height) const { return tolerance(height, kHigh, kInfinity, kHigh / 2); }
  // On one leg, in place; `foot` is the one in the air.
  double stand(int foot) const {
    return (5 * raised((z(torso_) + z(foot)) / 2) + linear_to_zero(speed(), -0.5, 0.5, 0.5)) / 6;
  }
  double lifted(int foot) const { return (3 * raised(z(foot)) + 2 * raised(z(torso_))) / 5; }
  double pace(double wanted) const {
    return (5 * linear_to_zero(speed(), wanted, kInfinity, wanted) + 1) / 6;
  }
  double flip(double direction, double wanted) const {
    const double spin = d()->subtree_angmom[3 * torso_ + 1];
    return (2 * linear_to_zero(direction * spin, kSpin, kInfinity, kSpin) +
            linear_to_zero(direction * speed(), wanted, kInfinity, wanted)) /
           3;
  }

  Reward reward_;
  int torso_, back_foot_, front_foot_;
};

}  // namespace

std::unique_ptr<Task> make_cheetah(std::string_view name) {
  static constexpr std::pair<std::string_view, Cheetah::Reward> kRewards[] = {
      {"run", &Cheetah::run},
      {"run_backwards", &Cheetah::run_backwards},
      {"stand_front", &Cheetah::stand_front},
      {"stand_back", &Cheetah::stand_back},
      {"jump", &Cheetah::jump},
      {"run_front", &Cheetah::run_front},
      {"run_back", &Cheetah::run_back},
      {"lie_down", &Cheetah::lie_down},
      {"legs_up", &Cheetah::legs_up},
      {"flip", &Cheetah::flip},
      {"flip_backwards", &Cheetah::flip_backwards}};
  return std::make_unique<Cheetah>(pick(kRewards, variant_of(name)));
}

}  // namespace mneme::envs::dmc
