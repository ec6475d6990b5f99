// envs/hb/reach.cpp - bring the left hand to a point anywhere around.
#include <algorithm>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

class Reach final : public RobotTask {
 public:
  Reach()
      : RobotTask(h1_scene(
            "",
            R"(<body name="goal" mocap="true" pos="1 0 1">)"
            R"(<geom type="sphere" size=".05" contype="0" conaffinity="0" material="goal"/></body>)")) {
  }

 private:
  void randomize(Rng& rng) override {
    double* goal = sim().d()->mocap_pos;
    goal[0] = uniform(rng, -2, 2);
    goal[1] = uniform(rng, -2, 2);
    goal[2] = uniform(rng, 0.2, 2);
    forward();
  }
  Index observation_size() const override { return kRobotQpos + kRobotQvel + 6; }
  void write_observation(double* out) const override {
    out = std::copy_n(d()->qpos, kRobotQpos, out);
    out = std::copy_n(d()->qvel, kRobotQvel, out);
    out = std::copy_n(left_hand(), 3, out);
    std::copy_n(d()->mocap_pos, 3, out);
  }
  double reward() override {
    double squared = 0;
    for (int i = 0; i < kRobotQvel; ++i) squared += d()->qvel[i] * d()->qvel[i];
    const double distance = hand_distance(left_hand(), d()->mocap_pos);
    return 5 * sim().xmat(pelvis())[8] - 1e-4 * squared + (distance < 1 ? 5 : 0) +
           (distance < 0.05 ? 10 : 0);
  }
  bool terminated() const override { return false; }
};

}  // namespace

std::unique_ptr<Task> make_reach(std::string_view) { return std::make_unique<Reach>(); }

}  // namespace mneme::envs::hb
