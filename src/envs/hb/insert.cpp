// envs/hb/insert.cpp - two hollow pegs onto the ends of a bar, all lifted from a table: thick
// (insert_normal) or thin (insert_small).
#include <algorithm>

#include "envs/hb/props.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

// A cup with square walls: `width` half of its side, walls of half height `wall`.
std::string peg(double width, double wall) {
  const double thin = width / 4, at = width - thin, middle = 0.01 + wall;
  std::string shapes = box(0, 0, 0.005, width, width, 0.005);
  for (const double side : {-at, at})
    shapes += box(0, side, middle, width, thin, wall) + box(side, 0, middle, thin, width, wall);
  return shapes;
}

Scene workbench(bool small) {
  const std::string hollow = small ? peg(0.02, 0.01) : peg(0.04, 0.03);
  const double thick = small ? 0.008 : 0.018;
  // The small peg_a is asked for half as high above its bottom as the others.
  return {.bodies = fixed("table", 0.9, 0, 0.45, table()) +
                    loose("peg_a", site("peg_a", 0, 0, small ? 0.005 : 0.01) + hollow) +
                    loose("peg_b", site("peg_b", 0, 0, 0.01) + hollow) +
                    loose("bar", site("end_a", 0, 0.15, thick) + site("end_b", 0, -0.15, thick) +
                                     box(0, 0, thick, thick, 0.15, thick)),
          .objects = numbers(
              {0.8, -0.2, 0.95, 1, 0, 0, 0, 0.8, 0.2, 0.95, 1, 0, 0, 0, 0.6, 0, 0.95, 1, 0, 0, 0})};
}

class Insert final : public RobotTask {
 public:
  Insert(std::string_view name, bool small)
      : RobotTask(name, workbench(small)),
        pegs_{sim().names().site("peg_a"), sim().names().site("peg_b")},
        ends_{sim().names().site(named("end_a", "block_peg_a")),
              sim().names().site(named("end_b", "block_peg_b"))} {}

 private:
  Outcome score() override {
    double on = 0, high = 0, lowest = kInfinity;
    for (std::size_t i = 0; i < 2; ++i) {
      const double* peg = sim().site_xpos(pegs_[i]);
      const double* end = sim().site_xpos(ends_[i]);
      on += tolerance(distance(end, peg), 0, 0, 0.5, Shape::linear) / 2;
      high += tolerance(peg[2] - 1.1, 0, 0, 0.15, Shape::linear) / 2;
      lowest = std::min({lowest, peg[2], end[2]});
    }
    const double hands = std::min(distance(left_hand(), sim().site_xpos(pegs_[0])),
                                  distance(right_hand(), sim().site_xpos(pegs_[1])));
    return {.reward = (0.5 * small_control() * standing() + 0.5 * on) *
                      (0.5 * high + 0.5 * tolerance(hands, 0, 0.2, 0.5)),
            .terminated = d()->qpos[2] < 0.5 || lowest < 0.5};
  }

  std::array<int, 2> pegs_, ends_;  // sites, a and b
};

}  // namespace

std::unique_ptr<Task> make_insert(std::string_view name) {
  return std::make_unique<Insert>(name, task_of(name) == "insert_small");
}

}  // namespace mneme::envs::hb
