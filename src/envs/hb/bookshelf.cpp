// envs/hb/bookshelf.cpp - five of twelve things on a shelf, one after the other, to another place
// there: always the same (bookshelf_simple), or drawn for every episode (bookshelf_hard).
//
// Each pays 100 times its number. The observation ends in the thing's number as the suite has it,
// counted from behind: -24 is book_a. It shows the thing from before the reward.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "envs/hb/h1.h"
#include "envs/hb/props.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

constexpr int kThings = 12, kMoves = 5;
constexpr double kFirst = -24;
constexpr const char* kNames[kThings] = {"book_a",     "book_b", "book_c",     "book_d",
                                         "book_e",     "trophy", "book_flat",  "soda_can",
                                         "book_thick", "chalk",  "snow_globe", "headphone"};
// Where they begin; the others stand upright.
constexpr double kPlaces[kThings][3] = {
    {0.95, -0.36, 1.25}, {0.95, -0.3, 1.25}, {0.95, -0.24, 1.25}, {0.95, -0.18, 1.25},
    {0.95, -0.12, 1.25}, {0.95, 0.02, 1.25}, {0.95, 0.12, 1.255}, {0.95, -0.3, 0.65},
    {0.95, -0.13, 0.65}, {0.95, 0, 0.65},    {0.95, 0.2, 0.65},   {0.85, 0, 1.58}};
constexpr const char* kLying = "0.7073883 -0.7068252 0 0";
constexpr const char* kLeaning = "0.8689313 -0.06692531 0.12250874 0.47483787";

constexpr double kGoals[kMoves][3] = {{0.75, -0.25, 1.55},
                                      {0.8, 0.05, 0.95},
                                      {0.8, -0.25, 0.95},
                                      {0.85, 0.05, 0.35},
                                      {0.85, -0.25, 0.35}};
constexpr int kOrder[kMoves] = {5, 2, 9, 4, 1};  // trophy, book_c, chalk, book_e, book_b

// Books have the inertia that MuJoCo finds for the suite's mesh of one, here 2.27 kg.
std::string book(const char* centre) {
  return inertial("2.2660262290675455", centre,
                  "0.7085408525060298 -0.00315267549223836 -0.0034787505098350883 "
                  "0.7056541782361673",
                  "0.0143348496818106 0.009709299239854951 0.005550381903172125");
}

Scene library() {
  const std::string upright =
      book("0.0008807086703478467 0.002394836903580233 0.11509861341800275") +
      box(0.0025, 0, 0.115, 0.082, 0.025, 0.115);
  const std::string thick =
      inertial("3.7740403249425336",
               "0.0008884998282272233 0.0040998302619922105 0.11508564008134119",
               "0.7100338929810691 -0.003011849885990264 -0.0036162080938304665 "
               "0.7041517752710958",
               "0.023881289801191863 0.017544494112685546 0.010616560776872877") +
      box(0.0025, 0.003, 0.115, 0.082, 0.0415, 0.115);
  const std::string shapes[kThings] = {
      upright,
      upright,
      upright,
      upright,
      upright,
      trophy(),
      book("0.0008807086703478467 -0.02260516309641977 0.11509861341800275") +
          box(0, -0.022, 0.115, 0.082, 0.028, 0.115),
      cylinder(0, 0, 0.1, 0.05, 0.1),
      thick,
      cylinder(0, 0, 0.01, 0.01, 0.07, R"(zaxis="1 1 0")"),
      snow_globe(),
      headphone()};
  Scene scene{.bodies = fixed("shelf", 0.95, 0, 0, shelf()), .multiccd = true};
  for (int i = 0; i < kThings; ++i) {
    const std::string_view name = kNames[i];
    scene.bodies += loose(name, shapes[i]);
    scene.objects += concat(numbers({kPlaces[i][0], kPlaces[i][1], kPlaces[i][2]}), ' ',
                            name == "book_flat"   ? kLying
                            : name == "headphone" ? kLeaning
                                                  : "1 0 0 0",
                            ' ');
  }
  for (int i = 0; i < kMoves; ++i)
    scene.marks += mark(concat("goal_", i + 1), kGoals[i][0], kGoals[i][1], kGoals[i][2]);
  return scene;
}

