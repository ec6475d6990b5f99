// tests/envs/hb_fixtures_test.cpp - HumanoidBench: rewards of the keyframe, and twenty steps under
// given controls, against numbers made with the suite's models and with a second implementation.
#include <algorithm>
#include <span>

#include "envs/dmc.h"
#include "envs/hb_files.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

using test::checksum;

struct Start {
  const char* task;
  double reward;
};

void PrintTo(const Start& one, std::ostream* out) { *out << one.task; }
class HbStart : public testing::TestWithParam<Start> {};

// Keyframe without noise, at rest, no control: derivable by hand. Four hips and ankles, two knees
// are off their zero and press with full force, the other 13 servos rest: small control is
// (4 + 13/19) / 5; with hands 55 of 61 rest.
TEST_P(HbStart, RewardOfTheKeyframe) {
  MNEME_SKIP_IF_MISSING(GetParam().task);
  const auto task = test::make(GetParam().task);
  task->reset_nominal();
  EXPECT_NEAR(task->evaluate().reward, GetParam().reward, 5e-10);
  EXPECT_FALSE(task->evaluate().terminated);
  EXPECT_NEAR(task->evaluate().reward, GetParam().reward, 5e-10) << "evaluate must not change it";
}

// The same on the suite's own model.
TEST_P(HbStart, RewardOfTheSuitesKeyframe) {
  MNEME_SKIP_IF_MISSING(GetParam().task);
  try {
    suite_scenes("h1_pos_walk.xml");
  } catch (const NotFound& error) {
    GTEST_SKIP() << error.what();
  }
  const auto task = test::make(std::string(GetParam().task) + ":model=suite");
  task->reset_nominal();
  EXPECT_NEAR(task->evaluate().reward, GetParam().reward, 5e-10);
}

constexpr double kSmall = (4 + 13.0 / 19) / 5;
constexpr double kSmallWithHands = (4 + 55.0 / 61) / 5;
constexpr Start kStarts[] = {
    {"hb/h1-walk", 0.156140351},
    {"hb/h1-run", 0.156140351},
    {"hb/h1-hurdle", 0.156140351},
    {"hb/h1-stair", 0.156140351},
    {"hb/h1-slide", 0.156140351},
    {"hb/h1-stand", 0.936842105},
    {"hb/h1-balance_simple", 0.936842105},
    {"hb/h1-balance_hard", 0.936842105},
    {"hb/h1-pole", 0.551754386},
    {"hb/h1-crawl", 0.328392550},
    {"hb/h1-maze", 100.254035088},
    {"hb/h1-sit_simple", 0.390310856},
    {"hb/h1-sit_hard", 0.390310856},  // the same pose behind the same chair
    // Numbers are known for the robot with hands, whose hand sites are at the same place; without
    // hands only small control differs.
    {"hb/h1-door", 0.140800390 + 0.1 * (kSmall - kSmallWithHands)},
    {"hb/h1-truck", 1.299400240},
    {"hb/h1hand-walk", 0.163387978},
    {"hb/h1hand-run", 0.163387978},
    {"hb/h1hand-hurdle", 0.163387978},
    {"hb/h1hand-stair", 0.163387978},
    {"hb/h1hand-slide", 0.163387978},
    {"hb/h1hand-stand", 0.980327869},
    {"hb/h1hand-balance_simple", 0.980327869},
    {"hb/h1hand-balance_hard", 0.980327869},
    {"hb/h1hand-pole", 0.573497268},
    {"hb/h1hand-crawl", 0.332741126},
    {"hb/h1hand-maze", 100.262732241},
    {"hb/h1hand-sit_simple", 0.408428067},
    {"hb/h1hand-sit_hard", 0.408428067},
    {"hb/h1hand-door", 0.140800390},
    {"hb/h1hand-truck", 1.299400240},
    {"hb/h1hand-window", 0.216169778},
    {"hb/h1hand-spoon", 0.283868159},
    {"hb/h1hand-insert_normal", 0.103813505},
    {"hb/h1hand-insert_small", 0.099118964},
    {"hb/h1hand-bookshelf_simple", 0.691847217},
    {"hb/h1hand-powerlift", 0.347627455},
    {"hb/h1hand-cabinet", 0.196065574},
    {"hb/h1hand-kitchen", 0},
};
INSTANTIATE_TEST_SUITE_P(Every, HbStart, testing::ValuesIn(kStarts),
                         [](const auto& one) { return test::plain_name(one.param.task); });

