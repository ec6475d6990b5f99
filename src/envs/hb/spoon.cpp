// envs/hb/spoon.cpp - take the spoon, stir in the pot: after a point that circles.
//
// The point turns by a fortieth of a circle with every reward, and does not go back when an episode
// begins; in spoon_fixed it does. The observation shows where it was before the reward.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr double kPot[3] = {0.75, -0.1, 0.9};

Scene kitchen_table() {
  std::string table = box(0, 0, 0.4, 0.5, 0.5, 0.05);
  for (const double x : {0.4, -0.4})
    for (const double y : {0.4, -0.4}) table += box(x, y, -0.05, 0.05, 0.05, 0.4);
  std::string pot = box(0, 0, 0.01, 0.12, 0.12, 0.02) + cylinder(0, 0.19, 0.08, 0.01, 0.06) +
                    box(0, 0.15, 0.14, 0.01, 0.05, 0.01) + box(0, 0.15, 0.02, 0.01, 0.05, 0.01);
  for (const double side : {0.1, -0.1})
    pot += box(0, side, 0.1, 0.12, 0.02, 0.1) + box(side, 0, 0.1, 0.02, 0.12, 0.1);
  constexpr std::string_view kHandle = R"(name="handle" zaxis="1 0 0")";
  return {.bodies = fixed("table", 1, 0, 0.45, table) +
                    fixed("pot", kPot[0], kPot[1], kPot[2], pot) +
                    loose("spoon", cylinder(0, 0, 0.0035, 0.007, 0.08, kHandle) +
                                       cylinder(0.1, 0, 0.0035, 0.03, 0.005, R"(name="plate")")),
          .objects = numbers({0.75, 0.2, 0.9, 1, 0, 0, 0})};
}

std::array<double, 3> target(double count) {
  const double angle = count * (2 * std::numbers::pi / 40);
  return {kPot[0] + 0.06 * std::cos(angle), kPot[1] + 0.06 * std::sin(angle), 0.95};
}

class Spoon final : public RobotTask {
 public:
  explicit Spoon(std::string_view name)
      : RobotTask(name, kitchen_table()),
        fixed_(task_of(name) == "spoon_fixed"),
        handle_(sim().names().geom(named("handle", "spoon_handle"))),
        plate_(sim().names().geom(named("plate", "spoon_plate"))) {}

  void observe(std::span<double> out) const override {
    Put(out).all(d()->qpos, m()->nq).all(d()->qvel, m()->nv).all(target(own_[1]).data(), 3);
  }

 private:
  std::span<double> own_numbers() override { return own_; }
  void restart(bool forget) override {
    if (forget || fixed_) own_[0] = 0;
    own_[1] = own_[0];
  }

  Outcome score() override {
    auto& [count, shown] = own_;
    shown = count;
    const std::array<double, 3> point = target(count);
    count += 1;
    const double* handle = sim().geom_xpos(handle_);
    const double* plate = sim().geom_xpos(plate_);
    const double hand = std::min(distance(left_hand(), handle), distance(right_hand(), handle));
    const bool in_pot = std::abs(plate[0] - kPot[0]) < 0.1 && std::abs(plate[1] - kPot[1]) < 0.1 &&
                        std::abs(plate[2] - (kPot[2] + 0.1)) < 0.1;
    return {.reward = 0.15 * standing() * small_control() + 0.25 * tolerance(hand, 0, 0.2, 0.5) +
                      (in_pot ? 0.25 : 0) +
                      0.35 * tolerance(distance(plate, point.data()), 0, 0, 0.15),
            .terminated = d()->qpos[2] < 0.58};
  }

  bool fixed_;
  int handle_, plate_;
  std::array<double, 2> own_{};  // rewards so far; the number the observation is of
};

}  // namespace

std::unique_ptr<Task> make_spoon(std::string_view name) { return std::make_unique<Spoon>(name); }

}  // namespace mneme::envs::hb
