// tests/run/python_suites_test.cpp - runs on suites in Python, with environments of our own
// in their place: scores by success, kept evaluation environments, resumes that begin new episodes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "agents/fasttd3/config.h"
#include "agents/simbav2/config.h"
#include "mneme/error.h"
#include "run/trainer.h"
#include "study/estimate.h"
#include "support/failing_disk.h"
#include "support/places.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Values of one metric, in the order of metrics.csv.
std::vector<double> values_of(const fs::path& run, const std::string& name) {
  std::istringstream lines(content(run / "metrics.csv"));
  std::vector<double> values;
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find("," + name + ","); at != std::string::npos)
      values.push_back(std::stod(line.substr(at + name.size() + 2)));
  return values;
}

struct Script {
  Index length = 5;     // of an episode
  bool exact = false;   // continues where it was
  Index given_up = -1;  // this environment fails for good from its third step on
};

struct Made {
  std::vector<std::string> specs;
  VecEnvOptions options;
  Index resets = 0;
};

// Reward 1 a step; the third step of every second episode is a success; observations never change,
// so that nothing shows where an episode began.
class ScriptedEnv final : public VecEnv {
 public:
  ScriptedEnv(Script script, const VecEnvOptions& options, std::vector<std::string> specs,
              Made& made)
      : script_(script), made_(made), specs_(std::move(specs)), each_(options.count) {
    for (const std::string& spec : specs_) {
      TaskInfo info;
      info.name = spec;
      info.observation = 39;
      info.action = 4;
      info.horizon = 200;
      info.score_high = 1;
      info.success = "the third step of every second episode";
      info.score_is_success = true;
      tasks_.push_back(info);
    }
    steps_.resize(static_cast<std::size_t>(count()));
    episodes_.resize(steps_.size());
  }

  Index count() const override { return each_ * static_cast<Index>(specs_.size()); }
  Index observation_size() const override { return 39; }
  Index action_size() const override { return 4; }
  DType dtype() const override { return DType::f32; }
  std::string spec(Index env) const override {
    return specs_[static_cast<std::size_t>(env / each_)];
  }
  const TaskInfo& task(Index env) const override {
    return tasks_[static_cast<std::size_t>(env / each_)];
  }
  std::vector<ObservationKey> keys(Index) const override { return {{"all", 39}}; }

  void reset(const EnvRows<float>& rows) override {
    ++made_.resets;
    std::fill(steps_.begin(), steps_.end(), 0);
    fill(rows);
  }
  void step(std::span<const float>, const EnvRows<float>& rows) override {
    fill(rows);
    for (std::size_t e = 0; e < steps_.size(); ++e) {
      ++steps_[e];
      if (static_cast<Index>(e) == script_.given_up && (steps_[e] > 2 || dead_)) {
        dead_ = true;
        rows.cut[e] = rows.truncated[e] = 1;
        steps_[e] = 0;
        continue;
      }
      rows.reward[e] = 1;
      rows.success[e] = steps_[e] == 3 && episodes_[e] % 2 == 1 ? 1 : 0;
      if (steps_[e] < script_.length) continue;
      rows.truncated[e] = 1;
      ++episodes_[e];
      steps_[e] = 0;
    }
  }
  void reset(const EnvRows<double>&) override { FAIL(); }
  void step(std::span<const double>, const EnvRows<double>&) override { FAIL(); }

  EnvCounts counts() const override { return {}; }
  std::vector<std::byte> state(Index env) const override {
    const auto e = static_cast<std::size_t>(env);
    return {std::byte(steps_[e]), std::byte(episodes_[e])};
  }
  void set_state(Index env, std::span<const std::byte> bytes) override {
    if (!script_.exact) return;
    steps_[static_cast<std::size_t>(env)] = static_cast<Index>(bytes[0]);
    episodes_[static_cast<std::size_t>(env)] = static_cast<Index>(bytes[1]);
  }
  bool exact_state() const override { return script_.exact; }
  std::vector<double> physics(Index) const override { return {}; }
  void set_physics(Index, std::span<const double>) override {}
  std::vector<double> observation(Index) const override { return std::vector<double>(39, 0.5); }

 private:
  static void fill(const EnvRows<float>& rows) {
    std::fill(rows.observation.begin(), rows.observation.end(), 0.5F);
    std::fill(rows.final_observation.begin(), rows.final_observation.end(), 0.5F);
    std::fill(rows.reward.begin(), rows.reward.end(), 0.F);
    for (const auto& flags : {rows.terminated, rows.truncated, rows.success, rows.cut})
      std::fill(flags.begin(), flags.end(), std::uint8_t{0});
  }

