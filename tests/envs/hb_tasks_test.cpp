// tests/envs/hb_tasks_test.cpp - HumanoidBench: how episodes begin and end, and what tasks
// remember.
#include <algorithm>
#include <array>
#include <utility>

#include "envs/dmc.h"

namespace mneme::envs {
namespace {

using test::observation;

// qpos and qvel in the numbers of physics(): time comes first.
struct Parts {
  std::vector<double> numbers;
  std::size_t positions;
  double& q(std::size_t i) { return numbers[1 + i]; }
  double& v(std::size_t i) { return numbers[1 + positions + i]; }
};

Parts parts(const Task& task, std::size_t positions) { return {task.physics(), positions}; }

constexpr std::size_t kRobot = 26;  // numbers of H1 in qpos

std::vector<double> still(std::string_view name) {
  return std::vector<double>(static_cast<std::size_t>(find_task(name).info.action));
}

// Every position gets noise of its own, at most 0.01; quaternions are of unit length; velocities
// are zero.
TEST(HbReset, NoiseOnEveryPosition) {
  constexpr const char* kName = "hb/h1-balance_hard";
  MNEME_SKIP_IF_MISSING(kName);
  const auto task = test::make(kName);
  task->reset_nominal();
  const std::vector<double> nominal = observation(*task, kName);
  Rng rng(5);
  std::vector<double> least(40, 1), most(40, -1);
  for (int episode = 0; episode < 200; ++episode) {
    task->reset(rng);
    const std::vector<double> seen = observation(*task, kName);
    for (std::size_t i = 0; i < 40; ++i) {
      const double off = seen[i] - nominal[i];
      // A quaternion near 1 0 0 0 keeps its noise in x y z up to second order.
      EXPECT_LE(std::abs(off), 0.0102) << i;
      least[i] = std::min(least[i], off);
      most[i] = std::max(most[i], off);
    }
    for (const std::size_t at : {3, 29, 36}) {
      double squared = 0;
      for (std::size_t i = at; i < at + 4; ++i) squared += seen[i] * seen[i];
      EXPECT_NEAR(squared, 1, 1e-12);
    }
    for (std::size_t i = 40; i < 77; ++i) EXPECT_EQ(seen[i], 0);
  }
  for (std::size_t i = 0; i < 40; ++i) {
    if (i == 3 || i == 29 || i == 36) continue;  // normalized away
    EXPECT_LT(least[i], -0.008) << i;
    EXPECT_GT(most[i], 0.008) << i;
  }
}

TEST(HbReset, DrawsOfTheTasks) {
  MNEME_SKIP_IF_MISSING("hb/h1-reach");
  const auto in = [](double x, double low, double high) { return low <= x && x <= high; };
  Rng rng(8);
  const auto reach = test::make("hb/h1-reach"), push = test::make("hb/h1-push"),
             sit = test::make("hb/h1-sit_hard"), ball = test::make("hb/h1-basketball");
  int turned = 0, right = 0;
  for (int episode = 0; episode < 50; ++episode) {
    reach->reset(rng);
    const std::vector<double> r = observation(*reach, "hb/h1-reach");
    EXPECT_TRUE(in(r[54], -2, 2) && in(r[55], -2, 2) && in(r[56], 0.2, 2));

    push->reset(rng);
    const std::vector<double> p = observation(*push, "hb/h1-push");
    EXPECT_TRUE(in(p[54], 0.7, 1) && in(p[55], -0.5, 0.5));
    EXPECT_EQ(p[56], 1);

    sit->reset(rng);
    const std::vector<double> s = observation(*sit, "hb/h1-sit_hard");
    EXPECT_TRUE(in(s[0], 0.2, 0.4) && in(s[1], -0.15, 0.15) && in(s[2], 0.97, 0.99));
    EXPECT_EQ(s[4], 0);
    EXPECT_EQ(s[5], 0);
    const double yaw = 2 * std::atan2(s[6], s[3]);
    EXPECT_TRUE(in(yaw, -1.8, 1.8));
    turned += std::abs(yaw) > 0.9;

    ball->reset(rng);
    const std::vector<double> b = observation(*ball, "hb/h1-basketball");
    EXPECT_NEAR(std::hypot(b[kRobot], b[kRobot + 1]), 1.5, 1e-12);
    // It flies to the robot at 7.5 m/s.
    EXPECT_NEAR(b[58], -5 * b[kRobot], 1e-12);
    EXPECT_NEAR(b[59], -5 * b[kRobot + 1], 1e-12);
    EXPECT_EQ(b[60], 0);
    right += b[kRobot + 1] < 0;
  }
  EXPECT_TRUE(in(turned, 10, 40)) << turned;
  EXPECT_TRUE(in(right, 10, 40)) << right;
}

// The first observation shows where the last episode's package had to go.
TEST(HbPackage, DestinationShowsOneStepLater) {
  constexpr const char* kName = "hb/h1-package";
  MNEME_SKIP_IF_MISSING(kName);
  const auto task = test::make(kName);
  const auto destination = [&] {
    const std::vector<double> seen = observation(*task, kName);
    return std::array{seen[51], seen[52], seen[53]};
  };
  Rng rng(3);
  task->reset(rng);
  EXPECT_EQ(destination(), (std::array{0.0, 0.0, 0.35}));
  task->step(still(kName));
  const auto first = destination();
  EXPECT_NE(first[0], 0);
  task->reset(rng);
  EXPECT_EQ(destination(), first);
  task->step(still(kName));
  EXPECT_NE(destination(), first);
}

TEST(HbMaze, StagesPayOnceAndTurnTheWay) {
  constexpr const char* kName = "hb/h1-maze";
  MNEME_SKIP_IF_MISSING(kName);
  const auto task = test::make(kName);
  task->reset_nominal();
  EXPECT_GT(task->step(still(kName)).reward, 100);
  EXPECT_LT(task->step(still(kName)).reward, 1.1);
  double paid = 0;
  for (const auto& [x, y] : {std::pair{3.0, 0.0}, {3.0, 6.0}, {6.0, 6.0}, {6.0, 6.0}}) {
    Parts state = parts(*task, kRobot);
    state.q(0) = x;
    state.q(1) = y;
    task->set_physics(state.numbers);
    paid += std::floor(task->step(still(kName)).reward / 100);
  }
  EXPECT_EQ(paid, 2 + 3 + 4);
}

TEST(HbTermination, ByHeightUprightnessAndContact) {
  MNEME_SKIP_IF_MISSING("hb/h1-walk");
  const auto lowered = [](const char* name, double height, std::size_t positions = kRobot) {
    const auto task = test::make(name);
    task->reset_nominal();
    Parts state = parts(*task, positions);
    state.q(2) = height;
    task->set_physics(state.numbers);
    return task->evaluate().terminated;
  };
  for (const char* name : {"hb/h1-walk", "hb/h1-hurdle", "hb/h1-maze"}) {
    EXPECT_TRUE(lowered(name, 0.19)) << name;
    EXPECT_FALSE(lowered(name, 0.21)) << name;
  }
  EXPECT_TRUE(lowered("hb/h1-pole", 0.49));
  EXPECT_FALSE(lowered("hb/h1-pole", 0.51));
  EXPECT_TRUE(lowered("hb/h1-sit_simple", 0.49));
  EXPECT_TRUE(lowered("hb/h1-door", 0.57, 28));
  EXPECT_FALSE(lowered("hb/h1-crawl", 0.1));
  EXPECT_FALSE(lowered("hb/h1-reach", 0.1));
  EXPECT_FALSE(lowered("hb/h1-stair", 0.1));  // upright all the same
  // The board on the floor: the floor may touch nothing but the ball.
  const auto task = test::make("hb/h1-balance_simple");
  task->reset_nominal();
  EXPECT_FALSE(task->evaluate().terminated);
  Parts state = parts(*task, 33);
  state.q(kRobot) = 3;
  state.q(kRobot + 2) = 0.02;
  task->set_physics(state.numbers);
  EXPECT_TRUE(task->evaluate().terminated);
}

TEST(HbPush, GoalEndsTheEpisodeAndPays) {
  constexpr const char* kName = "hb/h1-push";
  MNEME_SKIP_IF_MISSING(kName);
  const auto task = test::make(kName);
  task->reset_nominal();
  EXPECT_FALSE(task->evaluate().success);
  Parts state = parts(*task, 33);
  state.q(kRobot) = 1;  // goal: 1 0 1
  task->set_physics(state.numbers);
  const Outcome outcome = task->evaluate();
  EXPECT_GT(outcome.reward, 999);
  EXPECT_TRUE(outcome.terminated && outcome.success);
}

TEST(HbBasketball, TouchTurnsCatchIntoThrow) {
  constexpr const char* kName = "hb/h1-basketball";
  MNEME_SKIP_IF_MISSING(kName);
  const auto task = test::make(kName);
  task->reset_nominal();
  const double before = task->evaluate().reward;
  // The ball on the robot's head.
  Parts state = parts(*task, 33);
  const std::vector<double> start = state.numbers;
  state.q(kRobot) = 0.04;
  state.q(kRobot + 1) = 0;
  state.q(kRobot + 2) = 1.84;
  task->set_physics(state.numbers);
  task->step(still(kName));
  task->set_physics(start);
  const double after = task->evaluate().reward;
  EXPECT_NE(before, after);
  // Thrown: 0.15 of the posture, 0.05 of the hands, 0.8 of the way to the hoop.
  const double way = std::sqrt(5.55 * 5.55 + 0.9 * 0.9 + 0.25 * 0.25);
  EXPECT_GT(after, 0.8 * (1 - 0.9 * way / 7));
  EXPECT_LT(after, 0.8 * (1 - 0.9 * way / 7) + 0.2);
}

// Packages count once when lifted and once on the table; the lists outlive the episode.
TEST(HbTruck, ListsOutliveEpisodes) {
  constexpr const char* kName = "hb/h1-truck";
  MNEME_SKIP_IF_MISSING(kName);
  const auto task = test::make(kName);
  task->reset_nominal();
  EXPECT_NEAR(task->step(still(kName)).reward, 1.3, 0.01);  // heights are taken here
  const auto place = [&](std::size_t package, double x, double y, double z) {
    Parts state = parts(*task, 61);
    const std::size_t at = kRobot + 7 * package;
    state.q(at) = x;
    state.q(at + 1) = y;
    state.q(at + 2) = z;
    task->set_physics(state.numbers);
    return task->step(still(kName)).reward;
  };
  EXPECT_GT(place(0, 2, -1.7, 1.3), 200);  // lifted and laid down in one step
  Rng rng(1);
  task->reset(rng);
  // Back on the truck, yet the list says table: it has fallen.
  EXPECT_LT(task->step(still(kName)).reward, -90);
  // Two neighbors of the list lifted at once: the second is passed over until the next step.
  task->reset_nominal();
  task->step(still(kName));
  Parts state = parts(*task, 61);
  state.q(kRobot + 2) += 0.6;
  state.q(kRobot + 7 + 2) += 0.6;
  task->set_physics(state.numbers);
  const double first = task->step(still(kName)).reward, second = task->step(still(kName)).reward;
  EXPECT_TRUE(first > 100 && first < 200) << first;
  EXPECT_TRUE(second > 100 && second < 200) << second;
}

// Rewards and some observations read what the last physics step left behind; a loaded state has it
// too, with the same bits. Also right after a reset.
TEST(HbState, DerivedQuantitiesComeBack) {
  for (const TaskInfo& info : registered_tasks()) {
    if (info.suite() != "hb" || !info.available) continue;
    const auto one = test::make(info.name), two = test::make(info.name);
    Rng rng(21);
    one->reset(rng);
    two->reset(rng);
    for (const int steps : {0, 7}) {
      for (int i = 0; i < steps; ++i) {
        std::vector<double> action(static_cast<std::size_t>(info.action));
        rng.fill_uniform(action);
        ASSERT_EQ(one->step(action).failure, nullptr);
      }
      ByteWriter saved;
      one->save(saved);
      ByteReader reader(saved.bytes());
      two->load(reader);
      EXPECT_EQ(observation(*one, info.name), observation(*two, info.name)) << info.name;
      EXPECT_EQ(one->evaluate().reward, two->evaluate().reward) << info.name << ", " << steps;
      EXPECT_EQ(one->evaluate().terminated, two->evaluate().terminated) << info.name;
    }
  }
}

// Success of tasks without one of their own: the return of the episode reaches the bar.
TEST(HbSuccess, ByReturn) {
  constexpr const char* kName = "hb/h1-maze";
  MNEME_SKIP_IF_MISSING(kName);
  const auto task = test::make(kName);
  task->reset_nominal();
  const Parts keyframe = parts(*task, kRobot);
  double sum = 0;
  bool success = false;
  const auto step_at = [&](double x, double y) {
    Parts state = keyframe;
    state.q(0) = x;
    state.q(1) = y;
    task->set_physics(state.numbers);
    const Outcome outcome = task->step(still(kName));
    sum += outcome.reward;
    success = outcome.success;
    EXPECT_EQ(success, sum >= 1200);
  };
  step_at(0, 0);
  step_at(3, 0);
  step_at(3, 6);
  for (int i = 0; i < 500 && !success; ++i) step_at(6, 6);
  EXPECT_TRUE(success);
  // A new episode begins at zero.
  task->reset_nominal();
  EXPECT_FALSE(task->evaluate().success);
}

}  // namespace
}  // namespace mneme::envs
