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

void PrintTo(const Start& one, std::ostream* out) { *out << one.task; }
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

void PrintTo(const Rollout& one, std::ostream* out) { *out << one.task; }
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
    // Made with dm_control 1.0.50 and, for the tasks it adds, BRC's published definitions, both on
    // MuJoCo 3.17.0.
    {"dmc/acrobot-swingup", {1, 1, 1}, 20, {-1.354660121, -1.308887109, -1.290445704}},
    {"dmc/acrobot-swingup_sparse", {1, 1, 1}, 20, {-1.354660121, -1.308887109, -1.290445704}},
    {"dmc/cartpole-balance",
     {0.964439079, 0.984679649, 0.957882713},
     19.477675063,
     {0.538977036, 0.549000387, 0.566071017}},
    {"dmc/cartpole-balance_sparse", {1, 1, 1}, 20, {0.538977036, 0.549000387, 0.566071017}},
    {"dmc/cartpole-swingup_sparse", {1, 1, 1}, 20, {0.538977036, 0.549000387, 0.566071017}},
    {"dmc/cartpole-two_poles",
     {0.964402112, 0.984378299, 0.956854541},
     19.471553241,
     {-0.437100324, -0.414031657, -0.386381663}},
    {"dmc/cartpole-three_poles",
     {0.964420207, 0.984286693, 0.955524422},
     19.466629952,
     {-0.171642281, -0.174878815, -0.184140837}},
    {"dmc/finger-turn_easy", {0, 0, 0}, 0, {-2.384334714, -1.959234364, -2.317535484}},
    {"dmc/finger-turn_hard", {0, 0, 0}, 0, {-2.384157686, -1.959057337, -2.317358456}},
    {"dmc/fish-upright",
     {1, 0.999999994, 0.999999860},
     19.999999530,
     {-0.164191974, 1.910339498, 1.816209167}},
    {"dmc/fish-swim",
     {0.124999785, 0.124996864, 0.124984584},
     2.499911088,
     {1.158769115, 0.143854603, -1.301588480}},
    {"dmc/point_mass-easy",
     {0.961627619, 0.967601515, 0.961663458},
     19.485345689,
     {-0.003824118, 0.001134714, -0.002884230}},
    {"dmc/quadruped-walk",
     {0.504086100, 0.472880164, 0.511475296},
     9.846442027,
     {-20.625957165, 27.045056261, 6.235588566}},
    {"dmc/quadruped-run",
     {0.500408609, 0.497287191, 0.501147448},
     9.984599960,
     {-20.625957165, 27.045056261, 6.235588566}},
    {"dmc/reacher-hard", {0, 0, 0}, 0, {0.547913899, -0.783954642, 0.725491524}},
    {"dmc/swimmer-swimmer6",
     {0.014848707, 0.014769501, 0.014782845},
     0.295760273,
     {1.390894765, 2.565797245, 0.973749917}},
    {"dmc/swimmer-swimmer15",
     {0.014848710, 0.014770569, 0.014783604},
     0.295774584,
     {-1.553028775, -0.584736455, -1.069299228}},
    {"dmc/ball_in_cup-spin",
     {0.259214363, 0.266286543, 0.280771933},
     5.412087513,
     {-0.313147782, -0.215609123, 0.057747866}},
    {"dmc/cheetah-run_backwards",
     {0, 0.000023352, 0.038340392},
     0.176051837,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/cheetah-run_front",
     {0.013989605, 0.009736694, 0.006117636},
     0.193966812,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/cheetah-run_back",
     {0.013794047, 0.009617184, 0.005967113},
     0.190984360,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/cheetah-stand_front",
     {0.204620310, 0.190346888, 0.181697844},
     3.820423053,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/cheetah-stand_back",
     {0.199627671, 0.186831087, 0.176998494},
     3.735008958,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/cheetah-jump",
     {0.202123990, 0.188588987, 0.179348169},
     3.777716006,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/cheetah-lie_down",
     {0.204062198, 0.250000000, 0.250000000},
     4.732991914,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/cheetah-legs_up",
     {0.013983291, 0.009736694, 0.006117699},
     0.192553757,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/cheetah-flip",
     {0.000098774, 0.000612845, 0.056056859},
     1.018813900,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/cheetah-flip_backwards",
     {0, 0.000007784, 0.012780131},
     0.058683946,
     {1.858925814, -3.908027610, 2.236860808}},
    {"dmc/hopper-hop_backwards",
     {0.000055785, 0, 0},
     0.031312830,
     {-1.526884524, 1.720706902, -7.107914583}},
    {"dmc/hopper-flip", {0, 0, 0}, 0, {-1.526884524, 1.720706902, -7.107914583}},
    {"dmc/hopper-flip_backwards", {0, 0, 0}, 0, {-1.526884524, 1.720706902, -7.107914583}},
    {"dmc/pendulum-spin",
     {0.003695525, 0.007562339, 0.011472230},
     0.125859292,
     {0.986518256, 0.976863992, 0.969015529}},
    {"dmc/reacher-three_easy", {0, 0, 0}, 0, {0.770633039, -1.352535403, 1.182077679}},
    {"dmc/reacher-three_hard", {0, 0, 0}, 0, {0.770633039, -1.352535403, 1.182077679}},
    {"dmc/reacher-four_easy", {0, 0, 0}, 0, {2.551908212, -0.137184260, 2.209608875}},
    {"dmc/reacher-four_hard", {0, 0, 0}, 0, {2.551908212, -0.137184260, 2.209608875}},
    {"dmc/walker-walk_backwards",
     {0.166666532, 0.166509834, 0.070673512},
     3.009846960,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/walker-run_backwards",
     {0.166666532, 0.166509834, 0.070673512},
     3.009846960,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/walker-arabesque",
     {0.666707995, 0.667349797, 0.414458736},
     12.876278191,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/walker-lie_down",
     {0.000000645, 0.000752795, 0.000972912},
     0.016831462,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/walker-legs_up",
     {0.000064968, 0.000624440, 0.000758700},
     0.013674692,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/walker-headstand",
     {0.400135240, 0.392061086, 0.019404331},
     6.103039124,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/walker-flip",
     {0.066710838, 0.072715038, 0.003775037},
     1.101688861,
     {1.131937028, -6.045048497, 4.414263437}},
    {"dmc/walker-backflip",
     {0.066689207, 0.065343514, 0.003234055},
     1.017173187,
     {1.131937028, -6.045048497, 4.414263437}},
};
INSTANTIATE_TEST_SUITE_P(Every, DmcRollout, testing::ValuesIn(kRollouts));

}  // namespace
}  // namespace mneme::envs
