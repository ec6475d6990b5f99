// tests/envs/hb_fixtures_test.cpp - HumanoidBench on the mesh-free H1: rewards of the keyframe,
// worked out by hand, and twenty steps under given controls.
#include <algorithm>

#include "envs/dmc.h"
#include "envs/hb/h1.h"

namespace mneme::envs {
namespace {

struct Start {
  const char* task;
  double reward;
};

class HbStart : public testing::TestWithParam<Start> {};

TEST_P(HbStart, RewardOfTheKeyframe) {
  MNEME_SKIP_IF_MISSING(GetParam().task);
  const auto task = test::make(GetParam().task);
  task->reset_nominal();
  const Outcome outcome = task->evaluate();
  EXPECT_NEAR(outcome.reward, GetParam().reward, 5e-9);
  EXPECT_FALSE(outcome.terminated);
}

// Servo forces kp (0 - angle): hips 80, knees -240 and ankles 16 exceed the margin, 13 of 19 are 0.
constexpr Start kStarts[] = {
    {"hb/h1-walk", 0.156140351},           {"hb/h1-run", 0.156140351},
    {"hb/h1-hurdle", 0.156140351},         {"hb/h1-stair", 0.156140351},
    {"hb/h1-slide", 0.156140351},          {"hb/h1-stand", 0.936842105},
    {"hb/h1-balance_simple", 0.936842105}, {"hb/h1-balance_hard", 0.936842105},
    {"hb/h1-pole", 0.551754386},           {"hb/h1-crawl", 0.328392550},
    {"hb/h1-maze", 100.254035088},         {"hb/h1-sit_simple", 0.390310856}};
INSTANTIATE_TEST_SUITE_P(Every, HbStart, testing::ValuesIn(kStarts));

// Upright, at rest, and the goal farther than a metre away.
TEST(HbStart, ReachFarFromItsGoal) {
  MNEME_SKIP_IF_MISSING("hb/h1-reach");
  const auto task = test::make("hb/h1-reach");
  task->reset_nominal();
  std::vector<double> physics = task->physics();
  physics[physics.size() - 7] += 5;  // x of the goal; its y, z and quaternion follow
  task->set_physics(physics);
  EXPECT_NEAR(task->evaluate().reward, 5.0, 5e-9);
}

// An action that puts the servo of joint i at `target`: the inverse of the map from [-1, 1].
struct Range {
  double low, high;
};
constexpr Range kLeg[] = {{-.43, .43}, {-.43, .43}, {-3.14, 2.53}, {-.26, 2.05}, {-.87, .52}};
constexpr Range kRest[] = {{-2.35, 2.35}, {-2.87, 2.87}, {-.34, 3.11}, {-1.3, 4.45}, {-1.25, 2.61},
                           {-2.87, 2.87}, {-3.11, .34},  {-4.45, 1.3}, {-1.25, 2.61}};
Range range_of(std::size_t i) { return i < 10 ? kLeg[i % 5] : kRest[i - 10]; }

std::vector<double> servo_action(int k) {
  std::vector<double> action(19);
  for (std::size_t i = 0; i < action.size(); ++i) {
    const Range range = range_of(i);
    const double target = std::clamp(hb::kPose[i] + 0.05 * std::sin(static_cast<double>(i) + 1 + k),
                                     range.low, range.high);
    action[i] = 2 * (target - range.low) / (range.high - range.low) - 1;
  }
  return action;
}

struct Rollout {
  const char* task;
  double reward[4];  // after step 1, 5, 10, 20
  double sum;
  double tolerance;
};

class HbRollout : public testing::TestWithParam<Rollout> {};

TEST_P(HbRollout, TwentySteps) {
  const Rollout& expected = GetParam();
  MNEME_SKIP_IF_MISSING(expected.task);
  const auto task = test::make(expected.task);
  task->reset_nominal();
  double sum = 0;
  for (int k = 0, seen = 0; k < 20; ++k) {
    const Outcome outcome = task->step(servo_action(k));
    ASSERT_EQ(outcome.failure, nullptr);
    EXPECT_FALSE(outcome.terminated);
    sum += outcome.reward;
    if (k != 0 && k != 4 && k != 9 && k != 19) continue;
    EXPECT_NEAR(outcome.reward, expected.reward[seen++], expected.tolerance) << "step " << k + 1;
  }
  EXPECT_NEAR(sum, expected.sum, 20 * expected.tolerance);
}

// Rows of the mesh model: shapes of ours differ from its meshes by millimetres, rewards by less
// than 2e-3. With boards and chairs, where feet touch boxes, by a little more.
constexpr Rollout kRollouts[] = {
    {"hb/h1-walk", {0.167450497, 0.165727930, 0.150854495, 0.153104930}, 3.187707766, 2e-3},
    {"hb/h1-stand", {0.944218883, 0.917400390, 0.905004349, 0.912735580}, 18.378010192, 2e-3},
    {"hb/h1-run", {0.159394816, 0.155490326, 0.150854495, 0.153104930}, 3.092200657, 2e-3},
    {"hb/h1-hurdle", {0.159394816, 0.155490326, 0.150854495, 0.153104930}, 3.092200657, 2e-3},
    {"hb/h1-crawl", {0.333471910, 0.334208448, 0.323890754, 0.323345095}, 6.566197971, 2e-3},
    {"hb/h1-stair", {0.167450497, 0.165727930, 0.151211631, 0.153592971}, 3.196246135, 2e-3},
    {"hb/h1-slide", {0.167450497, 0.165727930, 0.151211631, 0.153592971}, 3.196246135, 2e-3},
    {"hb/h1-pole", {0.566139747, 0.556072498, 0.535896819, 0.542648123}, 10.999867342, 3e-3},
    {"hb/h1-maze", {100.255523742, 0.250183777, 0.247692061, 0.250392583}, 105.015321992, 3e-3},
    {"hb/h1-reach", {9.999690815, 9.997403267, 9.964593841, 9.949486790}, 199.326405797, 1e-2},
    {"hb/h1-balance_simple",
     {0.951604228, 0.919694592, 0.893242157, 0.890071949},
     18.163413858,
     2e-2},
    {"hb/h1-balance_hard",
     {0.951674998, 0.917221368, 0.892822092, 0.879123662},
     18.104535520,
     2e-2},
    {"hb/h1-sit_simple", {0.393687681, 0.388827096, 0.380423, 0.442244}, 7.99852, 2e-2},
};
INSTANTIATE_TEST_SUITE_P(Every, HbRollout, testing::ValuesIn(kRollouts));

// Exact values of the shapes of ours.
TEST(HbRollout, MeshFreeExactly) {
  MNEME_SKIP_IF_MISSING("hb/h1-walk");
  constexpr double kExpected[4] = {0.167636507, 0.165617550, 0.150880853, 0.152897868};
  const auto walk = test::make("hb/h1-walk"), stand = test::make("hb/h1-stand"),
             crawl = test::make("hb/h1-crawl");
  double sums[3] = {};
  walk->reset_nominal();
  stand->reset_nominal();
  crawl->reset_nominal();
  for (int k = 0, seen = 0; k < 20; ++k) {
    const double reward = walk->step(servo_action(k)).reward;
    sums[0] += reward;
    sums[1] += stand->step(servo_action(k)).reward;
    sums[2] += crawl->step(servo_action(k)).reward;
    if (k == 0 || k == 4 || k == 9 || k == 19) {
      EXPECT_NEAR(reward, kExpected[seen++], 5e-9);
    }
  }
  EXPECT_NEAR(sums[0], 3.191076729, 1e-7);
  EXPECT_NEAR(sums[1], 18.385357816, 1e-7);
  EXPECT_NEAR(sums[2], 6.564017198, 1e-7);
  const std::vector<double> state = test::observation(*walk, "hb/h1-walk");
  EXPECT_NEAR(state[2], 0.942491309, 5e-9);
  EXPECT_NEAR(test::checksum(state), -2.16352152, 1e-7);
}

}  // namespace
}  // namespace mneme::envs
