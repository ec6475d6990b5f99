// envs/hb/sit.cpp - sit down on the chair behind: fixed (simple), or loose and somewhere near
// (hard).
#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

// Back and seat collide. The loose chair weighs as much as its legs, posts and boards would.
std::string chair(bool loose) {
  return concat(R"(<body name="chair" pos="-.25 0 0">)",
                loose ? R"(<freejoint/>
    <geom class="thing" pos=".19 .19 .225" size=".02 .02 .225" contype="0" conaffinity="0"/>
    <geom class="thing" pos=".19 -.19 .225" size=".02 .02 .225" contype="0" conaffinity="0"/>
    <geom class="thing" pos="-.19 .19 .225" size=".02 .02 .225" contype="0" conaffinity="0"/>
    <geom class="thing" pos="-.19 -.19 .225" size=".02 .02 .225" contype="0" conaffinity="0"/>
    <geom class="thing" pos="0 0 .45" size=".21 .21 .025" contype="0" conaffinity="0"/>
    <geom class="thing" pos="-.23 .19 .6375" size=".02 .02 .2125" contype="0" conaffinity="0"/>
    <geom class="thing" pos="-.23 -.19 .6375" size=".02 .02 .2125" contype="0" conaffinity="0"/>
    <geom class="thing" pos="-.23 0 .77" size=".02 .21 .08" contype="0" conaffinity="0"/>)"
                      : "",
                R"(
    <geom class="thing" pos="-.23 0 .65" size=".02 .21 .2" mass="0"/>
    <geom class="thing" pos="0 0 .2375" size=".21 .21 .2375" mass="0"/></body>)");
}

class Sit final : public RobotTask {
 public:
  explicit Sit(bool hard)
      : RobotTask(h1_scene("", chair(hard))), hard_(hard), chair_(sim().names().body("chair")) {}

 private:
  void randomize(Rng& rng) override {
    if (!hard_) return;
    double* root = sim().d()->qpos;
    root[0] = uniform(rng, 0.2, 0.4);
    root[1] = uniform(rng, -0.15, 0.15);
    const double yaw = uniform(rng, -1.8, 1.8);
    root[3] = std::cos(yaw / 2);
    root[4] = root[5] = 0;
    root[6] = std::sin(yaw / 2);
    forward();
  }
  double reward() override {
    const double *q = d()->qpos, *at = sim().xpos(chair_);
    const double low = tolerance(q[2], 0.68, 0.72, 0.2);
    const double over =
        tolerance(q[0] - at[0], -0.19, 0.19, 0.2) * tolerance(q[1] - at[1], 0, 0, 0.1);
    const double posture = tolerance(head() - imu()[2], 0.35, 0.45, 0.3);
    return small_control() * (0.5 * low + 0.5 * over) * being_upright(0.95, 0.9) * posture *
           staying();
  }
  bool terminated() const override { return d()->qpos[2] < 0.5; }

  bool hard_;
  int chair_;
};

}  // namespace

std::unique_ptr<Task> make_sit(std::string_view name) {
  return std::make_unique<Sit>(variant_of(name) == "sit_hard");
}

}  // namespace mneme::envs::hb
