// tests/envs/slow/random_policy_test.cpp - returns of policies that know nothing, against published
// means: exercises resets, physics, rewards and ends of episodes together.
#include <gtest/gtest.h>

#include <cmath>

#include "mneme/rng.h"
#include "mneme/vec_env.h"

namespace mneme {
namespace {

struct Published {
  const char* spec;
  double mean, deviation;
  int episodes;  // theirs
  int ours;
};

std::string plain(const testing::TestParamInfo<Published>& info) {
  std::string name = info.param.spec;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

// One environment per episode, so that all count once.
std::vector<double> returns_of(const Published& row) {
  const auto envs = make_vec_env(row.spec, {.count = row.ours, .threads = 2, .seed = 31});
  EnvMemory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  const auto count = static_cast<std::size_t>(row.ours);
  const auto width = static_cast<std::size_t>(envs->action_size());
  std::vector<double> sums(count);
  std::vector<bool> done(count);
  std::vector<float> actions(count * width);
  Rng rng(17);
  for (std::size_t left = count; left > 0;) {
    for (float& action : actions) action = static_cast<float>(2 * rng.uniform() - 1);
    envs->step(actions, rows);
    for (std::size_t i = 0; i < count; ++i) {
      if (done[i]) continue;
      sums[i] += rows.reward[i];
      if (rows.terminated[i] == 0 && rows.truncated[i] == 0) continue;
      done[i] = true;
      --left;
    }
  }
  EXPECT_EQ(envs->counts().cuts, 0U) << envs->counts().last_cut;
  return sums;
}

// Five standard errors of the difference: a false alarm in 2e6. Returns of sparse tasks are far
// from normal; their row is given the benefit of one unit.
void expect_close(const Published& row, const std::vector<double>& returns) {
  const double n = static_cast<double>(returns.size());
  double mean = 0, squared = 0;
  for (const double r : returns) mean += r / n;
  for (const double r : returns) squared += (r - mean) * (r - mean) / (n - 1);
  const double error = std::sqrt(row.deviation * row.deviation / row.episodes +
                                 std::max(squared, row.deviation * row.deviation) / n);
  EXPECT_NEAR(mean, row.mean, 5 * error + 0.005 * std::abs(row.mean)) << "standard error " << error;
  ::testing::Test::RecordProperty("mean", std::to_string(mean));
  std::printf("%-28s %10.3f +- %.3f   published %10.3f\n", row.spec, mean, std::sqrt(squared / n),
              row.mean);
}

bool available(const std::string& spec) {
  for (const TaskInfo& info : registered_tasks())
    if (info.name == spec.substr(0, spec.find(':'))) return info.available;
  return false;
}

class DmcRandomPolicy : public testing::TestWithParam<Published> {};

TEST_P(DmcRandomPolicy, ReturnsAsPublished) {
  if (!available(GetParam().spec)) GTEST_SKIP() << "cannot run here";
  expect_close(GetParam(), returns_of(GetParam()));
}

constexpr Published kDmc[] = {{"dmc/humanoid-stand", 5.2, 3.3, 20, 20},
                              {"dmc/humanoid-walk", 1.09, 0.70, 20, 20},
                              {"dmc/humanoid-run", 0.89, 0.57, 20, 20},
                              {"dmc/dog-stand", 21.2, 2.7, 8, 8},
                              {"dmc/dog-walk", 7.3, 4.0, 8, 8},
                              {"dmc/dog-trot", 5.5, 2.1, 8, 8},
                              {"dmc/dog-run", 4.7, 1.0, 8, 8},
                              {"dmc/cheetah-run", 3.59, 1.29, 50, 50},
                              {"dmc/walker-stand", 130, 12, 20, 20},
                              {"dmc/walker-walk", 31.4, 3.1, 20, 20},
                              {"dmc/walker-run", 22.9, 1.6, 20, 20},
                              {"dmc/hopper-stand", 0.9, 3.3, 30, 30},
                              {"dmc/hopper-hop", 0.006, 0.03, 30, 30},
                              {"dmc/cartpole-swingup", 25.8, 19.1, 100, 100},
                              {"dmc/pendulum-swingup", 0.5, 3.4, 200, 200},
                              {"dmc/reacher-easy", 55, 98, 200, 200},
                              {"dmc/reacher-hard", 9.6, 26, 200, 200},
                              {"dmc/finger-spin", 0.5, 1.4, 100, 100},
                              {"dmc/ball_in_cup-catch", 109, 294, 50, 50}};
INSTANTIATE_TEST_SUITE_P(Every, DmcRandomPolicy, testing::ValuesIn(kDmc), plain);

}  // namespace
}  // namespace mneme
