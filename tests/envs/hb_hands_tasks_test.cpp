// tests/envs/hb_hands_tasks_test.cpp - HumanoidBench with hands: how the tasks with objects begin,
// pay and end, and what the fixed variants do otherwise.
#include <algorithm>
#include <array>
#include <set>

#include "envs/dmc.h"

namespace mneme::envs {
namespace {

using test::observation;

constexpr std::size_t kRobot = 76;  // numbers of the robot in qpos

std::vector<double> still(std::string_view name) {
  return std::vector<double>(static_cast<std::size_t>(find_task(name).info.action));
}

// A task at its start, with qpos at hand: time comes first in the numbers of physics().
struct Stage {
  explicit Stage(const char* full_name) : name(full_name), task(test::make(full_name)) {
    task->reset_nominal();
    numbers = task->physics();
  }
  double& q(std::size_t i) { return numbers[1 + i]; }
  /// Of the object number `i`, free ones alone.
  void put(std::size_t i, double x, double y, double z) {
    q(kRobot + 7 * i) = x;
    q(kRobot + 7 * i + 1) = y;
    q(kRobot + 7 * i + 2) = z;
  }
  Outcome look() {
    task->set_physics(numbers);
    return task->evaluate();
  }
  Outcome step() {
    task->set_physics(numbers);
    return task->step(still(name));
  }
  std::vector<double> seen() const { return observation(*task, name); }