// Physics numbers end in the goal: x y z, then its quaternion.
std::vector<double> with_goal(const Task& task, double x, double y, double z) {
  std::vector<double> physics = task.physics();
  const std::size_t at = physics.size() - 7;
  physics[at] = x;
  physics[at + 1] = y;
  physics[at + 2] = z;
  return physics;
}

class HbReach : public testing::TestWithParam<const char*> {};

TEST_P(HbReach, PaysByDistance) {
  MNEME_SKIP_IF_MISSING(GetParam());
  const auto task = test::make(GetParam());
  task->reset_nominal();
  task->set_physics(with_goal(*task, 5, 5, 1));
  EXPECT_NEAR(task->evaluate().reward, 5, 5e-10);
  // Ends in the hand and the goal.
  const std::vector<double> seen = test::observation(*task, GetParam());
  const double* hand = seen.data() + seen.size() - 6;
  EXPECT_EQ(hand[3], 5);
  EXPECT_EQ(hand[5], 1);
  task->set_physics(with_goal(*task, hand[0] + 0.9, hand[1], hand[2]));
  EXPECT_NEAR(task->evaluate().reward, 10, 5e-10);
  task->set_physics(with_goal(*task, hand[0], hand[1], hand[2] + 0.049));
  EXPECT_NEAR(task->evaluate().reward, 20, 5e-10);
}
INSTANTIATE_TEST_SUITE_P(Both, HbReach, testing::Values("hb/h1-reach", "hb/h1hand-reach"));

// ---------------------------------------------------------------- twenty steps

// Range of each servo and its angle in the keyframe.
constexpr double kServos[19][3] = {
    {-0.43, 0.43, 0},    {-0.43, 0.43, 0},    {-3.14, 2.53, -0.4}, {-0.26, 2.05, 0.8},
    {-0.87, 0.52, -0.4}, {-0.43, 0.43, 0},    {-0.43, 0.43, 0},    {-3.14, 2.53, -0.4},
    {-0.26, 2.05, 0.8},  {-0.87, 0.52, -0.4}, {-2.35, 2.35, 0},    {-2.87, 2.87, 0},
    {-0.34, 3.11, 0},    {-1.3, 4.45, 0},     {-1.25, 2.61, 0},    {-2.87, 2.87, 0},
    {-3.11, 0.34, 0},    {-4.45, 1.3, 0},     {-1.25, 2.61, 0}};

struct Trace {
  double reward[20] = {};
  double sum = 0, height = 0, check = 0;
};

// At step k servo i has the target keyframe angle + 0.05 sin(i + 1 + k).
Trace roll(const char* name) {
  const auto task = test::make(name);
  task->reset_nominal();
  Trace trace;
  for (int k = 0; k < 20; ++k) {
    std::vector<double> action;
    for (int i = 0; i < 19; ++i) {
      const auto& [low, high, angle] = kServos[i];
      const double target = std::clamp(angle + 0.05 * std::sin(i + 1.0 + k), low, high);
      action.push_back(2 * (target - low) / (high - low) - 1);
    }
    const Outcome outcome = task->step(action);
    EXPECT_EQ(outcome.failure, nullptr);
    trace.reward[k] = outcome.reward;
    trace.sum += outcome.reward;
  }
  const std::vector<double> seen = test::observation(*task, name);
  trace.height = seen[2];
  trace.check = checksum(seen);
  return trace;
}

