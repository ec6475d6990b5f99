// envs/hb/window.cpp - wipe a window with a tool whose head hangs on a ball joint.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr const char* kCorners[] = {"wipe_a", "wipe_b", "wipe_c", "wipe_d", "wipe_e"};
constexpr const char* kCornersInSuite[] = {"wipe_contact_site_a", "wipe_contact_site_b",
                                           "wipe_contact_site_c", "wipe_contact_site_d",
                                           "wipe_contact_site_e"};

Scene window() {
  std::string frame = box(0, 0, 0.35, 0.1, 1, 0.35) + box(0, 0, 1.5125, 0.1, 1, 0.025) +
                      box(0, 0, 1.915, 0.1, 1, 0.025) +
                      box(0, 0, 0.97, 0.05, 1, 0.97, R"(name="pane")");
  for (const double y : {-0.975, -0.325, 0.325, 0.975})
    frame += box(0, y, 1.1, 0.1, 0.025, 0.4) + box(0, y, 1.7125, 0.1, 0.025, 0.2);
  const std::string head = concat(
      R"(<body name="wiper" pos="0 0.5 0.02"><joint name="wiper" type="ball" range="0 1.4"/>)",
      sphere(0, 0, 0, 0.03), box(0, 0.03, 0.02, 0.1, 0.01, 0.05, R"(name="wipe")"),
      site(kCorners[0], 0.1, 0.04, 0.07), site(kCorners[1], -0.1, 0.04, 0.07),
      site(kCorners[2], 0.1, 0.04, -0.03), site(kCorners[3], -0.1, 0.04, -0.03),
      site(kCorners[4], 0, 0.04, 0.02), "</body>");
  return {.bodies = fixed("window", 1, 0, 0, frame) +
                    loose("tool", cylinder(0, 0, 0.02, 0.02, 0.5, kAlongY) + head),
          .objects = numbers({0.45, 0, 1.085, 1, 0, 0, 0, 1, 0, 0, 0}),
          .rest = R"(<sensor><subtreelinvel name="tool_velocity" body="tool"/></sensor>)"};
}

class Window final : public RobotTask {
 public:
  explicit Window(std::string_view name)
      : RobotTask(name, window()),
        pane_(sim().names().geom(named("pane", "window_pane_collision"))),
        wipe_(sim().names().geom(named("wipe", "window_wipe_collision"))),
        tool_(sim().names().body(named("tool", "window_wiping_tool"))),
        head_(sim().names().site("head")),
        tool_velocity_(
            sim().names().sensor(named("tool_velocity", "window_wiping_tool_subtreelinvel"))) {
    for (std::size_t i = 0; i < corners_.size(); ++i)
      corners_[i] = sim().names().site(named(kCorners[i], kCornersInSuite[i]));
  }

 private:
  std::span<double> own_numbers() override { return start_; }

  // Where the head is when an episode begins: in the keyframe, then with noise.
  void restart(bool) override {
    mj_kinematics(m(), sim().d());
    remember_head();
  }
  void begin(Rng&) override { remember_head(); }
  void remember_head() { std::copy_n(sim().site_xpos(head_), 3, start_.begin()); }

  Outcome score() override {
    double flat = 1;
    for (const int corner : corners_)
      flat = std::min(flat, tolerance(sim().site_xpos(corner)[0], 0.92, 0.92, 0.4, Shape::linear));
    const bool touches = any_contact(
        [this](int a, int b) { return (a == pane_ && b == wipe_) || (a == wipe_ && b == pane_); });
    const double* tool = sim().xpos(tool_);
    const double hands = std::min(tolerance(distance(left_hand(), tool), 0, 0.2, 0.5),
                                  tolerance(distance(right_hand(), tool), 0, 0.2, 0.5));
    const double up_and_down = std::abs(d()->sensordata[tool_velocity_ + 2]);
    const double leaning =
        tolerance(distance(sim().site_xpos(head_), start_.data()), 0.4, 0.4, 0.1);
    return {.reward = 0.5 * (0.2 * standing() * small_control() * leaning +
                             0.4 * tolerance(up_and_down, 0.5, 0.5, 0.5) + 0.4 * hands) +
                      (touches ? 0.5 * flat : 0),
            .terminated = d()->qpos[2] < 0.58 || tool[2] < 0.58};
  }

  int pane_, wipe_, tool_, head_, tool_velocity_;
  std::array<int, 5> corners_{};
  std::array<double, 3> start_{};  // of the head
};

}  // namespace

std::unique_ptr<Task> make_window(std::string_view name) { return std::make_unique<Window>(name); }

}  // namespace mneme::envs::hb