  Script script_;
  Made& made_;
  std::vector<std::string> specs_;
  Index each_;
  std::vector<TaskInfo> tasks_;
  std::vector<Index> steps_, episodes_;
  bool dead_ = false;
};

// Makes scripted environments of Python tasks, real ones of the others, and remembers.
class Workshop {
 public:
  explicit Workshop(Script script = {}) : script_(script) {}
  MakeEnvs make() {
    return [this](const std::vector<std::string>& specs,
                  const VecEnvOptions& options) -> std::unique_ptr<VecEnv> {
      made_.push_back(std::make_unique<Made>(Made{specs, options}));
      if (!specs.front().starts_with("metaworld/") && !specs.front().starts_with("isaac/"))
        return make_vec_env(specs, options);
      return std::make_unique<ScriptedEnv>(script_, options, specs, *made_.back());
    };
  }
  const Made& made(std::size_t at) const { return *made_.at(at); }
  std::size_t count() const { return made_.size(); }

 private:
  Script script_;
  std::vector<std::unique_ptr<Made>> made_;
};

RunConfig small_run(const std::vector<std::string>& tasks, std::vector<std::string> more = {}) {
  std::vector<std::string> settings{"steps=60",        "random_steps=10", "learning_starts=20",
                                    "batch_size=8",    "capacity=200",    "eval_every=20",
                                    "eval_episodes=4", "critic_width=4",  "actor_width=4"};
  for (std::string& one : more) settings.push_back(std::move(one));
  RunConfig run = resolve_run("brc", "laptop", tasks, settings);
  run.seed = 7;
  return run;
}

void finish(Trainer& run) {
  while (!run.done()) run.step();
  run.save();
}

TEST(PythonSuites, EvaluationKeepsItsEnvironmentsAndHasGoalsOfItsOwn) {
  const TemporaryDirectory directory;
  Workshop workshop;
  const std::vector<std::string> tasks{"metaworld/reach", "metaworld/push"};
  const auto run = Trainer::create(small_run(tasks), directory / "run", false, workshop.make());
  finish(*run);
  EXPECT_EQ(run->evaluations_done(), 3);
  // Training, then one for all evaluations: an environment per task, four episodes in it.
  ASSERT_EQ(workshop.count(), 2U);
  EXPECT_EQ(workshop.made(1).specs, tasks);
  EXPECT_EQ(workshop.made(1).options.count, 1);
  EXPECT_EQ(workshop.made(1).resets, 3);
  EXPECT_NE(workshop.made(1).options.seed, workshop.made(0).options.seed);
  ASSERT_EQ(run->last_evaluation().size(), 2U);
  for (const Evaluation& one : run->last_evaluation()) {
    EXPECT_EQ(one.episodes, 4);
    EXPECT_EQ(one.mean_return, 5);
    EXPECT_EQ(one.success, 0.5);
    EXPECT_EQ(one.score, 0.5);  // not the return
  }

  // The same goals after a resume, and at another seed others.
  Workshop again;
  finish(*Trainer::create(small_run(tasks), directory / "again", false, again.make()));
  EXPECT_EQ(again.made(1).options.seed, workshop.made(1).options.seed);
  Workshop other;
  RunConfig config = small_run(tasks);
  config.seed = 8;
  finish(*Trainer::create(config, directory / "other", false, other.make()));
  EXPECT_NE(other.made(1).options.seed, workshop.made(1).options.seed);
}

TEST(PythonSuites, NativeTasksBesideThemAreEvaluatedAsEver) {
  const TemporaryDirectory directory;
  Workshop workshop;
  const RunConfig config = small_run({"metaworld/reach", "dummy/count:limit=9"}, {"steps=20"});
  // Training would mix the two in one VecEnv; here only evaluation is looked at.
  const ReplayBuffer buffer({.observation = {39}, .action = {4}, .capacity = 2, .streams = 2});
  const auto agent = config.settings->make(config.shape, {buffer.reader(), {}}, {});
  Evaluator evaluate(config, workshop.make());
  for (std::uint64_t round = 0; round < 3; ++round) {
    const auto results = evaluate(*agent, 4, round);
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].task, "metaworld/reach");
    EXPECT_EQ(results[1].task, "dummy/count");
    EXPECT_EQ(results[1].episodes, 4);
    EXPECT_EQ(results[1].length, 9);
  }
  ASSERT_EQ(workshop.count(), 4U);  // three times native, one that is kept
  EXPECT_EQ(workshop.made(0).options.count, 4);
  EXPECT_NE(workshop.made(0).options.seed, workshop.made(2).options.seed);
}

