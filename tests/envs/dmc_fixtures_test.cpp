// tests/envs/dmc_fixtures_test.cpp - DeepMind Control: rewards of the default pose, and twenty
// steps under given controls, against numbers made with the suite's own models.
#include "envs/dmc.h"

namespace mneme::envs {
namespace {

using test::checksum;

struct Start {
  const char* task;
  double reward;
};

class DmcStart : public testing::TestWithParam<Start> {};

// Default pose, at rest, no control: derivable by hand.
TEST_P(DmcStart, RewardOfTheDefaultPose) {
  MNEME_SKIP_IF_MISSING(GetParam().task);
  const auto task = test::make(GetParam().task);
  task->reset_nominal();
  EXPECT_NEAR(task->evaluate().reward, GetParam().reward, 5e-10);
}

constexpr Start kStarts[] = {{"dmc/humanoid-stand", 1},
                             {"dmc/humanoid-walk", 0.166666666667},
                             {"dmc/humanoid-run", 0.166666666667},
                             {"dmc/dog-stand", 0.9},
                             {"dmc/dog-walk", 0.18},
                             {"dmc/dog-trot", 0.18},
                             {"dmc/dog-run", 0.18},
                             {"dmc/cheetah-run", 0},
                             {"dmc/walker-stand", 1},
                             {"dmc/walker-walk", 0.166666666667},
                             {"dmc/walker-run", 0.166666666667},
                             {"dmc/hopper-stand", 1},
                             {"dmc/hopper-hop", 0},
                             {"dmc/cartpole-swingup", 1},
                             {"dmc/pendulum-swingup", 1},
                             {"dmc/reacher-easy", 0},
                             {"dmc/finger-spin", 0},
                             {"dmc/ball_in_cup-catch", 0}};
INSTANTIATE_TEST_SUITE_P(Every, DmcStart, testing::ValuesIn(kStarts));

struct Rollout {
  const char* task;
  double reward[3];  // after step 1, 10, 20
  double sum;        // of 20 rewards
  double check[3];   // of the observation, after step 1, 10, 20
  double tolerance = 5e-10;
};

class DmcRollout : public testing::TestWithParam<Rollout> {};

TEST_P(DmcRollout, TwentySteps) {
  const Rollout& expected = GetParam();
  MNEME_SKIP_IF_MISSING(expected.task);
  const auto task = test::make(expected.task);
  task->reset_nominal();
  std::vector<double> action(static_cast<std::size_t>(find_task(expected.task).info.action));
  double sum = 0;
  for (int k = 0, seen = 0; k < 20; ++k) {
    for (std::size_t i = 0; i < action.size(); ++i)
      action[i] = 0.5 * std::sin(static_cast<double>(i) + 1 + k);
    const Outcome outcome = task->step(action);
    ASSERT_EQ(outcome.failure, nullptr);
    sum += outcome.reward;
    if (k != 0 && k != 9 && k != 19) continue;
    EXPECT_NEAR(outcome.reward, expected.reward[seen], expected.tolerance) << "step " << k + 1;
    const double scale = std::max(1.0, std::abs(expected.check[seen]));
    EXPECT_NEAR(checksum(test::observation(*task, expected.task)), expected.check[seen],
                2 * expected.tolerance * scale)
        << "step " << k + 1;
    ++seen;
  }
  EXPECT_NEAR(sum, expected.sum, 20 * expected.tolerance);
}

// The dog's inertia comes from mesh volumes, which MuJoCo computes a little differently since the
// numbers were made (with 3.1.6): 3e-7 in rewards over these steps.
constexpr double kDog = 3e-6;
constexpr Rollout kRollouts[] = {
    {"dmc/humanoid-stand",
     {0.973750422, 0.865997330, 0.026990160},
     11.096852820,
     {-79.665666967, 84.190887049, -111.374747998}},
    {"dmc/humanoid-walk",
     {0.174752192, 0.182912893, 0.029367315},
     2.262927663,
     {-79.665666967, 84.190887049, -111.374747998}},
    {"dmc/humanoid-run",
     {0.163547677, 0.148296941, 0.007861479},
     1.898499809,
     {-79.665666967, 84.190887049, -111.374747998}},
    {"dmc/dog-stand",
     {0.913239914, 0.916775472, 0.827839659},
     18.937538042,
     {6.639962023, 92.653472179, 23.161949713},
     kDog},
    {"dmc/dog-walk",
     {0.183110700, 0.183355094, 0.165567932},
     3.787970326,
     {6.639962023, 92.653472179, 23.161949713},
     kDog},
    {"dmc/dog-trot",
     {0.182802222, 0.183355094, 0.165567932},
     3.787661848,
     {6.639962023, 92.653472179, 23.161949713},
     kDog},
    {"dmc/dog-run",
     {0.182699396, 0.183355094, 0.165567932},
     3.787559021,
     {6.639962023, 92.653472179, 23.161949713},
     kDog},
    {"dmc/cheetah-run", {0.000054189, 0, 0}, 0.024101322, {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/walker-stand",
     {0.999999194, 0.999059006, 0.424041071},
     18.059081760,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/walker-walk",
     {0.166990887, 0.279215540, 0.141605717},
     4.714538822,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/walker-run",
     {0.166707077, 0.180598048, 0.079540037},
     3.222933443,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/hopper-stand",
     {0.973405499, 0.977995122, 0.971879637},
     19.497413109,
     {-1.526884524, 1.720706902, -7.107914583}},
    {"dmc/hopper-hop",
     {0, 0.040290912, 0.066680937},
     0.712519382,
     {-1.526884524, 1.720706902, -7.107914583}},
    {"dmc/cartpole-swingup",
     {0.964439079, 0.984679649, 0.957882713},
     19.477675063,
     {0.538977036, 0.549000387, 0.566071017}},
    {"dmc/pendulum-swingup", {1, 1, 1}, 20, {0.986518256, 0.976863992, 0.969015529}},
    {"dmc/reacher-easy", {0, 0, 0}, 0, {0.547913899, -0.783954642, 0.725491524}},
    {"dmc/finger-spin", {0, 0, 0}, 0, {-2.567306661, -2.142206312, -2.500507431}},
    {"dmc/ball_in_cup-catch", {0, 0, 0}, 0, {-0.313147782, -0.215609123, 0.057747866}},
};
INSTANTIATE_TEST_SUITE_P(Every, DmcRollout, testing::ValuesIn(kRollouts));

}  // namespace
}  // namespace mneme::envs
