// envs/hb/maze.cpp - four checkpoints between walls; each one reached pays, the first one at once.
#include <algorithm>
#include <string_view>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

// Blocks of 1.5 m, the first row farthest to the left; the robot starts in row 5, column 1.
constexpr std::string_view kWalls[] = {"#######",  //
                                       "#.....#",  //
                                       "###.#.#",  //
                                       "#.....#",  //
                                       "#.#.###",  //
                                       "#.....#",  //
                                       "#######"};

// Reached in this order; then they stay at the last.
constexpr double kCheckpoints[][2] = {{0, 0}, {3, 0}, {3, 6}, {6, 6}, {6, 6}};
constexpr int kLast = 4;
constexpr double kSpeed = 2;

Scene walls() {
  std::string blocks;
  for (int row = 0; row < 7; ++row)
    for (int column = 0; column < 7; ++column)
      if (kWalls[row][static_cast<std::size_t>(column)] == '#')
        blocks += box(-1.5 + 1.5 * column, 7.5 - 1.5 * row, 0.6, 0.75, 0.75, 0.6);
  return {.bodies = fixed("maze", 0, 0, 0, blocks)};
}

class Maze final : public RobotTask {
 public:
  explicit Maze(std::string_view name)
      : RobotTask(name, walls()), walls_(sim().names().body("maze")) {}

 private:
  std::span<double> own_numbers() override { return own_; }
  void restart(bool) override { own_ = {0, 0}; }

  Outcome score() override {
    double& stage = own_[0];
    double& heading = own_[1];  // 0: along x, 1: along y
    const double clear = touched(walls_) ? 0.1 : 1;

    double prize = 0;
    if (flat_distance(sim().xpos(pelvis()), checkpoint(stage)) < 0.4) {
      if (stage < kLast) {
        heading = static_cast<int>(stage) % 2;
        stage += 1;
        prize = 100 * stage;
      }
    }
    double pace = 1;
    if (stage < kLast) {
      const double vx = velocity()[0] - (heading == 0 ? kSpeed : 0);
      const double vy = velocity()[1] - (heading == 0 ? 0 : kSpeed);
      pace = linear_to_zero(vx, 0, 0, 1) * linear_to_zero(vy, 0, 0, 1);
    }
    const double near = tolerance(flat_distance(imu(), checkpoint(stage)), 0, 0, 1);
    return {.reward = (0.2 * standing() * small_control() + 0.4 * (5 * pace + 1) / 6 + 0.4 * near) *
                          clear +
                      prize,
            .terminated = d()->qpos[2] < 0.2};
  }

  static const double* checkpoint(double stage) { return kCheckpoints[static_cast<int>(stage)]; }

  int walls_;
  std::array<double, 2> own_{};  // stage, heading
};

}  // namespace

std::unique_ptr<Task> make_maze(std::string_view name) { return std::make_unique<Maze>(name); }

}  // namespace mneme::envs::hb
