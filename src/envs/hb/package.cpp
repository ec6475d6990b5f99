// envs/hb/package.cpp - carry a package to a destination.
#include <algorithm>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr const char* kObjects = R"(
  <body pos=".75 0 .35"><freejoint/><geom class="thing" size=".2 .1 .35" density="5"/></body>
  <body mocap="true" pos="0 0 0">
    <site name="destination" pos="0 0 .35" size=".01"/>
    <geom type="sphere" size=".09" pos="0 0 .35" contype="0" conaffinity="0" material="goal"/>
  </body>)";

class Package final : public RobotTask {
 public:
  Package() : RobotTask(h1_scene("", kObjects)), site_(sim().names().site("destination")) {}

 private:
  void pose() override {
    // The first observation of an episode still shows the destination of the last one: it is moved
    // after the last forward pass.
    std::copy_n(own_, 3, sim().d()->mocap_pos);
  }
  void randomize(Rng& rng) override {
    double* box = sim().d()->qpos + kRobotQpos;
    box[0] = uniform(rng, -2, 2);
    box[1] = uniform(rng, -2, 2);
    box[2] = 0.35;
    forward();
    own_[0] = uniform(rng, -2, 2);
    own_[1] = uniform(rng, -2, 2);
    std::copy_n(own_, 3, sim().d()->mocap_pos);
  }
  Index observation_size() const override { return kRobotQpos + kRobotQvel + 22; }
  void write_observation(double* out) const override {
    out = std::copy_n(d()->qpos, kRobotQpos, out);
    out = std::copy_n(d()->qvel, kRobotQvel, out);
    out = std::copy_n(sim().site_xpos(site_), 3, out);
    out = std::copy_n(d()->qpos + kRobotQpos, 7, out);
    out = std::copy_n(d()->qvel + kRobotQvel, 6, out);
    out = std::copy_n(left_hand(), 3, out);
    std::copy_n(right_hand(), 3, out);
  }
  double distance() const { return hand_distance(d()->qpos + kRobotQpos, sim().site_xpos(site_)); }
  double reward() override {
    const double* box = d()->qpos + kRobotQpos;
    return standing() * being_upright(0.8) * small_control() - 3 * distance() -
           0.1 * (hand_distance(left_hand(), box) + hand_distance(right_hand(), box)) +
           std::min(box[2], 1.0) + (distance() < 0.1 ? 1000 : 0);
  }
  bool terminated() const override { return distance() < 0.1; }
  bool succeeded() const override { return distance() < 0.1; }
  std::span<double> own_numbers() override { return own_; }

  int site_;
  double own_[3] = {};  // where the destination is
};

}  // namespace

std::unique_ptr<Task> make_package(std::string_view) { return std::make_unique<Package>(); }

}  // namespace mneme::envs::hb
