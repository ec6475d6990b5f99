// envs/hb/room.cpp - six things lie around: put them in one place.
//
// The suite scatters seven things where there are six: the first pair of coordinates lands in the
// joints of the right little finger, far outside their range. room_fixed leaves the finger alone.
#include <algorithm>

#include "envs/hb/props.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr int kThings = 6;
constexpr const char* kNames[kThings] = {"chair",     "trophy",    "headphone",
                                         "package_a", "package_b", "snow_globe"};
constexpr int kHeadphone = 2;
constexpr double kTilted[4] = {0.0733422, 0.0519076, -0.240058, -0.966591};

Scene room() {
  const std::string shapes[kThings] = {chair(),
                                       trophy(),
                                       headphone(-0.05),
                                       box(0, 0, 0, 0.2, 0.1, 0.15),
                                       box(0, 0, 0, 0.25, 0.2, 0.1),
                                       snow_globe()};
  constexpr double kHeight[kThings] = {0, 0, 0, 0.1, 0.1, 0};
  Scene scene{.bodies =
                  fixed("walls", 0, 0, 0,
                        box(-4.15, 0, 1.5, 0.15, 4, 1.5) + box(4.15, 0, 1.5, 0.15, 4, 1.5) +
                            box(0, 3.85, 1.5, 4, 0.15, 1.5) + box(0, -3.85, 1.5, 4, 0.15, 1.5)) +
                  fixed("table", 2.7, -0.5, 0.45, table()) + fixed("shelf", 2.7, 0.5, 0, shelf())};
  for (int i = 0; i < kThings; ++i) {
    scene.bodies += loose(kNames[i], shapes[i]);
    scene.objects +=
        numbers({0, 0, kHeight[i]}) + ' ' +
        (i == kHeadphone ? numbers({kTilted[0], kTilted[1], kTilted[2], kTilted[3]}) : "1 0 0 0") +
        ' ';
  }
  return scene;
}

class Room final : public RobotTask {
 public:
  explicit Room(std::string_view name)
      : RobotTask(name, room()), fixed_(task_of(name) == "room_fixed") {
    for (int i = 0; i < kThings; ++i) bodies_[i] = sim().names().body(kNames[i]);
  }

 private:
  void begin(Rng& rng) override {
    double* q = sim().d()->qpos + robot().positions;
    for (int i = fixed_ ? 0 : -1; i < kThings; ++i) {
      q[7 * i] = uniform(rng, i - 2.5, i - 1.5);
      const double away = uniform(rng, 1.2, 3.5);
      q[7 * i + 1] = rng.uniform() < 0.5 ? away : -away;
      if (i != kHeadphone) continue;
      std::copy_n(kTilted, 4, q + 7 * i + 3);
      mju_normalize4(q + 7 * i + 3);
    }
  }

  double spread(int axis) const {
    double mean = 0, squares = 0;
    for (const int body : bodies_) mean += sim().xpos(body)[axis] / kThings;
    for (const int body : bodies_) {
      const double off = sim().xpos(body)[axis] - mean;
      squares += off * off / kThings;
    }
    return squares;
  }

  Outcome score() override {
    return {.reward = 0.2 * small_control() * standing() +
                      0.8 * tolerance(std::max(spread(0), spread(1)), 0, 0, 3),
            .terminated = d()->qpos[2] < 0.3};
  }

  bool fixed_;
  int bodies_[kThings] = {};
};

}  // namespace

std::unique_ptr<Task> make_room(std::string_view name) { return std::make_unique<Room>(name); }

}  // namespace mneme::envs::hb