class Bookshelf final : public RobotTask {
 public:
  Bookshelf(std::string_view name, bool hard)
      : RobotTask(name, library(), Success::by_task), hard_(hard) {
    for (int i = 0; i < kThings; ++i) bodies_[i] = sim().names().body(kNames[i]);
  }

  void observe(std::span<double> out) const override {
    Put(out).all(d()->qpos, m()->nq).all(d()->qvel, m()->nv).all(&memory_.shown, 1);
  }

 private:
  // Plain numbers, saved with the environment. Goals are marks of the simulation.
  struct Memory {
    double done, shown;
    std::array<double, kMoves + 1> things;  // the last one twice: for when all are done
  };

  double noise() const override { return 0; }
  std::span<double> own_numbers() override {
    static_assert(sizeof(Memory) == (3 + kMoves) * sizeof(double));
    return {&memory_.done, 3 + kMoves};
  }

  void restart(bool) override {
    for (std::size_t i = 0; i <= kMoves; ++i)
      memory_.things[i] = kOrder[std::min<std::size_t>(i, kMoves - 1)];
    for (int i = 0; i < kMoves; ++i) std::copy_n(kGoals[i], 3, goal(i));
    begin_counting();
  }

  void begin(Rng& rng) override {
    if (!hard_) return;
    // Goals in any order, and five different things.
    for (int i = kMoves - 1; i > 0; --i)
      std::swap_ranges(goal(i), goal(i) + 3, goal(below(rng, i + 1)));
    std::array<int, kThings> all{};
    for (int i = 0; i < kThings; ++i) all[static_cast<std::size_t>(i)] = i;
    for (std::size_t i = 0; i < kMoves; ++i) {
      std::swap(all[i],
                all[i + static_cast<std::size_t>(below(rng, kThings - static_cast<int>(i)))]);
      memory_.things[i] = all[i];
    }
    memory_.things[kMoves] = memory_.things[kMoves - 1];
    begin_counting();
  }

  static int below(Rng& rng, int n) {
    return static_cast<int>(rng.below(static_cast<std::uint64_t>(n)));
  }
  void begin_counting() {
    memory_.done = 0;
    memory_.shown = kFirst + thing();
  }

  double thing() const { return memory_.things[static_cast<std::size_t>(memory_.done)]; }
  const double* place() const { return sim().xpos(bodies_[static_cast<int>(thing())]); }
  double* goal(int i) { return sim().d()->mocap_pos + 3 * i; }

  Outcome score() override {
    memory_.shown = kFirst + thing();
    const double* now = place();
    const double left =
        memory_.done < kMoves ? distance(now, goal(static_cast<int>(memory_.done))) : kInfinity;
    const double hand = std::min(distance(left_hand(), now), distance(right_hand(), now));
    double reward = 0.2 * standing() * small_control() +
                    0.4 * tolerance(left, 0, 0.15, 1, Shape::linear) + 0.4 * std::exp(-hand);
    if (left < 0.15) {
      memory_.done += 1;
      reward += 100 * memory_.done;
    }
    // The next thing may lie on the floor already.
    const bool all = memory_.done >= kMoves;
    return {.reward = reward,
            .terminated = d()->qpos[2] < 0.58 || all || place()[2] < 0.5,
            .success = all};
  }

  bool hard_;
  int bodies_[kThings] = {};
  Memory memory_{};
};

}  // namespace

std::unique_ptr<Task> make_bookshelf(std::string_view name) {
  return std::make_unique<Bookshelf>(name, task_of(name) == "bookshelf_hard");
}

}  // namespace mneme::envs::hb
