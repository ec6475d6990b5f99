// tests/envs/vec_env_test.cpp - transitions, limits, repeats, padding, seeds, refusals and state,
// on the dummy task (runs without MuJoCo) and on every task there is.
#include "mneme/vec_env.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "envs/dmc.h"
#include "envs/mujoco/version.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"

namespace mneme {
namespace {

using Memory = EnvMemoryOf<double>;

template <class F>
std::string refusal(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void expect_says(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
}

// The dummy's observation, keys in native order: start, start + sum of actions, steps.
TEST(VecEnv, TransitionsAreCanonicalAcrossATruncation) {
  const auto envs = make_vec_env("dummy/count:limit=3,keys=native,dtype=f64", {.seed = 5});
  Memory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  const double start = rows.observation[0];
  const std::vector<double> action{0.5};
  for (int step = 1; step <= 3; ++step) {
    envs->step(action, rows);
    EXPECT_EQ(rows.final_observation[1], start + 0.5 * step);
    EXPECT_EQ(rows.final_observation[2], step);
    EXPECT_EQ(rows.truncated[0], step == 3);
    EXPECT_EQ(rows.terminated[0], 0);
    EXPECT_EQ(rows.reward[0], step <= 2 ? 1 : 0);
  }
  // The next episode has begun, from another start.
  EXPECT_NE(rows.observation[0], start);
  EXPECT_EQ(rows.observation[1], rows.observation[0]);
  EXPECT_EQ(rows.observation[2], 0);
  const double next = rows.observation[0];
  envs->step(action, rows);
  EXPECT_EQ(rows.observation[1], next + 0.5);
  EXPECT_EQ(rows.final_observation[1], rows.observation[1]);
  EXPECT_EQ(envs->counts().episodes, 1U);
  EXPECT_EQ(envs->counts().steps, 4U);
}

TEST(VecEnv, TerminationAndTruncationAreSeparate) {
  const auto envs = make_vec_env("dummy/count:limit=2,dtype=f64", {});
  Memory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  envs->step(std::vector<double>{11}, rows);
  EXPECT_EQ(rows.terminated[0], 1);
  EXPECT_EQ(rows.truncated[0], 0);
  EXPECT_EQ(rows.success[0], 1);
  envs->step(std::vector<double>{0}, rows);
  envs->step(std::vector<double>{11}, rows);  // the last allowed step ends for good as well
  EXPECT_EQ(rows.terminated[0], 1);
  EXPECT_EQ(rows.truncated[0], 1);
}

TEST(VecEnv, RepeatSumsRewardsAndStopsAtTheEnd) {
  const auto envs = make_vec_env("dummy/count:repeat=4,limit=6,keys=native,dtype=f64", {});
  Memory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  envs->step(std::vector<double>{0.1}, rows);
  EXPECT_EQ(rows.reward[0], 4);
  EXPECT_EQ(rows.final_observation[2], 4);
  envs->step(std::vector<double>{0.1}, rows);  // two steps are left
  EXPECT_EQ(rows.reward[0], 2);
  EXPECT_EQ(rows.final_observation[2], 6);
  EXPECT_EQ(rows.truncated[0], 1);
}

TEST(VecEnv, KeysAreSortedUnlessNative) {
  const auto sorted = make_vec_env("dummy/count:dtype=f64", {.seed = 3});
  const auto native = make_vec_env("dummy/count:keys=native,dtype=f64", {.seed = 3});
  Memory a(*sorted), b(*native);
  sorted->reset(a.rows());
  native->reset(b.rows());
  sorted->step(std::vector<double>{0.25}, a.rows());
  native->step(std::vector<double>{0.25}, b.rows());
  EXPECT_EQ(native->keys(0)[0].name, "start");
  EXPECT_EQ(sorted->keys(0)[0].name, "clock");
  EXPECT_EQ(a.rows().observation[0], b.rows().observation[2]);  // clock
  EXPECT_EQ(a.rows().observation[1], b.rows().observation[0]);  // start
  EXPECT_EQ(a.rows().observation[2], b.rows().observation[1]);  // sum
}

TEST(VecEnv, SpecTextIsCanonical) {
  for (const auto& [given, canonical] : std::map<std::string, std::string>{
           {"dummy/count", "dummy/count"},
           {"dummy/count:repeat=1,keys=sorted,dtype=f32", "dummy/count"},
           {"dummy/count:dtype=f64,limit=7,repeat=2", "dummy/count:repeat=2,limit=7,dtype=f64"}})
    EXPECT_EQ(make_vec_env(given)->spec(0), canonical);
}

TEST(VecEnv, FailedSimulationCutsEpisodeAndIsReported) {
  const auto envs = make_vec_env("dummy/count:dtype=f64,keys=native", {.count = 3});
  Memory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  envs->step(std::vector<double>{1, 1, 1}, rows);
  const double last = rows.observation[3 + 1];
  envs->step(std::vector<double>{1, 2e6, 1}, rows);
  EXPECT_EQ(rows.cut[1], 1);
  EXPECT_EQ(rows.cut[0], 0);
  EXPECT_EQ(rows.truncated[1], 1);
  EXPECT_EQ(rows.terminated[1], 0);
  EXPECT_EQ(rows.reward[1], 0);
  EXPECT_EQ(rows.final_observation[3 + 1], last);
  EXPECT_EQ(rows.observation[3 + 2], 0);  // a new episode
  EXPECT_EQ(envs->counts().cuts, 1U);
  expect_says(envs->counts().last_cut, {"dummy/count", "environment 1", "step 2", "one million"});
}

TEST(VecEnv, InvalidInputThrowsAndChangesNothing) {
  const auto envs = make_vec_env("dummy/count", {.count = 2});
  EnvMemory memory(*envs);
  const auto rows = memory.rows();
  const std::vector<float> fine{0.5F, 0.5F};
  expect_says(refusal([&] { envs->step(fine, rows); }), {"reset"});
  envs->reset(rows);
  const std::vector<float> before(rows.observation.begin(), rows.observation.end());

  const std::vector<float> bad{0.5F, std::numeric_limits<float>::quiet_NaN()};
  expect_says(refusal([&] { envs->step(bad, rows); }),
              {"environment 1", "step 0", "action 0", "nan"});
  const std::vector<float> infinite{std::numeric_limits<float>::infinity(), 0};
  expect_says(refusal([&] { envs->step(infinite, rows); }), {"environment 0", "inf"});
  expect_says(refusal([&] { envs->step(std::vector<float>{1}, rows); }), {"1 numbers", "2"});
  EnvRows<float> narrow = rows;
  narrow.reward = narrow.reward.subspan(1);
  expect_says(refusal([&] { envs->step(fine, narrow); }), {"reward", "1", "2"});
  EnvMemoryOf<double> wide(*envs);
  expect_says(refusal([&] { envs->reset(wide.rows()); }), {"f32", "dtype=f64"});

  EXPECT_EQ(envs->counts().steps, 0U);
  EXPECT_EQ(before, std::vector<float>(rows.observation.begin(), rows.observation.end()));
}

TEST(VecEnv, UnknownNameListsNearest) {
  expect_says(refusal([] { make_vec_env("dmc/walker-rnu"); }), {"dmc/walker-run", "mneme envs"});
  expect_says(refusal([] { make_vec_env("dummy/count:repeat=0"); }), {"repeat=0", "whole number"});
  expect_says(refusal([] { make_vec_env("dummy/count:speed=2"); }), {"speed", "repeat"});
  expect_says(refusal([] { make_vec_env("dummy/count:limit=3,limit=4"); }), {"twice"});
  expect_says(refusal([] { make_vec_env("dummy/count:limit"); }), {"key=value"});
  expect_says(refusal([] { make_vec_env("dummy/count:dtype=f16"); }), {"f32 or f64"});
  expect_says(refusal([] { make_vec_env("dummy/count", {.count = 0}); }), {"count 0"});
  expect_says(refusal([] { make_vec_env("dummy/count", {.threads = 0}); }), {"threads 0"});
  expect_says(refusal([] { make_vec_env(std::vector<std::string>{}); }), {"no task"});
}

TEST(VecEnv, EnvironmentsDifferAndSeedsRepeat) {
  const auto first = make_vec_env("dummy/count", {.count = 4, .seed = 9});
  const auto again = make_vec_env("dummy/count", {.count = 4, .seed = 9});
  const auto other = make_vec_env("dummy/count", {.count = 4, .seed = 10});
  EnvMemory a(*first), b(*again), c(*other);
  first->reset(a.rows());
  again->reset(b.rows());
  other->reset(c.rows());
  for (std::size_t i = 0; i < a.rows().observation.size(); ++i)
    EXPECT_EQ(a.rows().observation[i], b.rows().observation[i]);
  EXPECT_NE(a.rows().observation[1], c.rows().observation[1]);
  EXPECT_NE(a.rows().observation[1], a.rows().observation[3 + 1]);
}

TEST(VecEnv, StateOfAnotherTaskIsRejected) {
  const auto envs = make_vec_env("dummy/count", {.count = 1});
  const auto longer = make_vec_env("dummy/count:limit=7", {.count = 1});
  EnvMemory memory(*envs);
  envs->reset(memory.rows());
  std::vector<std::byte> state = envs->state(0);
  expect_says(refusal([&] { longer->set_state(0, state); }), {"dummy/count", "limit=7"});
  expect_says(refusal([&] { envs->state(1); }), {"outside [0, 1)"});
  state.resize(state.size() - 1);
  EXPECT_THROW(envs->set_state(0, state), CorruptData);
  state[0] = std::byte{0};
  EXPECT_THROW(envs->set_state(0, state), CorruptData);
}

TEST(VecEnv, EverySetHasRegisteredTasks) {
  for (const std::string& set : task_set_names())
    for (const std::string& task : task_set(set)) EXPECT_EQ(envs::find_task(task).info.name, task);
  EXPECT_THROW(task_set("dmc-cats"), NotFound);
  const std::vector<std::string> simbav2 = task_set("simbav2-20");
  EXPECT_EQ(std::set<std::string>(simbav2.begin(), simbav2.end()).size(), 20U);
  EXPECT_EQ(simbav2.front(), "hb/h1-walk");
  EXPECT_EQ(simbav2.back(), "dmc/humanoid-run");
}

TEST(VecEnv, UnknownTaskSuggestsTasksThatBeginWithTheName) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(envs::nearest_tasks("dmc/cartpole", 4),
            (Names{"dmc/cartpole-balance", "dmc/cartpole-balance_sparse", "dmc/cartpole-swingup",
                   "dmc/cartpole-swingup_sparse"}));
  EXPECT_EQ(envs::nearest_tasks("dmc/walker-rnu", 1), Names{"dmc/walker-run"});
  EXPECT_EQ(envs::nearest_tasks("cheetah-run", 1), Names{"dmc/cheetah-run"});
  EXPECT_EQ(envs::nearest_tasks("mt5", 1), Names{"mt50"});
}

// ---------------------------------------------------------------- every task

std::vector<std::string> runnable() {
  std::vector<std::string> names;
  for (const TaskInfo& info : registered_tasks())
    if (info.available && envs::find_python_suite(info.name) == nullptr)
      names.emplace_back(info.name);
  return names;
}

std::string plain(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class EveryTask : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EveryTask, testing::ValuesIn(runnable()), plain);

std::vector<double> random_actions(Rng& rng, const VecEnv& envs) {
  std::vector<double> actions(static_cast<std::size_t>(envs.count() * envs.action_size()));
  rng.fill_uniform(actions);
  for (double& action : actions) action = 2 * action - 1;
  return actions;
}

// A run saved and resumed elsewhere continues with the same bits, past the end of an episode.
TEST_P(EveryTask, ResumesExactly) {
  const std::string spec = GetParam() + ":limit=25,dtype=f64";
  const auto one = make_vec_env(spec, {.seed = 4});
  const auto two = make_vec_env(spec, {.seed = 77});
  Memory a(*one), b(*two);
  one->reset(a.rows());
  two->reset(b.rows());
  Rng rng(12);
  for (int step = 0; step < 12; ++step) one->step(random_actions(rng, *one), a.rows());
  two->set_state(0, one->state(0));
  EXPECT_EQ(one->observation(0), two->observation(0));
  for (int step = 0; step < 30; ++step) {
    const std::vector<double> actions = random_actions(rng, *one);
    one->step(actions, a.rows());
    two->step(actions, b.rows());
    ASSERT_EQ(a.rows().reward[0], b.rows().reward[0]) << "step " << step;
    ASSERT_EQ(a.rows().truncated[0], b.rows().truncated[0]) << "step " << step;
    for (std::size_t i = 0; i < a.rows().observation.size(); ++i) {
      ASSERT_EQ(a.rows().observation[i], b.rows().observation[i]) << "step " << step << ", " << i;
      ASSERT_EQ(a.rows().final_observation[i], b.rows().final_observation[i]) << "step " << step;
    }
  }
}

// A hash of everything that comes out of a few steps of several environments.
std::uint64_t trajectory(const std::string& spec, Index threads, Index count) {
  const auto envs = make_vec_env(spec, {.count = count, .threads = threads, .seed = 2});
  Memory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  Rng rng(3);
  std::uint64_t hash = 14695981039346656037U;
  const auto mix = [&](double number) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 1099511628211U;
  };
  for (int step = 0; step < 15; ++step) {
    envs->step(random_actions(rng, *envs), rows);
    for (const double number : rows.observation) mix(number);
    for (const double number : rows.final_observation) mix(number);
    for (const double number : rows.reward) mix(number);
    for (const std::uint8_t flag : rows.truncated) mix(flag);
  }
  EXPECT_EQ(envs->counts().cuts, 0U) << envs->counts().last_cut;
  return hash;
}

TEST_P(EveryTask, ThreadsDoNotChangeAnything) {
  const std::string spec = GetParam() + ":limit=10,dtype=f64";
  const std::uint64_t one = trajectory(spec, 1, 9);
  EXPECT_EQ(one, trajectory(spec, 2, 9));
  EXPECT_EQ(one, trajectory(spec, 8, 9));
}

TEST_P(EveryTask, ObservationsAreFiniteAndRewardsInBounds) {
  const auto envs = make_vec_env(GetParam() + ":dtype=f64", {.count = 2, .seed = 8});
  Memory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  Rng rng(1);
  for (int step = 0; step < 30; ++step) {
    envs->step(random_actions(rng, *envs), rows);
    for (const double number : rows.observation) ASSERT_TRUE(std::isfinite(number));
    if (GetParam().rfind("dmc/", 0) == 0) {
      for (const double reward : rows.reward) {
        ASSERT_GE(reward, 0);
        ASSERT_LE(reward, 1);
      }
    }
  }
  Index total = 0;
  for (const ObservationKey& key : envs->keys(0)) total += key.size;
  EXPECT_EQ(total, envs->task(0).observation);
  EXPECT_EQ(envs->counts().cuts, 0U);
}

// Setting the physics of one environment in another gives the same observation and the same future.
TEST_P(EveryTask, PhysicsCanBeReadAndSet) {
  const auto envs = make_vec_env(GetParam() + ":dtype=f64", {.count = 2, .seed = 6});
  Memory memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  if (envs->physics(0).empty()) GTEST_SKIP() << "no physics";
  if (GetParam().ends_with("-package")) GTEST_SKIP() << "its first observation shows the old goal";
  if (GetParam().ends_with("-bookshelf_hard")) GTEST_SKIP() << "its things are not part of physics";
  envs->set_physics(1, envs->physics(0));
  EXPECT_EQ(envs->physics(0), envs->physics(1));
  const auto a = envs->observation(0), b = envs->observation(1);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 1e-9 * std::max(1.0, std::abs(a[i])));
  std::vector<double> short_of_one = envs->physics(0);
  short_of_one.pop_back();
  EXPECT_THROW(envs->set_physics(0, short_of_one), InvalidArgument);
}

