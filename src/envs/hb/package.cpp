// envs/hb/package.cpp - carry a box to a place on the floor.
//
// The suite moves the destination when an episode begins and does not look again before the first
// observation, which therefore shows the destination of the episode before (the origin at first);
// so does this one.
#include <algorithm>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

Scene floor_with_package() {
  return {.bodies = loose("package", box(0, 0, 0, 0.2, 0.1, 0.35, R"(density="5")")),
          .objects = numbers({0.75, 0, 0.35, 1, 0, 0, 0}),
          .marks = mark("destination", 0, 0, 0, 0.35)};
}

class Package final : public RobotTask {
 public:
  explicit Package(std::string_view name)
      : RobotTask(name, floor_with_package(), Success::by_task),
        place_(sim().names().qpos("free_package")),
        motion_(sim().names().qvel("free_package")),
        destination_(sim().names().site("destination")) {}

  void observe(std::span<double> out) const override {
    Put(out)
        .all(d()->qpos, robot().positions)
        .all(d()->qvel, robot().positions - 1)
        .all(sim().site_xpos(destination_), 3)
        .all(d()->qpos + place_, 7)
        .all(d()->qvel + motion_, 6)
        .all(left_hand(), 3)
        .all(right_hand(), 3);
  }

 private:
  std::span<double> own_numbers() override { return last_; }

  void restart(bool forget) override {
    if (forget) last_ = {};
    std::copy(last_.begin(), last_.end(), sim().d()->mocap_pos);
  }

  void begin(Rng& rng) override {
    double* place = sim().d()->qpos + place_;
    place[0] = uniform(rng, -2, 2);
    place[1] = uniform(rng, -2, 2);
    place[2] = 0.35;
  }

  void begun(Rng& rng) override {
    last_ = {uniform(rng, -2, 2), uniform(rng, -2, 2)};
    std::copy(last_.begin(), last_.end(), sim().d()->mocap_pos);
  }

  Outcome score() override {
    const double* package = d()->qpos + place_;
    const double left = distance(package, sim().site_xpos(destination_));
    const bool there = left < 0.1;
    const double hands = distance(left_hand(), package) + distance(right_hand(), package);
    return {.reward = tall() * straight(0.8) * small_control() - 3 * left - 0.1 * hands +
                      std::min(package[2], 1.0) + (there ? 1000 : 0),
            .terminated = there,
            .success = there};
  }

  int place_, motion_, destination_;
  std::array<double, 2> last_{};  // destination, in the plane
};

}  // namespace

std::unique_ptr<Task> make_package(std::string_view name) {
  return std::make_unique<Package>(name);
}

}  // namespace mneme::envs::hb
