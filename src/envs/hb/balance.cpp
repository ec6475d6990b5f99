// envs/hb/balance.cpp - keep standing on a board on a sphere, which is fixed (simple) or rolls
// (hard).
#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

std::string board(bool hard) {
  return concat(R"(
  <body pos="0 0 .37"><freejoint/><geom class="thing" name="board" size=".15 .55 .03"/></body>
  <body pos="0 0 .17">)",
                hard ? "<freejoint/>" : "",
                R"(<geom class="thing" name="pivot" type="sphere" size=".17"/></body>)");
}

class Balance final : public RobotTask {
 public:
  explicit Balance(bool hard)
      : RobotTask(h1_scene("", board(hard))),
        board_(sim().names().geom("board")),
        pivot_(sim().names().geom("pivot")) {}

 private:
  void pose() override {
    sim().d()->qpos[0] = -0.1;
    sim().d()->qpos[2] = 1.38;
  }
  double reward() override {
    return small_control() * standing(2.02) * being_upright() * staying();
  }
  bool terminated() const override {
    if (d()->qpos[2] < 0.8) return true;
    // The sphere may touch floor (0) and board, the floor only the sphere.
    return any_contact([this](int a, int b) {
      if (a != pivot_ && b != pivot_) return a == 0 || b == 0;
      const int other = a == pivot_ ? b : a;
      return other != 0 && other != board_;
    });
  }

  int board_, pivot_;
};

}  // namespace

std::unique_ptr<Task> make_balance(std::string_view name) {
  return std::make_unique<Balance>(variant_of(name) == "balance_hard");
}

}  // namespace mneme::envs::hb