// The same shapes in another implementation, on MuJoCo 2.2.2, to its printed digits.
TEST(HbRollout, SimpleShapesToAllDigits) {
  MNEME_SKIP_IF_MISSING("hb/h1-walk");
  const Trace walk = roll("hb/h1-walk");
  EXPECT_NEAR(walk.reward[0], 0.167636507, 5e-10);
  EXPECT_NEAR(walk.reward[4], 0.165617550, 5e-10);
  EXPECT_NEAR(walk.reward[9], 0.150880853, 5e-10);
  EXPECT_NEAR(walk.reward[19], 0.152897868, 5e-10);
  EXPECT_NEAR(walk.sum, 3.191076729, 5e-10);
  EXPECT_NEAR(walk.height, 0.942491309, 5e-10);
  EXPECT_NEAR(walk.check, -2.16352152, 5e-9);
  EXPECT_NEAR(roll("hb/h1-stand").sum, 18.385357816, 5e-10);
  EXPECT_NEAR(roll("hb/h1-crawl").sum, 6.564017198, 5e-10);
}

struct Meshes {
  const char* task;
  double reward[4];  // after step 1, 5, 10, 20
  double sum, height;
  double near;         // how far simple shapes may be off in a reward
  double near_height;  // and in the height of the pelvis, meters
};

void PrintTo(const Meshes& one, std::ostream* out) { *out << one.task; }
class HbRolloutNear : public testing::TestWithParam<Meshes> {};

// The suite's model with meshes: simple shapes come close where only feet touch a plane. On the
// board and the chair contact points differ, and with them rewards and heights.
TEST_P(HbRolloutNear, Meshes) {
  const Meshes& expected = GetParam();
  MNEME_SKIP_IF_MISSING(expected.task);
  const Trace trace = roll(expected.task);
  constexpr int kSteps[] = {1, 5, 10, 20};
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(trace.reward[kSteps[i] - 1], expected.reward[i], expected.near)
        << "step " << kSteps[i];
  EXPECT_NEAR(trace.sum, expected.sum, 20 * expected.near);
  EXPECT_NEAR(trace.height, expected.height, expected.near_height);
}

constexpr double kFlat = 0.941828066;
constexpr Meshes kMeshes[] = {
    {"hb/h1-walk",
     {0.167450497, 0.165727930, 0.150854495, 0.153104930},
     3.187707766,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-stand",
     {0.944218883, 0.917400390, 0.905004349, 0.912735580},
     18.378010192,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-run",
     {0.159394816, 0.155490326, 0.150854495, 0.153104930},
     3.092200657,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-hurdle",
     {0.159394816, 0.155490326, 0.150854495, 0.153104930},
     3.092200657,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-crawl",
     {0.333471910, 0.334208448, 0.323890754, 0.323345095},
     6.566197971,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-stair",
     {0.167450497, 0.165727930, 0.151211631, 0.153592971},
     3.196246135,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-slide",
     {0.167450497, 0.165727930, 0.151211631, 0.153592971},
     3.196246135,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-pole",
     {0.566139747, 0.556072498, 0.535896819, 0.542648123},
     10.999867342,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-maze",
     {100.255523742, 0.250183777, 0.247692061, 0.250392583},
     105.015321992,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-reach",
     {9.999690815, 9.997403267, 9.964593841, 9.949486790},
     199.326405797,
     kFlat,
     2e-3,
     1e-3},
    {"hb/h1-balance_simple",
     {0.951604228, 0.919694592, 0.893242157, 0.890071949},
     18.163413858,
     1.321070380,
     0.02,
     0.02},
    {"hb/h1-balance_hard",
     {0.951674998, 0.917221368, 0.892822092, 0.879123662},
     18.104535520,
     1.315861115,
     0.02,
     0.02},
    {"hb/h1-sit_simple",
     {0.393687681, 0.388827096, 0.380423, 0.442244},
     7.99852,
     0.938293,
     0.02,
     1e-3},
};
INSTANTIATE_TEST_SUITE_P(Every, HbRolloutNear, testing::ValuesIn(kMeshes),
                         [](const auto& one) { return test::plain_name(one.param.task); });

}  // namespace
}  // namespace mneme::envs