// With random starts, as in training, the first episode of every environment would be cut short, and
// side by side there is no other.
TEST(PythonSuites, IsaacEvaluationStartsEpisodesAtStepZero) {
  Workshop workshop;
  const RunConfig config = small_run({"isaac/Velocity-Flat-G1"});
  const ReplayBuffer buffer({.observation = {123}, .action = {37}, .capacity = 2, .streams = 1});
  const auto agent = config.settings->make(config.shape, {buffer.reader(), {}}, {});
  Evaluator evaluate(config, workshop.make());
  EXPECT_EQ(evaluate(*agent, 4, 0).at(0).episodes, 4);
  ASSERT_EQ(workshop.count(), 1U);
  EXPECT_EQ(workshop.made(0).options.count, 4);
  EXPECT_EQ(workshop.made(0).specs,
            std::vector<std::string>{"isaac/Velocity-Flat-G1:random_start=false"});
}

TEST(PythonSuites, SuccessOfTrainingEpisodesIsAMetric) {
  const TemporaryDirectory directory;
  Workshop workshop({.length = 5, .exact = true});
  // A line every five steps has one episode in it: without and with success in turn.
  const RunConfig config = small_run({"metaworld/reach"}, {"steps=1000", "eval_every=1000"});
  const fs::path whole = directory / "whole", parts = directory / "parts";
  {
    const auto run = Trainer::create(config, whole, false, workshop.make());
    while (run->steps_done() < 40) run->step();
    run->save();
  }
  EXPECT_EQ(values_of(whole, "train_success:metaworld/reach"),
            (std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(values_of(whole, "train_return:metaworld/reach"), std::vector<double>(8, 5.0));

  // Stopped between the success and the end of its episode.
  {
    const auto run = Trainer::create(config, parts, false, workshop.make());
    while (run->steps_done() < 19) run->step();
    run->save();
  }
  const auto run = Trainer::resume(parts, false, workshop.make());
  EXPECT_EQ(run->resume_note(), "");
  while (run->steps_done() < 40) run->step();
  EXPECT_EQ(content(whole / "metrics.csv"), content(parts / "metrics.csv"));
  EXPECT_EQ(values_of(parts, "resumes_with_new_episodes").size(), 0U);
}

TEST(PythonSuites, AResumeBeginsNewEpisodesWhereItMust) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run";
  const RunConfig config =
      small_run({"metaworld/reach"}, {"steps=1000", "eval_every=1000", "n_step=3"});
  Workshop workshop({.length = 7, .exact = false});
  {
    const auto run = Trainer::create(config, path, false, workshop.make());
    while (run->steps_done() < 31) run->step();  // the fifth episode is at its third step
    run->save();
  }
  auto run = Trainer::resume(path, false, workshop.make());
  EXPECT_NE(run->resume_note().find("step 31"), std::string::npos);
  EXPECT_EQ(workshop.made(workshop.count() - 1).resets, 1);
  EXPECT_EQ(workshop.made(workshop.count() - 1).options.seed, workshop.made(0).options.seed);
  while (run->steps_done() < 60) run->step();
  // Whole episodes only: the three steps before the stop are in none.
  for (const double value : values_of(path, "train_return:metaworld/reach")) EXPECT_EQ(value, 7);
  EXPECT_EQ(values_of(path, "train_return:metaworld/reach").size(), 8U);
  EXPECT_EQ(values_of(path, "resumes_with_new_episodes").back(), 1);
  run->save();
  run.reset();
  Trainer::resume(path, false, workshop.make())->save();
  run = Trainer::resume(path, false, workshop.make());
  while (run->steps_done() < 65) run->step();
  EXPECT_EQ(values_of(path, "resumes_with_new_episodes").back(), 3);
}

// Episodes without an end and observations without a difference: only a cut tells the sittings
// apart, and no window of three rewards may reach over it.
TEST(PythonSuites, NoWindowReachesOverAResume) {
  for (const bool exact : {true, false}) {
    const TemporaryDirectory directory;
    const fs::path path = directory / "run";
    const RunConfig config =
        small_run({"metaworld/reach"}, {"steps=1000", "eval_every=1000", "n_step=3"});
    Workshop workshop({.length = 100'000, .exact = exact});
    {
      const auto run = Trainer::create(config, path, false, workshop.make());
      while (run->steps_done() < 40) run->step();
      run->save();
    }
    {
      const auto run = Trainer::resume(path, false, workshop.make());
      while (run->steps_done() < 80) run->step();
      run->save();
    }
    ReplayBuffer buffer = ReplayBuffer::open((path / "replay").string());
    Batch batch = buffer.make_batch(4000);
    buffer.sample(batch);
    float least = 3;
    for (const float reward : batch.reward) least = std::min(least, reward);
    EXPECT_NEAR(least, exact ? 1 + 0.99 + 0.99 * 0.99 : 1, 1e-6) << "exact: " << exact;
  }
}

TEST(PythonSuites, AnEnvironmentThatWasGivenUpCountsNowhere) {
  const TemporaryDirectory directory;
  Workshop workshop({.length = 5, .given_up = 1});
  const RunConfig config = small_run({"metaworld/reach", "metaworld/push"}, {"steps=40"});
  const auto run = Trainer::create(config, directory / "run", false, workshop.make());
  finish(*run);
  EXPECT_EQ(values_of(directory / "run", "train_return:metaworld/push"), std::vector<double>{2});
  EXPECT_GT(values_of(directory / "run", "train_return:metaworld/reach").size(), 5U);
  // In its evaluation too: first what it had, then nothing.
  EXPECT_EQ(run->last_evaluation()[1].episodes, 0);
  EXPECT_TRUE(std::isnan(run->last_evaluation()[1].score));
  EXPECT_EQ(run->last_evaluation()[0].episodes, 4);
}

// Fifty tasks without a process: from the table alone.
TEST(PythonSuites, RunsAreResolvedWithoutStartingAnything) {
  const RunConfig brc = resolve_run("brc", "paper", {"mt50"}, {});
  EXPECT_EQ(brc.tasks.size(), 50U);
  EXPECT_EQ(brc.shape.observation(), 39);
  EXPECT_EQ(brc.shape.action(), 4);
  EXPECT_EQ(brc.shape.tasks.front().horizon, 200);
  EXPECT_EQ(brc.settings->run.action_repeat, 1);
  EXPECT_EQ(brc.settings->run.batch_size, 1024);
  EXPECT_EQ(brc.settings->run.discount, 0.99);
  EXPECT_THROW(resolve_run("brc", "paper", {"metaworld/reach:dtype=f64"}, {}), InvalidArgument);

  for (const char* task : {"myo/reach", "myo/obj-hold-hard", "myo/pen-twirl", "myo/key-turn"}) {
    const RunConfig run = resolve_run("simbav2", "paper", {task}, {});
    EXPECT_EQ(run.shape.action(), 39);
    EXPECT_EQ(run.settings->run.action_repeat, 2) << task;
    EXPECT_EQ(run.settings->run.discount, 0.95) << task;
    EXPECT_EQ(run.settings->run.utd, 2) << task;
    EXPECT_EQ(run.settings->run.steps, 500'000) << task;
    EXPECT_FALSE(dynamic_cast<const SimbaV2Config&>(*run.settings).own.two_critics) << task;
  }
  const RunConfig gym = resolve_run("simbav2", "paper", {"gym/HalfCheetah-v5"}, {});
  EXPECT_EQ(gym.settings->run.action_repeat, 1);
  EXPECT_EQ(gym.settings->run.discount, 0.995);
  EXPECT_TRUE(dynamic_cast<const SimbaV2Config&>(*gym.settings).own.two_critics);

  const RunConfig rough = resolve_run("fasttd3", "paper", {"isaac/Velocity-Rough-G1"}, {});
  EXPECT_EQ(rough.shape.observation(), 310);
  EXPECT_EQ(rough.settings->run.num_envs, 2048);
  EXPECT_EQ(rough.settings->run.n_step, 8);
  EXPECT_EQ(rough.settings->run.utd, 4);
  EXPECT_EQ(rough.settings->run.capacity, 5120);
  const RunConfig repose =
      resolve_run("fasttd3", "upstream", {"isaac/Repose-Cube-Shadow-Direct"}, {});
  EXPECT_EQ(dynamic_cast<const FastTD3Config&>(*repose.settings).own.v_max, 500);
  EXPECT_EQ(repose.settings->run.num_envs, 4096);
}

TEST(PythonSuites, EstimatesTakeNoMinutes) {
  PlannedRun planned{.task = "mt50"};
  planned.config = resolve_run("brc", "laptop", {"mt50"}, {});
  const Estimate estimate = Estimator(nullptr)(planned);
  // Fifty environments at a thousand steps a second, at least.
  EXPECT_GT(estimate.seconds, 0.05 * static_cast<double>(planned.config.settings->run.steps));
}

// Written by version 2 of the state file (fixtures/README.md).
TEST(PythonSuites, CheckpointsOfVersionTwoAreRead) {
  const TemporaryDirectory directory;
  fs::copy(fs::path(test::source_path("tests/run/fixtures/checkpoint-2")), directory / "run",
           fs::copy_options::recursive);
  {
    const auto run = Trainer::resume(directory / "run");
    EXPECT_EQ(run->steps_done(), 40);
    EXPECT_EQ(run->last_evaluation().size(), 1U);
    run->save();
  }
  EXPECT_EQ(Trainer::resume(directory / "run")->steps_done(), 40);
}

}  // namespace
}  // namespace mneme::lab
