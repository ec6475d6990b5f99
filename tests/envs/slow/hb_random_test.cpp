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
#include "envs/libraries.h"
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
// environments that have theirs go on uncounted until all have.
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

// With hands: what the other implementation got with the suite's meshes, in how many episodes;
// none: not known. Tasks that never end early get few episodes there.
struct HandsRow {
  const char* task;
  double meshes;
  Index episodes;
};

constexpr HandsRow kHandsRows[] = {{"walk", 2.64, 40},
                                   {"stand", 12.66, 40},
                                   {"run", 2.26, 40},
                                   {"hurdle", 2.77, 40},
                                   {"crawl", 223, 8},
                                   {"maze", 106.6, 40},
                                   {"sit_simple", 11.6, 40},
                                   {"sit_hard", 2.58, 40},
                                   {"balance_simple", 10.18, 40},
                                   {"balance_hard", 11.24, 40},
                                   {"stair", 3.66, 40},
                                   {"slide", 3.85, 40},
                                   {"pole", 20.6, 40},
                                   {"reach", 0, 0},
                                   {"push", 0, 0},
                                   {"cabinet", 23, 8},
                                   {"door", 3.25, 40},
                                   {"truck", 548, 8},
                                   {"cube", 4.68, 40},
                                   {"bookshelf_simple", 17.2, 40},
                                   {"bookshelf_hard", 16.2, 40},
                                   {"basketball", 8.73, 40},
                                   {"window", 2.71, 40},
                                   {"spoon", 4.22, 40},
                                   {"package", -8475, 8},
                                   {"powerlift", 15.3, 40},
                                   {"room", 2.79, 40},
                                   {"insert_small", 1.59, 40},
                                   {"insert_normal", 1.61, 40},
                                   {"kitchen", 0, 8}};

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
    json.field("meshes", row.episodes == 0 ? std::nan("") : row.meshes);
    json.field("episodes_meshes", row.episodes).end_object();
    std::printf("%-16s paper %9.3f, meshes %9.3f: %9.3f +- %.3f\n", row.task, paper, row.meshes,
                ours.mean, ours.error);
    std::fflush(stdout);
    // Their mean is of as many episodes of the same spread. Few episodes have a spread that is
    // itself uncertain: 6 standard errors instead of 4.9.
    if (row.episodes == 0) continue;
    const double error =
        ours.error * std::sqrt(1 + static_cast<double>(n) / static_cast<double>(row.episodes));
    EXPECT_LT(std::abs(ours.mean - row.meshes), 6 * error + 0.005 * std::abs(row.meshes) + 0.01)
        << row.task;
  }
  write("MNEME_HB_HANDS_JSON", std::move(json.end_array().end_object()).text());
}

}  // namespace
}  // namespace mneme
