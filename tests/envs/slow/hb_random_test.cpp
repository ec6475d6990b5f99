// tests/envs/slow/hb_random_test.cpp - HumanoidBench: returns of a policy that knows nothing,
// beside the constants of the paper and beside a second implementation.
//
// The paper's column "random" is not that of independent uniform actions. It is met by one number
// per decision, applied to every actuator and held for two steps; that policy is the first one
// here. It exercises resets, physics, rewards and terminations together.
//
// MNEME_HB_EPISODES=N sets how many episodes are played of a task that falls early (default 300;
// crawl and reach never end early and get a fifth). MNEME_HB_JSON=FILE writes the rows that
// scripts/readme_tables makes the table in docs/suites/humanoidbench.md of
// (bench/results/hb_random.json). MNEME_HB_HANDS_EPISODES (default 40) and MNEME_HB_HANDS_JSON
// (bench/results/hb_hands_random.json) are the same for the robot with hands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "envs/mujoco/version.h"
#include "envs/registry.h"
#include "mneme/rng.h"
#include "mneme/vec_env.h"

namespace mneme {
namespace {

struct Moments {
  double mean = 0, error = 0;  // error: standard error of the mean
};

Moments moments(const std::vector<double>& numbers) {
  const auto n = static_cast<double>(numbers.size());
  double sum = 0, squares = 0;
  for (const double x : numbers) sum += x;
  for (const double x : numbers) squares += (x - sum / n) * (x - sum / n);
  return {sum / n, std::sqrt(squares / (n - 1) / n)};
}

// As many episodes of each environment, so that short ones do not count more often than long ones;
// environments that have theirs continue uncounted until all have.
Moments play(const std::string& spec, Index episodes, bool one_number) {
  const Index together = std::min<Index>(episodes, 20), each = episodes / together;
  const auto envs = make_vec_env(spec, {.count = together, .threads = 2, .seed = 11});
  EnvMemory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  const auto count = static_cast<std::size_t>(envs->count());
  const auto width = static_cast<std::size_t>(envs->action_size());
  std::vector<float> actions(count * width);
  std::vector<double> sums(count), returns;
  std::vector<Index> played(count);
  Rng rng(12);
  while (returns.size() < static_cast<std::size_t>(together * each)) {
    for (std::size_t env = 0; env < count; ++env) {
      double u = 2 * rng.uniform() - 1;
      for (std::size_t i = 0; i < width; ++i) {
        actions[env * width + i] = static_cast<float>(u);
        if (!one_number) u = 2 * rng.uniform() - 1;
      }
    }
    envs->step(actions, rows);
    for (std::size_t env = 0; env < count; ++env) {
      sums[env] += rows.reward[env];
      if (rows.terminated[env] == 0 && rows.truncated[env] == 0) continue;
      if (played[env] < each) returns.push_back(sums[env]);
      ++played[env];
      sums[env] = 0;
    }
  }
  EXPECT_EQ(envs->counts().cuts, 0U) << envs->counts().last_cut;
  return moments(returns);
}

// Into the file that the variable names, if it is set.
void write(const char* variable, const std::string& text) {
  const char* path = std::getenv(variable);
  if (path == nullptr) return;
  std::ofstream file(path);
  file << text << '\n';
  EXPECT_TRUE(file.good()) << path;
}

struct Row {
  const char* task;
  double simple;        // the same shapes elsewhere (MuJoCo 2.2.2, 200 episodes); 0: not known
  double meshes;        // the suite's meshes there, 300 episodes
  double meshes_error;  // its standard error
};

constexpr Row kRows[] = {{"walk", 2.32, 2.234, 0.056},
                         {"stand", 10.99, 10.605, 0.226},
                         {"run", 1.97, 1.902, 0.041},
                         {"hurdle", 2.22, 2.270, 0.062},
                         {"crawl", 0, 266.8, 15.5},
                         {"maze", 106.2, 106.815, 0.140},
                         {"sit_simple", 10.4, 9.600, 0.309},
                         {"sit_hard", 2.07, 2.543, 0.126},
                         {"balance_simple", 8.66, 8.942, 0.185},
                         {"balance_hard", 9.04, 9.572, 0.186},
                         {"stair", 2.71, 2.720, 0.088},
                         {"slide", 2.76, 2.752, 0.086},
                         {"pole", 19.6, 20.448, 0.345},
                         {"reach", 0, 230, 76}};

TEST(HbRandom, ReturnsBesideThePaper) {
  if (!envs::find_task("hb/h1-walk").info.available)
    GTEST_SKIP() << envs::find_task("hb/h1-walk").info.install;
  const char* wanted = std::getenv("MNEME_HB_EPISODES");
  const Index most = std::max<Index>(wanted == nullptr ? 300 : std::atoll(wanted), 60);
  Json json;
  json.begin_object().field("mujoco", envs::mujoco_version()).key("rows").begin_array();
  const auto put = [&](const char* name, const Moments& m) {
    json.key(name).begin_object().field("mean", m.mean).field("standard_error", m.error);
    json.end_object();
  };
  for (const Row& row : kRows) {
    const std::string name = std::string("hb/h1-") + row.task;
    const bool long_episodes = row.simple == 0;
    const Index n = long_episodes ? most / 5 : most;
    const Index few = n / 3;
    const double paper = envs::find_task(name).info.score_low;
    const Moments scalar = play(name + ":repeat=2", n, true);
    const Moments apart = play(name + ":repeat=2", few, false);
    const Moments apart_1 = play(name, few, false);
    json.begin_object().field("task", row.task).field("paper", paper);
    json.field("episodes", n).field("episodes_independent", few);
    put("one_number", scalar);
    put("independent_2", apart);
    put("independent_1", apart_1);
    json.field("shapes", row.simple != 0 ? row.simple : std::nan(""));
    put("meshes", {row.meshes, row.meshes_error});
    json.end_object();
    std::printf("%-16s paper %8.3f: %8.3f +- %.3f; independent %8.3f +- %.3f\n", row.task, paper,
                scalar.mean, scalar.error, apart.mean, apart.error);
    std::fflush(stdout);

    // The same shapes elsewhere are a mean over 200 episodes of the same spread. 4.9 standard
    // errors: one false alarm in a million rows if the seed were not fixed.
    if (row.simple != 0) {
      const double error =
          scalar.error * std::sqrt(1 + static_cast<double>(n) / 200) + 0.005;  // printed digits
      EXPECT_LT(std::abs(scalar.mean - row.simple), 4.9 * error) << row.task;
    } else {
      EXPECT_LT(std::abs(scalar.mean - row.meshes),
                4.9 * std::hypot(scalar.error, row.meshes_error))
          << row.task;
    }
    // The check has power: independent actions would not pass for the paper's where the two
    // policies are known to differ.
    const std::string_view task = row.task;
    if (task == "walk" || task == "stand" || task == "run" || task == "hurdle") {
      EXPECT_GT(apart.mean - row.simple, 4.9 * std::hypot(apart.error, scalar.error)) << row.task;
    }
  }
  write("MNEME_HB_JSON", std::move(json.end_array().end_object()).text());
}

// With hands: what the suite's own package gets in 40 episodes (bench/envs/hb_peer.py), and its
// standard error; of the kitchen, where nothing gets done, another implementation's 0 in eight.
struct HandsRow {
  const char* task;
  double mean, error;
};

constexpr HandsRow kHandsRows[] = {
    {"walk", 2.203, 0.139},
    {"stand", 10.766, 0.546},
    {"run", 1.912, 0.098},
    {"hurdle", 2.479, 0.159},
    {"crawl", 268.322, 20.214},
    {"maze", 105.991, 0.212},
    {"sit_simple", 11.566, 0.920},
    {"sit_hard", 2.416, 0.356},
    {"balance_simple", 10.098, 0.435},
    {"balance_hard", 9.902, 0.481},
    {"stair", 3.352, 0.450},
    {"slide", 3.417, 0.379},
    {"pole", 20.252, 0.985},
    {"reach", -101.553, 74.899},
    {"push", -422.152, 91.926},
    {"cabinet", 25.255, 5.951},
    {"door", 2.848, 0.204},
    {"truck", 556.713, 4.058},
    {"cube", 4.718, 0.126},
    {"bookshelf_simple", 16.080, 0.822},
    {"bookshelf_hard", 14.978, 0.877},
    {"basketball", 8.811, 0.372},
    {"window", 2.766, 0.154},
    {"spoon", 4.089, 0.278},
    {"package", -9894.191, 907.537},
    {"powerlift", 18.495, 1.467},
    {"room", 2.703, 0.208},
    {"insert_small", 1.613, 0.199},
    {"insert_normal", 1.659, 0.096},
    {"kitchen", 0, 0},
};

TEST(HbRandom, HandsBesideThePaper) {
  if (!envs::find_task("hb/h1hand-walk").info.available)
    GTEST_SKIP() << envs::find_task("hb/h1hand-walk").info.install;
  const char* wanted = std::getenv("MNEME_HB_HANDS_EPISODES");
  const Index n = std::max<Index>(wanted == nullptr ? 40 : std::atoll(wanted), 20) / 20 * 20;
  Json json;
  json.begin_object().field("mujoco", envs::mujoco_version()).key("rows").begin_array();
  for (const HandsRow& row : kHandsRows) {
    const std::string name = std::string("hb/h1hand-") + row.task;
    const double paper = envs::find_task(name).info.score_low;
    const Moments ours = play(name + ":repeat=2", n, true);
    json.begin_object().field("task", row.task).field("paper", paper).field("episodes", n);
    json.key("one_number").begin_object().field("mean", ours.mean);
    json.field("standard_error", ours.error).end_object();
    json.end_object();
    std::printf("%-16s paper %9.3f, package %9.3f: %9.3f +- %.3f\n", row.task, paper, row.mean,
                ours.mean, ours.error);
    std::fflush(stdout);
    // One false alarm in a million rows if the seed were not fixed and returns were normal; those
    // of package, push and reach have long tails.
    EXPECT_LE(std::abs(ours.mean - row.mean), 4.9 * std::hypot(ours.error, row.error)) << row.task;
  }
  // The check has power: independent actions would not pass for the single number.
  const Moments apart = play("hb/h1hand-stand:repeat=2", 100, false);
  const HandsRow& stand = kHandsRows[1];
  EXPECT_GT(apart.mean - stand.mean, 4.9 * std::hypot(apart.error, stand.error));
  write("MNEME_HB_HANDS_JSON", std::move(json.end_array().end_object()).text());
}

}  // namespace
}  // namespace mneme