  std::string_view name;
  std::unique_ptr<Task> task;
  std::vector<double> numbers;
};

bool in(double x, double low, double high) { return low <= x && x <= high; }

double length(const double* quaternion) {
  double squared = 0;
  for (int i = 0; i < 4; ++i) squared += quaternion[i] * quaternion[i];
  return std::sqrt(squared);
}

// ---------------------------------------------------------------- beginnings

TEST(HbHandsReset, WithoutNoise) {
  Rng rng(3);
  for (const char* name : {"hb/h1hand-cube", "hb/h1hand-bookshelf_simple",
                           "hb/h1hand-bookshelf_hard", "hb/h1hand-kitchen"}) {
    MNEME_SKIP_IF_MISSING(name);
    const auto task = test::make(name);
    task->reset_nominal();
    const std::vector<double> nominal = observation(*task, name);
    task->reset(rng);
    const std::vector<double> seen = observation(*task, name);
    for (std::size_t i = 0; i < kRobot; ++i) EXPECT_EQ(seen[i], nominal[i]) << name << ' ' << i;
  }
  const auto kitchen = test::make("hb/h1hand-kitchen");
  kitchen->reset(rng);
  EXPECT_NEAR(length(observation(*kitchen, "hb/h1hand-kitchen").data() + 3), 1, 1e-12);
}

TEST(HbHandsReset, CubesAndTargetAreTurned) {
  constexpr const char* kName = "hb/h1hand-cube";
  MNEME_SKIP_IF_MISSING(kName);
  const auto task = test::make(kName);
  Rng rng(4);
  std::vector<double> last;
  for (int episode = 0; episode < 5; ++episode) {
    task->reset(rng);
    const std::vector<double> seen = observation(*task, kName);
    std::vector<double> turns;
    for (const std::size_t at : {kRobot + 3, kRobot + 10, std::size_t{177}}) {
      EXPECT_NEAR(length(seen.data() + at), 1, 1e-12);
      turns.insert(turns.end(), seen.begin() + static_cast<std::ptrdiff_t>(at),
                   seen.begin() + static_cast<std::ptrdiff_t>(at) + 4);
    }
    EXPECT_EQ(std::set<double>(turns.begin(), turns.end()).size(), 12U);
    EXPECT_NE(turns, last);
    last = turns;
  }
}

// Seven pairs of coordinates for six things: the first goes into a finger, unless that is fixed.
TEST(HbHandsReset, RoomScattersThingsAndAFinger) {
  MNEME_SKIP_IF_MISSING("hb/h1hand-room");
  Rng rng(5);
  for (const char* name : {"hb/h1hand-room", "hb/h1hand-room_fixed"}) {
    const auto task = test::make(name);
    int right = 0;
    for (int episode = 0; episode < 20; ++episode) {
      task->reset(rng);
      const std::vector<double> q = observation(*task, name);
      for (std::size_t i = 0; i < 6; ++i) {
        const double x = static_cast<double>(i) - 2.5, y = q[kRobot + 7 * i + 1];
        EXPECT_TRUE(in(q[kRobot + 7 * i], x, x + 1)) << i;
        EXPECT_TRUE(in(std::abs(y), 1.2, 3.5)) << i;
        right += y < 0;
      }
      const bool calm = in(q[69], -0.01, 0.01) && in(q[70], -0.01, 0.01);
      const bool torn = in(q[69], -3.5, -2.5) && in(std::abs(q[70]), 1.2, 3.5);
      EXPECT_TRUE(std::string_view(name).ends_with("_fixed") ? calm : torn);
      EXPECT_NEAR(length(q.data() + kRobot + 17), 1, 1e-12);
      EXPECT_NEAR(q[kRobot + 20], -0.966591, 1e-6);
    }
    EXPECT_TRUE(in(right, 30, 90)) << right;
  }
}

// The suite turns the left wrist and, meaning the other wrist, raises the right upper arm.
TEST(HbHandsReset, ArmsOfPush) {
  MNEME_SKIP_IF_MISSING("hb/h1hand-push");
  Stage push("hb/h1hand-push"), fixed("hb/h1hand-push_fixed");
  constexpr std::size_t kLeftWrist = 22, kRightShoulder = 47, kRightWrist = 51;
  for (std::size_t i = 18; i < kRobot; ++i) {
    EXPECT_EQ(push.q(i), i == kLeftWrist || i == kRightShoulder ? 1.57 : 0) << i;
    EXPECT_EQ(fixed.q(i), i == kLeftWrist || i == kRightWrist ? 1.57 : 0) << i;
  }
  Rng rng(2);
  push.task->reset(rng);
  EXPECT_NEAR(push.seen()[kLeftWrist], 1.57, 0.01);
  EXPECT_NE(push.seen()[kLeftWrist], 1.57);
}

// ---------------------------------------------------------------- things that move on

// The point circles with every reward, shows one step later, and does not go back.
TEST(HbHandsSpoon, TargetCircles) {
  MNEME_SKIP_IF_MISSING("hb/h1hand-spoon");
  for (const char* name : {"hb/h1hand-spoon", "hb/h1hand-spoon_fixed"}) {
    Stage stage(name);
    const auto angle = [&] {
      const std::vector<double> seen = stage.seen();
      const std::size_t at = seen.size() - 3;
      EXPECT_NEAR(std::hypot(seen[at] - 0.75, seen[at + 1] + 0.1), 0.06, 1e-12);
      EXPECT_EQ(seen[at + 2], 0.95);
      return std::atan2(seen[at + 1] + 0.1, seen[at] - 0.75) * 20 / std::acos(-1.0);
    };
    EXPECT_NEAR(angle(), 0, 1e-9);
    for (const double expected : {0, 1, 2, 3}) {
      stage.task->step(still(name));
      EXPECT_NEAR(angle(), expected, 1e-9);
    }
    Rng rng(1);
    stage.task->reset(rng);
    EXPECT_NEAR(angle(), std::string_view(name).ends_with("_fixed") ? 0 : 4, 1e-9);
  }
}

TEST(HbHandsBookshelf, ThingsOneAfterTheOther) {
  constexpr const char* kName = "hb/h1hand-bookshelf_simple";
  MNEME_SKIP_IF_MISSING(kName);
  constexpr double kGoals[5][3] = {{0.75, -0.25, 1.55},
                                   {0.8, 0.05, 0.95},
                                   {0.8, -0.25, 0.95},
                                   {0.85, 0.05, 0.35},
                                   {0.85, -0.25, 0.35}};
  constexpr std::size_t kThings[5] = {5, 2, 9, 4, 1};
  constexpr double kShown[5] = {-19, -22, -15, -20, -23};
  Stage stage(kName);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(stage.look().terminated, false) << i;
    stage.put(kThings[i], kGoals[i][0], kGoals[i][1], kGoals[i][2]);
    const Outcome outcome = stage.step();
    EXPECT_EQ(std::floor(outcome.reward / 100), static_cast<double>(i + 1));
    EXPECT_EQ(stage.seen().back(), kShown[i]) << "shown one step later";
    EXPECT_EQ(outcome.terminated, i == 4) << i;
    EXPECT_EQ(outcome.success, i == 4) << i;
  }
  // The thing on the floor ends it, another one does not.
  Stage floor(kName);
  floor.put(0, 0.3, 1, 0.1);
  EXPECT_FALSE(floor.look().terminated);
  floor.put(5, 0.3, 1, 0.1);
  EXPECT_TRUE(floor.look().terminated);
}

TEST(HbHandsBookshelf, HardDrawsThingsAndGoals) {
  constexpr const char* kName = "hb/h1hand-bookshelf_hard";
  MNEME_SKIP_IF_MISSING(kName);
  const auto task = test::make(kName);
  Rng rng(6);
  std::set<double> first;
  std::set<std::vector<double>> orders;
  for (int episode = 0; episode < 60; ++episode) {
    task->reset(rng);
    const double shown = observation(*task, kName).back();
    EXPECT_TRUE(in(shown, -24, -13));
    first.insert(shown);
    // Marks come last: five places, then five quaternions.
    const std::vector<double> numbers = task->physics();
    std::vector<double> heights;
    for (std::size_t i = 0; i < 5; ++i) heights.push_back(numbers[numbers.size() - 35 + 3 * i + 2]);
    orders.insert(heights);
    std::sort(heights.begin(), heights.end());
    EXPECT_EQ(heights, (std::vector<double>{0.35, 0.35, 0.95, 0.95, 1.55}));
  }
  EXPECT_EQ(first.size(), 12U);
  EXPECT_GT(orders.size(), 15U);  // of 30
}

TEST(HbHandsCabinet, JobsOneAfterTheOther) {
  constexpr const char* kName = "hb/h1hand-cabinet";
  MNEME_SKIP_IF_MISSING(kName);
  Stage stage(kName);
  constexpr std::size_t kDrawer = kRobot, kSlide = kRobot + 3, kCubes = kRobot + 5;
  stage.q(0) = -1;  // out of the way
  // The drawer first is too early.
  stage.q(kDrawer) = 0.44;
  EXPECT_LT(stage.step().reward, 1);
  stage.q(kSlide) = -0.39;
  EXPECT_EQ(std::floor(stage.step().reward / 100), 1);
  EXPECT_EQ(std::floor(stage.step().reward / 100), 2);
  // The drawer's cube, then the one of the doors.
  stage.q(kCubes + 2) = 0.9;
  EXPECT_EQ(std::floor(stage.step().reward / 100), 3);
  EXPECT_FALSE(stage.look().terminated);
  stage.q(kCubes + 7) = 0.75;
  stage.q(kCubes + 7 + 2) = 1.45;
  const Outcome last = stage.step();
  EXPECT_EQ(std::floor(last.reward / 100), 4);
  EXPECT_TRUE(last.terminated && last.success);
}

TEST(HbHandsKitchen, InOrder) {
  constexpr const char* kName = "hb/h1hand-kitchen";
  MNEME_SKIP_IF_MISSING(kName);
  Stage stage(kName);
  constexpr std::size_t kBurner = kRobot + 2, kLight = kRobot + 8, kMicrowave = kRobot + 13,
                        kKettle = kRobot + 14;
  // The light is on, and the burner: nothing, as long as the microwave is shut.
  stage.q(kLight) = -0.69;
  stage.q(kLight + 1) = -0.05;
  stage.q(kBurner) = -0.88;
  EXPECT_EQ(stage.look().reward, 0);
  stage.q(kMicrowave) = -0.75;
  EXPECT_EQ(stage.step().reward, 1);
  EXPECT_EQ(stage.look().reward, 0);
  stage.q(kKettle) = -0.23;
  stage.q(kKettle + 1) = 0.75;
  stage.q(kKettle + 2) = 1;
  const Outcome rest = stage.look();
  EXPECT_EQ(rest.reward, 3);
  EXPECT_TRUE(rest.terminated && rest.success);
}

TEST(HbHandsTruck, FixedForgetsAndPassesOverNothing) {
  MNEME_SKIP_IF_MISSING("hb/h1hand-truck");
  for (const char* name : {"hb/h1hand-truck", "hb/h1hand-truck_fixed"}) {
    const bool fixed = std::string_view(name).ends_with("_fixed");
    Stage stage(name);
    stage.step();  // heights are taken here
    stage.q(kRobot + 2) += 0.6;
    stage.q(kRobot + 7 + 2) += 0.6;
    EXPECT_EQ(std::floor(stage.step().reward / 100), fixed ? 2 : 1) << name;
    // Lifted ones are lifted in the next episode too, unless it forgets: not paid again.
    Rng rng(1);
    stage.task->reset(rng);
    stage.task->step(still(name));
    EXPECT_EQ(std::floor(stage.step().reward / 100), fixed ? 2 : 1) << name;
    EXPECT_EQ(std::floor(stage.step().reward / 100), 0) << name;
  }
}

// ---------------------------------------------------------------- rewards and ends

TEST(HbHandsCube, AlignmentAndHands) {
  constexpr const char* kName = "hb/h1hand-cube";
  MNEME_SKIP_IF_MISSING(kName);
  Stage stage(kName);
  // All three turned alike.
  const double aligned = stage.look().reward;
  EXPECT_GT(aligned, 0.5);
  // Half a turn of one: a quarter of the reward is gone, and 1.4 off is as good as anything.
  stage.q(kRobot + 3) = 0;
  stage.q(kRobot + 6) = 1;
  EXPECT_NEAR(aligned - stage.look().reward, 0.25, 1e-6);
  // The other sign of a quaternion is the same rotation and does not count as one.
  stage.q(kRobot + 3) = -1;
  stage.q(kRobot + 6) = 0;
  EXPECT_NEAR(aligned - stage.look().reward, 0.25, 1e-6);
  EXPECT_FALSE(stage.look().terminated);
  stage.put(1, 0.45, -0.21, 0.59);
  EXPECT_TRUE(stage.look().terminated);
}

TEST(HbHandsRoom, PaysForOrder) {
  constexpr const char* kName = "hb/h1hand-room";
  MNEME_SKIP_IF_MISSING(kName);
  Stage stage(kName);
  for (std::size_t i = 0; i < 6; ++i) stage.put(i, 2, 2, 0.5);
  const double tidy = stage.look().reward;
  EXPECT_GT(tidy, 0.8);
  // Half of them 2 sqrt(3) apart: variance 3, where 0.1 is left.
  for (std::size_t i = 0; i < 3; ++i) stage.put(i, 2, 2 - 2 * std::sqrt(3.0), 0.5);
  EXPECT_NEAR(tidy - stage.look().reward, 0.8 * 0.9, 1e-9);
}

TEST(HbHandsWindow, WiperOnThePane) {
  constexpr const char* kName = "hb/h1hand-window";
  MNEME_SKIP_IF_MISSING(kName);
  Stage stage(kName);
  const double away = stage.look().reward;
  // The tool turned so that its head points at the pane, whose face is at 0.95, and touches it.
  const double half = -std::acos(-1.0) / 4;
  stage.put(0, 0.95 - 0.539, 0, 1.2);
  stage.q(kRobot + 3) = std::cos(half);
  stage.q(kRobot + 6) = std::sin(half);
  const double touching = stage.look().reward;
  EXPECT_GT(touching, away + 0.4);
  EXPECT_FALSE(stage.look().terminated);
  stage.put(0, 0.4, 0, 0.57);
  EXPECT_TRUE(stage.look().terminated);
}

TEST(HbHandsInsert, PegOnTheFloorEndsIt) {
  MNEME_SKIP_IF_MISSING("hb/h1hand-insert_small");
  for (const char* name : {"hb/h1hand-insert_normal", "hb/h1hand-insert_small"})
    for (std::size_t i = 0; i < 3; ++i) {
      Stage stage(name);
      EXPECT_FALSE(stage.look().terminated);
      stage.put(i, 0.3, 0, 0.1);
      EXPECT_TRUE(stage.look().terminated) << name << ' ' << i;
    }
}

TEST(HbHandsTermination, ByHeight) {
  struct End {
    const char* task;
    double height;
  };
  for (const auto& [name, height] : {End{"hb/h1hand-powerlift", 0.2},
                                     {"hb/h1hand-cube", 0.58},
                                     {"hb/h1hand-spoon", 0.58},
                                     {"hb/h1hand-window", 0.58},
                                     {"hb/h1hand-insert_small", 0.5},
                                     {"hb/h1hand-room", 0.3},
                                     {"hb/h1hand-bookshelf_simple", 0.58},
                                     {"hb/h1hand-cabinet", -1},
                                     {"hb/h1hand-kitchen", -1}}) {
    MNEME_SKIP_IF_MISSING(name);
    Stage stage(name);
    stage.q(2) = std::max(height, 0.1) + 0.01;
    EXPECT_FALSE(stage.look().terminated) << name;
    stage.q(2) = height - 0.01;
    EXPECT_EQ(stage.look().terminated, height > 0) << name;
  }
}

TEST(HbHandsSets, OfThePapers) {
  const std::vector<std::string> all = task_set("hb-hands-29"), some = task_set("brc-hb-20");
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 29U);
  EXPECT_EQ(std::set<std::string>(some.begin(), some.end()).size(), 20U);
  for (const auto* set : {&all, &some})
    for (const std::string& name : *set) {
      EXPECT_EQ(find_task(name).info.action, 61);
      EXPECT_NE(name, "hb/h1hand-kitchen");
      EXPECT_FALSE(name.ends_with("_fixed"));
    }
}

}  // namespace
}  // namespace mneme::envs
