// envs/hb/maze.cpp - through a small maze, from checkpoint to checkpoint.
#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

// # is a wall block of 1.5 m; row 0 is the far side (large y).
constexpr const char* kMap[7] = {"#######",  //
                                 "#.....#",  //
                                 "###.#.#",  //
                                 "#.....#",  //
                                 "#.#.###",  //
                                 "#.....#",  //
                                 "#######"};

// Bodies of the task come after the robot: the walls are the last geoms.
std::string walls() {
  std::string out = "<body>";
  for (int r = 0; r < 7; ++r)
    for (int c = 0; c < 7; ++c)
      if (kMap[r][c] == '#')
        out += fixed_box(concat("block_", r, c).c_str(), -1.5 + 1.5 * c, 7.5 - 1.5 * r, 0.6, 0.75,
                         0.75, 0.6);
  return out + "</body>";
}

constexpr double kCheckpoints[5][2] = {{0, 0}, {3, 0}, {3, 6}, {6, 6}, {6, 6}};
constexpr double kDirections[4][2] = {{1, 0}, {0, 1}, {1, 0}, {0, 1}};

class Maze final : public RobotTask {
 public:
  Maze() : RobotTask(h1_scene("", walls())), first_wall_(sim().names().geom("block_00")) {}

 private:
  void pose() override {
    own_[0] = 0;
    own_[1] = 1;
    own_[2] = 0;
  }
  double reward() override {
    const bool touched =
        any_contact([this](int a, int b) { return a >= first_wall_ || b >= first_wall_; });
    // On to the next checkpoint; each is worth more than the last.
    auto stage = static_cast<int>(own_[0]);
    double bonus = 0;
    const double* at = sim().xpos(pelvis());
    if (std::hypot(at[0] - kCheckpoints[stage][0], at[1] - kCheckpoints[stage][1]) < 0.4) {
      if (stage < 4) {
        own_[1] = kDirections[stage][0];
        own_[2] = kDirections[stage][1];
        bonus = 100 * (stage + 1);
      }
      stage = std::min(stage + 1, 4);
      own_[0] = stage;
    }
    double pace = 1;
    if (stage != 4)
      pace = linear_to_zero(velocity()[0] - 2 * own_[1], 0, 0, 1) *
             linear_to_zero(velocity()[1] - 2 * own_[2], 0, 0, 1);
    const double near = tolerance(
        std::hypot(kCheckpoints[stage][0] - imu()[0], kCheckpoints[stage][1] - imu()[1]), 0, 0, 1);
    return (0.2 * stable() * small_control() + 0.4 * (5 * pace + 1) / 6 + 0.4 * near) *
               (touched ? 0.1 : 1) +
           bonus;
  }
  bool terminated() const override { return d()->qpos[2] < 0.2; }
  std::span<double> own_numbers() override { return own_; }

  int first_wall_;
  double own_[3] = {0, 1, 0};  // stage, direction to walk in
};

}  // namespace

std::unique_ptr<Task> make_maze(std::string_view) { return std::make_unique<Maze>(); }

}  // namespace mneme::envs::hb
