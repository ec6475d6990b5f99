// envs/hb/reach.cpp - the left hand to a point, standing or however.
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

class Reach final : public RobotTask {
 public:
  explicit Reach(std::string_view name) : RobotTask(name, {.marks = mark("goal", 1, 0, 1)}) {}

  void observe(std::span<double> out) const override {
    Put(out)
        .all(d()->qpos, robot().positions)
        .all(d()->qvel, robot().positions - 1)
        .all(left_hand(), 3)
        .all(goal(), 3);
  }

 private:
  const double* goal() const { return d()->mocap_pos; }

  void begin(Rng& rng) override {
    double* goal = sim().d()->mocap_pos;
    goal[0] = uniform(rng, -2, 2);
    goal[1] = uniform(rng, -2, 2);
    goal[2] = uniform(rng, 0.2, 2);
  }

  Outcome score() override {
    double motion = 0;
    for (int i = 0; i < robot().positions - 1; ++i) motion += d()->qvel[i] * d()->qvel[i];
    const double left = distance(left_hand(), goal());
    return {.reward = 5 * sim().xmat(pelvis())[8] - 1e-4 * motion + (left < 1 ? 5 : 0) +
                      (left < 0.05 ? 10 : 0)};
  }
};

}  // namespace

std::unique_ptr<Task> make_reach(std::string_view name) { return std::make_unique<Reach>(name); }

}  // namespace mneme::envs::hb
