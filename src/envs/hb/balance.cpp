// envs/hb/balance.cpp - a board on a ball: the ball stays put (balance_simple) or rolls
// (balance_hard).
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

Scene stage(bool rolling) {
  Scene scene{.bodies = loose("board", box(0, 0, 0, 0.15, 0.55, 0.03, R"(name="board")")),
              .objects = numbers({0, 0, 0.37, 1, 0, 0, 0}),
              .x = -0.1,
              .height = 1.38};
  const std::string ball = sphere(0, 0, 0, 0.17, R"(name="ball")");
  if (rolling) {
    scene.bodies += loose("ball", ball);
    scene.objects += ' ' + numbers({0, 0, 0.17, 1, 0, 0, 0});
  } else {
    scene.bodies += fixed("ball", 0, 0, 0.17, ball);
  }
  return scene;
}

class Balance final : public RobotTask {
 public:
  Balance(std::string_view name, bool rolling)
      : RobotTask(name, stage(rolling)),
        floor_(sim().names().geom("floor")),
        board_(sim().names().geom(named("board", "stand_board_collision"))),
        ball_(sim().names().geom(named("ball", "pivot_sphere_collision"))) {}

 private:
  Outcome score() override {
    // Over when something stands on the ball or on the floor that should not.
    const bool off = any_contact([this](int a, int b) {
      const auto has = [a, b](int geom) { return a == geom || b == geom; };
      return has(ball_) ? !has(floor_) && !has(board_) : has(floor_);
    });
    return {.reward = small_control() * tall(2.02) * straight() * still(),
            .terminated = d()->qpos[2] < 0.8 || off};
  }

  int floor_, board_, ball_;
};

}  // namespace

std::unique_ptr<Task> make_balance(std::string_view name) {
  return std::make_unique<Balance>(name, task_of(name) == "balance_hard");
}

}  // namespace mneme::envs::hb
