// tests/envs/remote/worker_test.cpp - Python suites behind VecEnv, with a worker that fails on demand.
//
// fake_worker.cpp is the other side. Every fault gives an error message; nothing hangs, no process,
// descriptor or memory is left behind.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "envs/registry.h"
#include "envs/remote/protocol.h"
#include "mneme/error.h"
#include "mneme/rng.h"
#include "mneme/vec_env.h"

namespace mneme::envs {
namespace {

namespace fs = std::filesystem;

// Of a process by its folder in /proc; of one that is gone meanwhile, nothing.
std::string command_line(const fs::path& process) {
  std::string text(4096, '\0');
  std::ifstream file(process / "cmdline");
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// Processes that were started with this word on their command line.
int processes_with(const std::string& word) {
  int found = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    found += command_line(entry.path()).find(word) != std::string::npos ? 1 : 0;
  }
  return found;
}

bool gone_within(const std::string& word, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (processes_with(word) > 0) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

int open_descriptors() {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) count += entry.exists() ? 1 : 1;
  return count;
}

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

// A folder of its own: on the command line of every worker of this test, and of no other.
class WorkerTest : public testing::Test {
 protected:
  WorkerTest() {
    std::string name = (fs::temp_directory_path() / "mneme-worker-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(folder_ / "__main__.py") << "# a worker is looked for here\n";
    setenv("MNEME_WORKER", folder_.c_str(), 1);
    setenv("MNEME_PYTHON_SYNTHETIC", MNEME_FAKE_WORKER, 1);
  }
  ~WorkerTest() override {
    EXPECT_TRUE(gone_within(folder_.string(), std::chrono::seconds(5)))
        << "a worker is still running";
    unsetenv("MNEME_WORKER");
    unsetenv("MNEME_PYTHON_SYNTHETIC");
    fs::remove_all(folder_);
  }

  fs::path folder_;
};

struct Trial {
  explicit Trial(const std::string& spec, const VecEnvOptions& options = {})
      : envs(make_vec_env(spec, options)),
        memory(*envs),
        rows(memory.rows()),
        actions(static_cast<std::size_t>(envs->count() * envs->action_size()), 0.25F) {}
  void reset() { envs->reset(rows); }
  void step() { envs->step(actions, rows); }

