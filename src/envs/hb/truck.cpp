// envs/hb/truck.cpp - unload five packages from a truck onto a table.
#include <algorithm>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr const char* kObjects = R"(
  <body pos="8 0 0">
    <geom class="fixed" pos="0 0 .5" size="4 1.2 .5"/>
    <geom class="fixed" pos="0 1.15 2" size="4 .05 1" rgba=".6 .58 .52 .3"/>
    <geom class="fixed" pos="0 -1.15 2" size="4 .05 1" rgba=".6 .58 .52 .3"/>
    <geom class="fixed" pos="4 0 2" size=".05 1.2 1"/>
    <geom class="fixed" pos="0 0 3.05" size="4 1.2 .05" rgba=".6 .58 .52 .3"/>
    <geom class="fixed" pos="-4.7 0 .5" size=".85 1.2 .1" euler="0 -.5 0"/>
  </body>
  <body name="table" pos="2 -1.7 .45">
    <geom class="fixed" pos="0 0 .45" size=".5 .5 .05"/>
    <geom class="fixed" pos=".4 .4 0" size=".05 .05 .5"/><geom class="fixed" pos=".4 -.4 0" size=".05 .05 .5"/>
    <geom class="fixed" pos="-.4 .4 0" size=".05 .05 .5"/><geom class="fixed" pos="-.4 -.4 0" size=".05 .05 .5"/>
  </body>
  <body pos="7 0 1"><geom class="fixed" pos="0 0 .9" size=".2 1.1 .9"/></body>
  <body name="package_0" pos="5 0 1.1" quat=".707105 -.707108 0 0"><freejoint/><geom class="thing" size=".2 .1 .15"/></body>
  <body name="package_1" pos="5.1 0 1.3" quat=".706752 0 0 .707462"><freejoint/><geom class="thing" size=".25 .2 .1"/></body>
  <body name="package_2" pos="5 .35 1.3" quat=".707105 .707108 0 0"><freejoint/><geom class="thing" size=".2 .3 .1"/></body>
  <body name="package_3" pos="5 -.5 1.1"><freejoint/><geom class="thing" size=".25 .3 .1"/></body>
  <body name="package_4" pos="5.1 -.6 1.4"><freejoint/><geom class="thing" size=".2 .2 .2"/></body>)";

constexpr int kPackages = 5;
enum Place { kTruck, kPicked, kTable };

class Truck final : public RobotTask {
 public:
  Truck()
      : RobotTask(h1_scene("", kObjects)),
        table_(sim().names().body("table")),
        first_(sim().names().body("package_0")) {}

 private:
  void pose() override { sim().d()->qpos[0] = 2; }

  // A list is a row of own_: how many, then their numbers in order. The original walks its lists
  // while taking elements out, so the one after a removed element is passed over; so does this.
  double* list(Place place) { return own_ + 1 + kPackages + place * (1 + kPackages); }
  int size(Place place) { return static_cast<int>(list(place)[0]); }
  int item(Place place, int i) { return static_cast<int>(list(place)[1 + i]); }
  void move(Place from, int i, Place to) {
    const double package = list(from)[1 + i];
    std::copy(list(from) + 2 + i, list(from) + 1 + size(from), list(from) + 1 + i);
    list(from)[0] -= 1;
    list(to)[1 + size(to)] = package;
    list(to)[0] += 1;
  }
  const double* at(int package) const { return sim().xpos(first_ + package); }
  bool on_table(int package) const {
    const double* p = at(package);
    return p[0] > 1.65 && p[0] < 2.35 && p[1] > -2.05 && p[1] < -1.35 && p[2] > 0.5;
  }
  double nearest(Place place, const double* to) {
    if (size(place) == 0) return 0;
    double best = kInfinity;
    for (int i = 0; i < size(place); ++i)
      best = std::min(best, hand_distance(at(item(place, i)), to));
    return linear_to_zero(best, 0, 0.2, 4);
  }

  double reward() override {
    if (own_[0] ==
        0) {  // the first time ever: where the packages lie, and that all are on the truck
      own_[0] = 1;
      for (int i = 0; i < kPackages; ++i) {
        own_[1 + i] = at(i)[2];
        list(kTruck)[1 + i] = i;
      }
      list(kTruck)[0] = kPackages;
    }
    double sum = 0;
    for (int i = 0; i < size(kTruck); ++i) {
      const int package = item(kTruck, i);
      if (at(package)[2] > own_[1 + package] + 0.1) {
        move(kTruck, i, kPicked);
        sum += 100;
      }
    }
    for (int i = 0; i < size(kPicked); ++i) {
      if (on_table(item(kPicked, i))) {
        move(kPicked, i, kTable);
        sum += 100;
      }
    }
    for (int i = 0; i < size(kTable); ++i) {
      if (!on_table(item(kTable, i))) {
        move(kTable, i, kPicked);
        sum -= 100;
      }
    }
    sum += being_upright() * (1 + nearest(kTruck, d()->qpos) + nearest(kPicked, d()->qpos) +
                              nearest(kPicked, sim().xpos(table_)));
    return sum + (done() ? 1000 : 0);
  }
  bool done() const { return own_[1 + kPackages + kTable * (1 + kPackages)] == kPackages; }
  bool terminated() const override { return done(); }
  bool succeeded() const override { return done(); }
  std::span<double> own_numbers() override { return own_; }

  int table_, first_;
  // Begun at all, heights at the beginning, and the lists of packages on the truck, picked up and
  // on the table. As in the original they outlive an episode.
  double own_[1 + kPackages + 3 * (1 + kPackages)] = {};
};

}  // namespace

std::unique_ptr<Task> make_truck(std::string_view) { return std::make_unique<Truck>(); }

}  // namespace mneme::envs::hb