// ---------------------------------------------------------------- tasks side by side

TEST(VecEnv, NarrowTasksArePaddedWithZeros) {
  if (!envs::find_task("dmc/cheetah-run").info.available) GTEST_SKIP() << "needs MuJoCo";
  const auto envs = make_vec_env(
      std::vector<std::string>{"dmc/cheetah-run:dtype=f64", "dmc/pendulum-swingup:dtype=f64"},
      {.count = 2, .seed = 1});
  EXPECT_EQ(envs->count(), 4);
  EXPECT_EQ(envs->observation_size(), 17);
  EXPECT_EQ(envs->action_size(), 6);
  EXPECT_EQ(envs->task(3).name, "dmc/pendulum-swingup");
  Memory memory(*envs);
  const auto rows = memory.rows();
  std::fill(rows.observation.begin(), rows.observation.end(), 7.0);
  envs->reset(rows);
  Rng rng(1);
  std::vector<double> actions = random_actions(rng, *envs);
  // What a narrow task does not take is not looked at, not even for NaN.
  actions[2 * 6 + 1] = std::numeric_limits<double>::quiet_NaN();
  envs->step(actions, rows);
  for (std::size_t i = 3; i < 17; ++i) {
    EXPECT_EQ(rows.observation[2 * 17 + i], 0);
    EXPECT_EQ(rows.final_observation[3 * 17 + i], 0);
  }
  EXPECT_NE(rows.observation[16], 0);
  EXPECT_THROW(make_vec_env(std::vector<std::string>{"dummy/count", "dummy/count:dtype=f64"}),
               InvalidArgument);
}

// ---------------------------------------------------------------- another MuJoCo

TEST(MujocoVersion, ReportsMismatch) {
  EXPECT_TRUE(envs::notes_of("3.17.0").empty());
  EXPECT_TRUE(envs::notes_of("").empty());  // built without it
  const auto notes = envs::notes_of("3.3.0");
  ASSERT_EQ(notes.size(), 1U);
  for (const char* word : {"3.3.0", "3.17.0", "dmc/dog-", "hb/h1-balance_", "hb/h1-sit_"})
    EXPECT_NE(notes[0].find(word), std::string::npos) << word;
  // A library whose structures are not those it was compiled for is not worked with at all.
  EXPECT_EQ(envs::mismatch_of(3017000, 3017000), "");
  const std::string mismatch = envs::mismatch_of(3017000, 3003000);
  for (const char* word : {"3017000", "3003000", "MUJOCO_ROOT"})
    EXPECT_NE(mismatch.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace mneme
