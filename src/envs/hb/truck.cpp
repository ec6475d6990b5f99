// envs/hb/truck.cpp - five packages from a truck onto a table.
//
// The suite keeps three lists of packages (on the truck, picked up, on the table), never resets
// them between episodes, takes the height of each package at the first reward of all, and removes
// from a list while it walks along it, which passes over the next entry. Returns depend on all of
// this, so it is the same here; the lists belong to an environment and are saved with it.
// truck_fixed begins every episode afresh and passes over nothing.
#include <algorithm>

#include "envs/hb/props.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr int kPackages = 5;
constexpr const char* kNames[kPackages] = {"package_a", "package_b", "package_c", "package_d",
                                           "package_e"};
constexpr double kHalf[kPackages][3] = {
    {0.2, 0.1, 0.15}, {0.25, 0.2, 0.1}, {0.2, 0.3, 0.1}, {0.25, 0.3, 0.1}, {0.2, 0.2, 0.2}};

Scene yard() {
  const std::string truck = box(0, 0, 0.5, 4, 1.2, 0.5) + box(0, 1.15, 2, 4, 0.05, 1) +
                            box(0, -1.15, 2, 4, 0.05, 1) + box(4, 0, 2, 0.05, 1.2, 1) +
                            box(0, 0, 3.05, 4, 1.2, 0.05) +
                            box(-4.7, 0, 0.5, 0.85, 1.2, 0.1, R"(euler="0 -0.5 0")");
  Scene scene{.bodies = fixed("truck", 8, 0, 0, truck) + fixed("table", 2, -1.7, 0.45, table()) +
                        fixed("load", 7, 0, 1, box(0, 0, 0.9, 0.2, 1.1, 0.9)),
              .objects =
                  "5 0 1.1 0.707105 -0.707108 0 0 5.1 0 1.3 0.706752 0 0 0.707462 "
                  "5 0.35 1.3 0.707105 0.707108 0 0 5 -0.5 1.1 1 0 0 0 5.1 -0.6 1.4 1 0 0 0",
              .x = 2};
  for (int i = 0; i < kPackages; ++i)
    scene.bodies += loose(kNames[i], box(0, 0, 0, kHalf[i][0], kHalf[i][1], kHalf[i][2]));
  return scene;
}

// An ordered list of packages as plain numbers.
struct List {
  double count;
  double packages[kPackages];

  int size() const { return static_cast<int>(count); }
  int operator[](int i) const { return static_cast<int>(packages[i]); }
  void add(int package) {
    packages[size()] = package;
    count += 1;
  }
  void remove(int at) {
    std::copy(packages + at + 1, packages + size(), packages + at);
    count -= 1;
  }
};

struct Memory {
  List truck{kPackages, {0, 1, 2, 3, 4}}, picked{}, table{};
  double measured = 0;  // 1: heights are known
  double heights[kPackages] = {};
};

class Truck final : public RobotTask {
 public:
  explicit Truck(std::string_view name)
      : RobotTask(name, yard(), Success::by_task),
        fixed_(task_of(name) == "truck_fixed"),
        table_(sim().names().body("table")) {
    for (int i = 0; i < kPackages; ++i) bodies_[i] = sim().names().body(kNames[i]);
  }

 private:
  std::span<double> own_numbers() override {
    static_assert(sizeof(Memory) == 24 * sizeof(double));
    return {&memory_.truck.count, 24};
  }
  void restart(bool forget) override {
    if (forget || fixed_) memory_ = {};
  }

  const double* place(int package) const { return sim().xpos(bodies_[package]); }

  bool on_table(int package) const {
    const double* p = place(package);
    return p[0] > 1.65 && p[0] < 2.35 && p[1] > -2.05 && p[1] < -1.35 && p[2] > 0.5;
  }

  // Moves those that satisfy `test` from one list to the other and counts them. The entry after one
  // that leaves is passed over, unless that is fixed.
  template <class Test>
  int move(List& from, List& to, const Test& test) const {
    int moved = 0;
    for (int i = 0; i < from.size(); ++i) {
      const int package = from[i];
      if (!test(package)) continue;
      from.remove(i);
      to.add(package);
      ++moved;
      if (fixed_) --i;
    }
    return moved;
  }

  // How near the nearest package of a list is; 0 for none.
  double near(const List& list, const double* point) const {
    if (list.size() == 0) return 0;
    double least = kInfinity;
    for (int i = 0; i < list.size(); ++i) least = std::min(least, distance(place(list[i]), point));
    return linear_to_zero(least, 0, 0.2, 4);
  }

  Outcome score() override {
    auto& [truck, picked, table, measured, heights] = memory_;
    if (measured == 0) {
      for (int i = 0; i < kPackages; ++i) heights[i] = place(i)[2];
      measured = 1;
    }
    const auto lifted = [&](int i) { return place(i)[2] > memory_.heights[i] + 0.1; };
    const auto laid = [&](int i) { return on_table(i); };
    const auto fallen = [&](int i) { return !on_table(i); };
    double reward = 100 * move(truck, picked, lifted);
    reward += 100 * move(picked, table, laid);
    reward -= 100 * move(table, picked, fallen);

    const double* root = d()->qpos;
    reward += straight() *
              (1 + near(truck, root) + near(picked, root) + near(picked, sim().xpos(table_)));
    const bool done = table.size() == kPackages;
    return {.reward = reward + (done ? 1000 : 0), .terminated = done, .success = done};
  }

  bool fixed_;
  int table_;
  int bodies_[kPackages] = {};
  Memory memory_;
};

}  // namespace

std::unique_ptr<Task> make_truck(std::string_view name) { return std::make_unique<Truck>(name); }

}  // namespace mneme::envs::hb