  std::unique_ptr<VecEnv> envs;
  EnvMemory memory;
  EnvRows<float> rows;
  std::vector<float> actions;
};

TEST_F(WorkerTest, RowsOfSeveralWorkersAreCanonicalTransitions) {
  for (const Index threads : {1, 2, 3}) {
    Trial run("synthetic/good:length=3", {.count = 5, .threads = threads});
    EXPECT_EQ(run.envs->observation_size(), 3);
    EXPECT_EQ(run.envs->action_size(), 2);
    EXPECT_EQ(run.envs->keys(4).at(2).name, "sum");
    EXPECT_FALSE(run.envs->exact_state());
    run.reset();
    for (std::size_t env = 0; env < 5; ++env)
      for (std::size_t i = 0; i < 2; ++i)
        run.actions[env * 2 + i] = static_cast<float>(env) / 8 + static_cast<float>(i);
    for (int step = 1; step <= 7; ++step) {
      run.step();
      const int inside = (step - 1) % 3 + 1;
      for (std::size_t env = 0; env < 5; ++env) {
        EXPECT_EQ(run.rows.final_observation[env * 3 + 2],
                  static_cast<float>(env * static_cast<std::size_t>(inside)) / 8);
        EXPECT_EQ(run.rows.reward[env], run.rows.final_observation[env * 3 + 2]);
        EXPECT_EQ(run.rows.truncated[env], inside == 3);
        EXPECT_EQ(run.rows.terminated[env], 0);
        EXPECT_EQ(run.rows.cut[env], 0);
        // At the end of an episode the next one begins; otherwise both are the same.
        EXPECT_EQ(run.rows.observation[env * 3 + 2],
                  inside == 3 ? 0 : run.rows.final_observation[env * 3 + 2]);
      }
    }
    EXPECT_EQ(run.envs->counts().episodes, 10U);
    EXPECT_EQ(run.envs->counts().steps, 35U);
    EXPECT_EQ(processes_with(folder_.string()), threads);
  }
}

TEST_F(WorkerTest, F64SpecUsesDoubles) {
  const auto envs = make_vec_env("synthetic/good:dtype=f64", {.count = 2});
  EnvMemoryOf<double> memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  const std::vector<double> actions{0.1, 0, 0.3, 0};
  envs->step(actions, rows);
  EXPECT_EQ(rows.reward[0], 0.1);
  EXPECT_EQ(rows.final_observation[5], 0.3);
  EnvMemory other(*envs);
  expect_says(refusal([&] { envs->reset(other.rows()); }), {"dtype f64"});
}

TEST_F(WorkerTest, InvalidInputIsRejectedWithoutStepping) {
  expect_says(refusal([] { make_vec_env("synthetic/good:fault=maybe"); }),
              {"stop, restart or drop"});
  expect_says(refusal([] { make_vec_env("synthetic/good:timeout=-1"); }), {"timeout=-1"});
  expect_says(
      refusal([] { make_vec_env(std::vector<std::string>{"synthetic/good", "dummy/count"}); }),
      {"native"});
  expect_says(refusal([] { make_vec_env("synthetic/"); }), {"unknown task"});
  expect_says(refusal([] { make_vec_env("metaworld/raech"); }), {"metaworld/reach"});
  Trial run("synthetic/good", {.count = 2});
  expect_says(refusal([&] { run.step(); }), {"call reset first"});
  run.reset();
  run.step();
  run.actions[2] = std::nanf("");
  expect_says(refusal([&] { run.step(); }), {"environment 1", "action 0 is nan"});
  run.actions.pop_back();
  expect_says(refusal([&] { run.step(); }), {"3 numbers, 4 are needed"});
  run.actions = {0, 0, 0, 0};
  run.step();
  EXPECT_EQ(run.rows.final_observation[0],
            3);  // the third command: the rejected ones were not sent
}

TEST_F(WorkerTest, MissingSuiteNamesInstallCommand) {
  setenv("MNEME_SUITES", folder_.c_str(), 1);
  expect_says(refusal([] { make_vec_env("metaworld/reach"); }), {"mneme envs install metaworld"});
  unsetenv("MNEME_SUITES");
  setenv("MNEME_PYTHON_SYNTHETIC", (folder_ / "python").c_str(), 1);
  expect_says(refusal([] { make_vec_env("synthetic/good"); }), {"cannot run here"});
  // The file exists, but is not a program.
  std::ofstream(folder_ / "python") << "nothing to run";
  fs::permissions(folder_ / "python", fs::perms::owner_all);
  expect_says(refusal([] { make_vec_env("synthetic/good"); }), {"could not be executed"});
}

TEST_F(WorkerTest, PythonTaskHasNoNativePhysics) {
  expect_says(refusal([] { make_task(parse_env_spec("synthetic/good")); }),
              {"Python suite", "--suite synthetic"});
}

TEST_F(WorkerTest, FailureWhileMakingThrowsWithMessage) {
  const int before = open_descriptors();
  const auto making = [](const char* spec) {
    return refusal([&] { make_vec_env(spec, {.count = 3, .threads = 2}); });
  };
  expect_says(making("synthetic/die-making"),
              {"synthetic/die-making", "exited with code 3", "no such simulator", "envs doctor"});
  expect_says(making("synthetic/throw-making"), {"ImportError: no module", "named this", "line 1"});
  expect_says(making("synthetic/other-version"), {"another version"});
  expect_says(making("synthetic/long-making"), {"65536"});
  expect_says(making("synthetic/wrong-parts"), {"3 values whose parts have 4"});
  expect_says(making("synthetic/die-attaching"), {"exited with code 4"});
  expect_says(making("synthetic/made-twice"), {"'made' to attach"});
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(WorkerTest, FailureWhileSteppingThrowsAndLeavesRowsUnchanged) {
  struct Case {
    const char* task;
    std::vector<const char*> words;
  };
  const int before = open_descriptors();
  for (const auto& [task, words] : std::vector<Case>{
           {"die", {"exited with code 6", "farewell"}},
           {"crash", {"signal 11"}},
           {"hang", {"no reply within 0.5 seconds"}},
           {"throw", {"environment 1", "step 2 of its episode", "ValueError: a bad day", "line 7"}},
           {"wrong-order", {"replied to command 4, expected 3"}},
           {"wrong-status", {"status is 7"}},
           {"unknown-flag", {"unknown flag"}},
           {"nan", {"environment 1", "not finite"}},
           {"nan-reward", {"environment 2", "not finite"}},
           {"mute-error", {"no reply within 0.5 seconds"}},
           {"chatter", {"unexpected message 'attached'"}}}) {
    Trial run(concat("synthetic/", task, ":at=3,timeout=0.5"), {.count = 3});
    run.reset();
    run.step();
    const std::vector<float> kept(run.rows.final_observation.begin(),
                                  run.rows.final_observation.end());
    const std::string said = refusal([&] { run.step(); });
    expect_says(said, {"synthetic/"});
    for (const char* word : words) expect_says(said, {word});
    EXPECT_TRUE(std::equal(kept.begin(), kept.end(), run.rows.final_observation.begin())) << task;
    expect_says(refusal([&] { run.step(); }), {"have failed, make new ones"});
    EXPECT_EQ(processes_with(folder_.string()), 0) << task;
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(WorkerTest, RestartCutsEpisodesAndContinues) {
  for (const char* task : {"die", "crash", "hang", "throw", "nan"}) {
    Trial run(concat("synthetic/", task, ":at=3,fault=restart,timeout=0.2"),
              {.count = 4, .threads = 2});
    run.reset();
    run.step();
    for (int round = 0; round < 3; ++round) {
      // Both workers fail at their third command: a reset, a step, and then this one.
      run.step();
      for (std::size_t env = 0; env < 4; ++env) {
        EXPECT_EQ(run.rows.cut[env], 1) << task;
        EXPECT_EQ(run.rows.truncated[env], 1);
        EXPECT_EQ(run.rows.reward[env], 0);
        EXPECT_EQ(run.rows.final_observation[env * 3], 2);  // the last good one
        EXPECT_EQ(run.rows.observation[env * 3], 1);        // its first command
      }
      run.step();
      for (std::size_t env = 0; env < 4; ++env) EXPECT_EQ(run.rows.cut[env], 0) << task;
    }
    EXPECT_EQ(run.envs->counts().cuts, 12U);
    expect_says(run.envs->counts().last_cut, {"synthetic/"});
  }
}

TEST_F(WorkerTest, RestartStopsAfterRepeatedFailures) {
  Trial run("synthetic/die:at=2,fault=restart", {.count = 1});
  run.reset();
  run.step();  // cut: it dies in every first step
  EXPECT_EQ(run.rows.cut[0], 1);
  run.step();
  run.step();
  expect_says(refusal([&] { run.step(); }), {"restarted 3 times", "exited with code 6"});
}

// Rows narrower than expected would be read beyond their end.
TEST_F(WorkerTest, RestartedWorkerWithOtherSizesIsRejected) {
  Trial run("synthetic/shrinks:at=3,fault=restart", {.count = 2});
  run.reset();
  run.step();
  expect_says(refusal([&] { run.step(); }), {"restarted 3 times"});
  // Two workers of one task with different sizes.
  fs::remove(folder_ / "mark");
  expect_says(refusal([] { make_vec_env("synthetic/shrinks", {.count = 2, .threads = 2}); }),
              {"observations"});
}

TEST_F(WorkerTest, DropContinuesWithoutFailedEnvironment) {
  // A worker that died drops its environments, the other continues.
  Trial run("synthetic/die:at=3,fault=drop", {.count = 4, .threads = 2});
  run.reset();
  run.step();
  expect_says(refusal([&] { run.step(); }),
              {"all environments have failed", "farewell"});  // both died

  // One environment alone.
  Trial other("synthetic/left-out:at=3,fault=drop,length=50", {.count = 3});
  other.reset();
  for (int step = 1; step < 6; ++step) {
    other.step();
    EXPECT_EQ(other.rows.cut[0], 0);
    EXPECT_EQ(other.rows.cut[1], step >= 2);
    EXPECT_EQ(other.rows.cut[2], 0);
  }
  EXPECT_EQ(other.envs->counts().cuts, 1U);

  Trial third("synthetic/nan:at=3,fault=drop,length=50", {.count = 3});
  third.reset();
  for (int step = 1; step < 6; ++step) {
    third.step();
    EXPECT_EQ(third.rows.cut[1], step >= 2);
    EXPECT_TRUE(std::isfinite(third.rows.final_observation[3]));
    EXPECT_EQ(third.rows.cut[2], 0);
  }
}

TEST_F(WorkerTest, ResetStepIsNotATransition) {
  Trial run("synthetic/no-transition:at=3", {.count = 2});
  run.reset();
  run.step();
  run.step();
  EXPECT_EQ(run.rows.cut[0], 1);
  EXPECT_EQ(run.rows.observation[0], 3);        // to act on
  EXPECT_EQ(run.rows.final_observation[0], 2);  // unchanged
  EXPECT_EQ(run.rows.cut[1], 0);
  EXPECT_EQ(run.envs->counts().cuts, 0U);
}

TEST_F(WorkerTest, EndedEpisodeWithoutResetThrows) {
  Trial run("synthetic/end-without-beginning:at=3", {.count = 2});
  run.reset();
  run.step();
  run.step();
  EXPECT_EQ(run.rows.truncated[0], 1);
  expect_says(refusal([&] { run.step(); }), {"environment 0", "ended without a new one"});
}

TEST_F(WorkerTest, EndlessOutputNeitherBlocksNorFillsMemory) {
  Trial run("synthetic/talk");
  run.reset();
  for (int step = 0; step < 600; ++step) run.step();  // 6 MB
  EXPECT_EQ(run.rows.cut[0], 0);
}

TEST_F(WorkerTest, StateOfAnotherSpecIsRejected) {
  Trial run("synthetic/good", {.count = 2});
  run.reset();
  const std::vector<std::byte> state = run.envs->state(1);
  run.envs->set_state(1, state);
  run.reset();
  Trial other("synthetic/good:length=9", {.count = 2});
  expect_says(refusal([&] { other.envs->set_state(1, state); }), {"length=9"});
  expect_says(refusal([&] { other.envs->set_state(1, {}); }), {""});
}

// ---------------------------------------------------------------- arbitrary output

// Random bytes on the socket, in the flags and in the header: an error, never a hang or a crash.
TEST_F(WorkerTest, SurvivesArbitraryWorkerOutput) {
  const int before = open_descriptors();
  int refused = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    for (const char* when : {"rubbish-making", "rubbish"}) {
      const std::string spec = concat("synthetic/", when, ":timeout=0.1,random=", seed,
                                      ",fault=", seed % 2 ? "stop" : "drop");
      try {
        Trial run(spec, {.count = 2});
        run.reset();
        for (int step = 0; step < 12; ++step) run.step();
      } catch (const Error& error) {
        ++refused;
        EXPECT_GT(std::string(error.what()).size(), 20U);
      }
    }
  }
  EXPECT_GT(refused, 60);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(WorkerReply, RandomBytesParseOrThrowCorruptData) {
  Rng rng(7);
  const std::vector<std::string> words = {"made",
                                          "error",
                                          "\n",
                                          "=",
                                          "%",
                                          "%4",
                                          "%zz",
                                          "version=1",
                                          "0.observation=2\n",
                                          "0.keys=a:1,b:1\n",
                                          "row=-1\n",
                                          "packages=a 1\n",
                                          "1e309",
                                          "\0",
                                          "kind=K\n"};
  int good = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::uint64_t part = rng.word() % 12; part > 0; --part)
      text += words[rng.word() % words.size()];
    try {
      const Reply answer = parse_reply(text);
      ++good;
      if (answer.name == "made") parse_made(answer, rng.word() % 3);
      if (answer.name == "error") parse_error(answer);
    } catch (const CorruptData&) {
      continue;
    }
  }
  EXPECT_GT(good, 10);
}

TEST(WorkerReply, ParsesMadeAndError) {
  const Reply answer = parse_reply(
      "made\nversion=1\npackages=metaworld 3.1.1,mujoco 3.3.0\n0.observation=5\n"
      "0.action=2\n0.horizon=200\n0.keys=hand:3,a%2Cb:2\n0.success=1\n0.final=0\n");
  // A comma inside a name is a comma of the list, too: names have none.
  EXPECT_THROW(parse_made(answer, 1), CorruptData);
  const Made made =
      parse_made(parse_reply("made\nversion=1\npackages=x 1\n0.observation=5\n0.action=2\n"
                             "0.horizon=200\n0.keys=hand:3,b%20c:2\n0.success=1\n0.final=0\n"),
                 1);
  EXPECT_EQ(made.groups.at(0).keys.at(1).name, "b c");
  EXPECT_FALSE(made.groups.at(0).true_final);
  const RemoteError complaint =
      parse_error(parse_reply("error\nrow=3\nkind=E\nmessage=100%25 %0A sure\ntraceback=\n"));
  EXPECT_EQ(complaint.message, "100% \n sure");
}

// ---------------------------------------------------------------- kill -9

// The trainer is killed at a random moment: the kernel kills its workers.
void kill_trainers(int rounds, const std::string& folder) {
  Rng rng(3);
  for (int round = 0; round < rounds; ++round) {
    const pid_t trainer = fork();
    if (trainer == 0) {
      try {
        Trial run("synthetic/good", {.count = 4, .threads = 2});
        run.reset();
        for (;;) run.step();
      } catch (...) {
        _exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(rng.word() % 12'000));
    kill(trainer, SIGKILL);
    waitpid(trainer, nullptr, 0);
    ASSERT_TRUE(gone_within(folder, std::chrono::seconds(5))) << "round " << round;
  }
}

// A worker is killed at a random moment: the trainer restarts it.
void kill_workers(int rounds, const std::string& folder) {
  Rng rng(4);
  Trial run("synthetic/good:fault=restart", {.count = 4, .threads = 2});
  run.reset();
  for (int round = 0; round < rounds; ++round) {
    run.step();  // a successful step between two kills resets the restart counter
    std::thread killer([&, wait = rng.word() % 800] {
      std::this_thread::sleep_for(std::chrono::microseconds(wait));
      for (const auto& entry : fs::directory_iterator("/proc")) {
        if (command_line(entry.path()).find(folder) == std::string::npos) continue;
        kill(std::atoi(entry.path().filename().c_str()), SIGKILL);
        return;
      }
    });
    for (int step = 0; step < 20; ++step) run.step();
    killer.join();
    run.step();
  }
  EXPECT_GT(run.envs->counts().cuts, 0U);
  EXPECT_EQ(processes_with(folder), 2);
}

TEST_F(WorkerTest, KilledTrainerLeavesNoWorker) { kill_trainers(20, folder_.string()); }
TEST_F(WorkerTest, KilledWorkerIsRestarted) { kill_workers(10, folder_.string()); }

class WorkerTestSlow : public WorkerTest {};
TEST_F(WorkerTestSlow, TrainerKilled200TimesLeavesNoWorker) {
  kill_trainers(200, folder_.string());
}
TEST_F(WorkerTestSlow, WorkerKilled200TimesIsRestarted) { kill_workers(200, folder_.string()); }

}  // namespace
}  // namespace mneme::envs
