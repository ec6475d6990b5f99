// envs/hb/cabinet.cpp - four jobs at a cupboard, one after the other: slide its door open, pull the
// drawer, put the drawer's cube behind the doors, put the doors' cube under the flap.
//
// Each pays 100 times its number when it is done.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr const char* kCubes[] = {"drawer_cube", "doors_cube", "slide_cube", "flap_cube"};
constexpr int kJobs = 4;

std::string body(std::string_view name, double x, double y, double z, std::string_view joint,
                 const std::string& shapes) {
  return concat("<body name=\"", name, "\" pos=\"", numbers({x, y, z}), "\"><joint name=\"", name,
                "\" ", joint, "/>", shapes, "</body>");
}

// Of a door that turns or slides, at y on the door.
std::string upright_handle(double y) {
  return cylinder(-0.06, y, 0.09, 0.02, 0.05, kAlongX) +
         cylinder(-0.06, y, -0.09, 0.02, 0.05, kAlongX) + box(-0.1, y, 0, 0.01, 0.01, 0.09);
}

// Of the drawer and the flap, at a height.
std::string level_handle(double z) {
  return cylinder(-0.35, -0.2, z, 0.02, 0.05, kAlongX) +
         cylinder(-0.35, 0.2, z, 0.02, 0.05, kAlongX) + box(-0.39, 0, z, 0.01, 0.2, 0.01);
}

Scene cupboard() {
  constexpr std::string_view kPlank = R"(mass="5")";
  const std::string walls =
      box(0.9, 0, 0.25, 0.3, 0.6, 0.25) + box(1.21, 0, 0.84, 0.009, 0.6, 0.84) +
      box(0.9, 0.59, 0.84, 0.3, 0.01, 0.84) + box(0.9, -0.59, 0.84, 0.3, 0.01, 0.84);
  // Bottom and back of a compartment.
  const std::string compartment =
      box(0, 0, 0.02, 0.3, 0.6, 0.01) + box(0.29, 0, 0.15, 0.01, 0.6, 0.14);
  const std::string leaf = box(0, 0, 0.01, 0.01, 0.28, 0.13, kPlank);

  const std::string drawer =
      box(0, 0, 0.02, 0.3, 0.58, 0.01, kPlank) + box(0.29, 0, 0.15, 0.01, 0.58, 0.14, kPlank) +
      box(-0.29, 0, 0.15, 0.01, 0.58, 0.14, kPlank) + box(0, 0.57, 0.15, 0.3, 0.01, 0.14, kPlank) +
      box(0, -0.57, 0.15, 0.3, 0.01, 0.14, kPlank) + level_handle(0.24);
  const std::string doors =
      compartment +
      body("left_door", -0.29, 0.29, 0.15, R"(pos="0 0.29 0.15" range="-1.57 0" damping="1")",
           leaf + upright_handle(-0.2)) +
      body("right_door", -0.29, -0.29, 0.15, R"(pos="0 -0.29 0.15" range="0 1.57" damping="1")",
           leaf + upright_handle(0.2));
  const std::string slide =
      compartment + box(-0.29, -0.29, 0.16, 0.01, 0.28, 0.13) +
      body("slide_door", -0.32, 0.29, 0.15,
           R"(type="slide" axis="0 1 0" range="-0.4 0" damping="50")", leaf + upright_handle(0.2));
  const std::string flap =
      compartment +
      body("flap_door", 0, 0, 0, R"(pos="-0.29 0 0.29" axis="0 1 0" range="0 1.57" damping="10")",
           box(-0.29, 0, 0.16, 0.01, 0.58, 0.125, kPlank) + level_handle(0.08)) +
      box(0.01, 0, 0.3, 0.29, 0.6, 0.01);

  Scene scene{.bodies = fixed("walls", 0, 0, 0, walls) +
                        body("drawer", 0.9, 0, 0.5,
                             R"(type="slide" axis="-1 0 0" range="0 0.45" damping="80")", drawer) +
                        fixed("doors", 0.9, 0, 0.79, doors) + fixed("slide", 0.9, 0, 1.08, slide) +
                        fixed("flap", 0.9, 0, 1.37, flap),
              .objects = "0 0 0 0 0"};
  for (int i = 0; i < 4; ++i) {
    scene.bodies += loose(kCubes[i], box(0, 0, 0, 0.05, 0.05, 0.05));
    scene.objects += ' ' + numbers({0.9, 0, 0.58 + 0.29 * i, 1, 0, 0, 0});
  }
  return scene;
}

class Cabinet final : public RobotTask {
 public:
  explicit Cabinet(std::string_view name)
      : RobotTask(name, cupboard(), Success::by_task),
        drawer_(sim().names().qpos(named("drawer", "drawer_slide"))),
        left_(sim().names().qpos(named("left_door", "left_door_hinge"))),
        right_(sim().names().qpos(named("right_door", "right_door_hinge"))),
        slide_(sim().names().qpos(named("slide_door", "pull_door_slide"))),
        flap_(sim().names().qpos(named("flap_door", "pullup_door_hinge"))),
        drawer_cube_(sim().names().body(kCubes[0])),
        doors_cube_(sim().names().body(named(kCubes[1], "lateral_cabinet_cube"))) {}

 private:
  std::span<double> own_numbers() override { return {&job_, 1}; }
  void restart(bool) override { job_ = 1; }

  double open(int joint) const { return std::abs(d()->qpos[joint]); }

  struct Progress {
    double reward;
    bool done;
  };

  // A cube on its way into the compartment around that height, whose door is that far open.
  Progress moved(int cube, double height, double door) const {
    const double* p = sim().xpos(cube);
    const double across = (tolerance(p[0] - 0.9, -0.3, 0.3, 0.3, Shape::linear) +
                           tolerance(p[1], -0.6, 0.6, 0.3, Shape::linear)) /
                          2;
    const double up = tolerance(p[2] - height, -0.15, 0.15, 0.3, Shape::linear);
    const auto inside = [](double x, double middle, double half) {
      return middle - half <= x && x <= middle + half;
    };
    return {0.5 * (0.3 * across + 0.7 * up) + 0.5 * std::min(1.0, door),
            inside(p[0], 0.9, 0.3) && inside(p[1], 0, 0.6) && inside(p[2], height, 0.15)};
  }

  Progress progress() const {
    const auto opened = [](double share) { return Progress{share, share > 0.95}; };
    switch (static_cast<int>(job_)) {
      case 1:
        return opened(open(slide_) / 0.4);
      case 2:
        return opened(open(drawer_) / 0.45);
      case 3:
        return moved(drawer_cube_, 0.94, std::max(open(left_), open(right_)));
      default:
        return moved(doors_cube_, 1.54, open(flap_));
    }
  }

  Outcome score() override {
    if (job_ > kJobs) return {.reward = 1000, .terminated = true, .success = true};
    const Progress now = progress();
    double reward = 0.2 * standing() * small_control() + 0.8 * now.reward;
    if (now.done) {
      reward += 100 * job_;
      job_ += 1;
    }
    return {.reward = reward, .terminated = job_ > kJobs, .success = job_ > kJobs};
  }

  int drawer_, left_, right_, slide_, flap_, drawer_cube_, doors_cube_;
  double job_ = 1;
};

}  // namespace

std::unique_ptr<Task> make_cabinet(std::string_view name) {
  return std::make_unique<Cabinet>(name);
}

}  // namespace mneme::envs::hb
