// tests/cli/envs/envs_test.cpp - `mneme envs`: listing, playing, tracing, measuring.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "bench/harness/peer.h"
#include "envs/mujoco/renderer.h"
#include "envs/registry.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"
#include "os/video.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

TEST(EnvsCommand, ListsEveryTaskOfASuite) {
  const auto listed = json_of({"envs", "--suite", "dummy"});
  ASSERT_EQ(listed["tasks"].size(), 1U);
  const auto& task = listed["tasks"][0];
  EXPECT_EQ(task["name"].text, "dummy/count");
  EXPECT_EQ(task["observation"].number, 3);
  EXPECT_EQ(task["horizon"].number, 20);
  EXPECT_EQ(task["keys"].size(), 3U);
  EXPECT_EQ(task["keys"][0]["name"].text, "clock");

  std::map<std::string, std::string> text;
  for (const TaskInfo& info : registered_tasks()) {
    std::string& tasks = text[std::string(info.suite())];
    if (tasks.empty()) tasks = mneme_tool({"envs", "--suite", std::string(info.suite())}).out;
    MNEME_EXPECT_SAYS(tasks, std::string(info.name));
  }
}

TEST(EnvsCommand, ListsSuitesInOneScreen) {
  const Answer answer = mneme_tool({"envs"});
  ASSERT_EQ(answer.code, kDone) << answer.err;
  for (const char* words : {"dmc/ DeepMind Control, in C++ 62 ", "hb/ HumanoidBench, in C++ 53 ",
                            "myo/ MyoSuite 10 ", "simbav2-20 (20)", "--suite"})
    MNEME_EXPECT_SAYS(answer.out, words);
  EXPECT_LT(std::count(answer.out.begin(), answer.out.end(), '\n'), 30);
  EXPECT_EQ(mneme_tool({"envs", "list"}).out, answer.out);
}

TEST(EnvsCommand, PlaysEpisodes) {
  const auto played =
      json_of({"envs", "play", "dummy/count:limit=5", "--policy", "zero", "--episodes", "3"});
  const auto& task = played["tasks"][0];
  EXPECT_EQ(task["returns"].size(), 3U);
  EXPECT_EQ(task["mean"].number, 5);  // one reward per step while the sum is 0
  EXPECT_EQ(task["lengths"][2].number, 5);
  EXPECT_EQ(task["cuts"].number, 0);
  EXPECT_EQ(mneme_tool({"envs", "play", "dummy/count", "--episodes", "2"}).code, kDone);
}

TEST(EnvsCommand, TracesAnEpisode) {
  const Answer answer = mneme_tool({"envs", "trace", "dummy/count", "--steps", "4"});
  ASSERT_EQ(answer.code, kDone) << answer.err;
  const auto trace = test::parse_json(answer.out);
  EXPECT_EQ(trace["steps"].size(), 4U);
  EXPECT_EQ(trace["steps"][3]["observation"][0].number, 4);  // the clock
}

TEST(EnvsCommand, TracesThroughEndsOfEpisodes) {
  const Answer answer =
      mneme_tool({"envs", "trace", "dummy/count:limit=3", "--steps", "7", "--through"});
  ASSERT_EQ(answer.code, kDone) << answer.err;
  const auto trace = test::parse_json(answer.out);
  ASSERT_EQ(trace["steps"].size(), 7U);
  EXPECT_EQ(trace["steps"][2]["observation"][0].number, 3);
  EXPECT_TRUE(trace["steps"][2]["truncated"].boolean);
  EXPECT_EQ(trace["steps"][2]["next_observation"][0].number, 0);
  EXPECT_EQ(trace["steps"][3]["observation"][0].number, 1);
  EXPECT_EQ(mneme_tool({"envs", "trace", "dummy/count:limit=3", "--steps", "7"}).code, kDone);
}

TEST(EnvsCommand, Measures) {
  const auto measured =
      json_of({"envs", "bench", "dummy/count", "--pairs", "2", "--seconds", "0.001"});
  EXPECT_GT(measured["tasks"][0]["steps_per_second"].number, 0);
}

TEST(EnvsCommand, RejectsWrongUsage) {
  expect_refused({"envs", "--suite", "dmv"}, {"dmv", "dmc"});
  expect_refused({"envs", "play", "dmc/walker-rnu"}, {"dmc/walker-run"});
  expect_refused({"envs", "play", "dmc/cartpole"},
                 {"dmc/cartpole-balance,", "dmc/cartpole-swingup"});
  expect_refused({"envs", "play", "cheetah-run"}, {"nearest: dmc/cheetah-run,"});
  expect_refused({"envs", "play", "dummy/count", "--policy", "best"}, {"best", "random"});
  expect_refused({"envs", "play", "dummy/count", "--episodes", "0"},
                 {"--episodes must be from 1 to", "got 0"});
  expect_refused({"envs", "play", "dummy/count", "--video", "x.y4m"}, {"no physics to draw"});
  expect_refused({"envs", "bench", "dummy/count", "--pairs", "0"}, {"--pairs must be from 1 to"});
  expect_refused({"envs", "trace"}, {"task"});
}

// A folder without meshes is refused with what was looked for; tasks of other suites do not ask.
TEST(EnvsCommand, MissingAssetsAreNamed) {
  const char* was = std::getenv("MNEME_HB_ASSETS");
  const std::string before = was == nullptr ? "" : was;
  const std::string nowhere = "/nowhere/at/all";
  for (const char* command : {"play", "bench", "trace"})
    expect_refused({"envs", command, "hb/h1hand-walk", "--assets", nowhere},
                   {"/nowhere/at/all/f_distal_pst.obj", "robopianist"});
  expect_refused({"envs", "play", "hb-nohands-13", "--assets", nowhere}, {"pelvis.stl", "envpool"});
  const auto played =
      json_of({"envs", "play", "dummy/count:limit=5", "--episodes", "1", "--assets", nowhere});
  EXPECT_EQ(played["tasks"][0]["task"].text, "dummy/count:limit=5");
  setenv("MNEME_HB_ASSETS", before.c_str(), 1);
}

// ---------------------------------------------------------------- peers

TEST(EnvsPeer, ReportsDifferenceFromSameTask) {
  const Episodes ours{.observation = 17,
                      .action = 6,
                      .steps = 1000,
                      .substeps = 4,
                      .returns = {3, 4, 5, 4},
                      .motion = {11, 11.2, 10.9, 11.1}};
  EXPECT_EQ(difference(ours, ours), "");
  const auto expect_reported = [&](auto change, const std::string& what) {
    Episodes theirs = ours;
    change(theirs);
    MNEME_EXPECT_SAYS(difference(ours, theirs), what);
  };
  expect_reported([](Episodes& e) { e.observation = 18; }, "observation size 18 instead of 17");
  expect_reported([](Episodes& e) { e.action = 5; }, "action size");
  expect_reported([](Episodes& e) { e.steps = 500; }, "steps of an episode 500");
  expect_reported([](Episodes& e) { e.substeps = 1; }, "physics steps per step 1");
  expect_reported([](Episodes& e) { e.returns = {13, 14, 15, 14}; }, "return");
  expect_reported([](Episodes& e) { e.motion = {12, 12.2, 11.9, 12.1}; }, "motion");
  // Within the errors of the means.
  Episodes near = ours;
  near.returns = {4, 5, 3, 6};
  near.motion = {11.1, 11.2, 11.3, 10.9};
  EXPECT_EQ(difference(ours, near), "");
}

Answer bench_with(const std::string& script) {
  return mneme_tool({"envs", "bench", "dummy/count", "--pairs", "1", "--seconds", "0.001", "--json",
                     "--peer", "other=" + script});
}

TEST(EnvsPeer, PeerWithAnotherTaskIsNotTimed) {
  const Answer absent = bench_with("while read l; do echo no such task here; done");
  ASSERT_EQ(absent.code, kDone) << absent.err;
  MNEME_EXPECT_SAYS(absent.out, "\"absent\":\"such task here\"");
  const Answer wrong = bench_with(
      "while read l; do case $l in task*) echo ok 1;; play) echo played 4 1 20 1 1 1;; esac; done");
  ASSERT_EQ(wrong.code, kDone) << wrong.err;
  MNEME_EXPECT_SAYS(wrong.out, "observation size 4 instead of 3");
}

TEST(EnvsPeer, ReportsPeerFailure) {
  const auto expect_failed = [](const std::string& script, const std::string& what) {
    const Answer answer = bench_with(script);
    EXPECT_NE(answer.code, kDone);
    MNEME_EXPECT_SAYS(answer.err, "other");
    MNEME_EXPECT_SAYS(answer.err, what);
  };
  expect_failed("exit 3", "exited");
  expect_failed("no_such_program_here 2>/dev/null", "exited");
  expect_failed("while read l; do echo what; done", "'what'");
  expect_refused({"envs", "bench", "dummy/count", "--peer", "other"}, {"NAME=COMMAND"});
}

// ---------------------------------------------------------------- pictures

// With every OpenGL that this machine has; where it has none, the message says what to install. A
// process can use one of them: ctest gives each of these its own.
class Rendering : public testing::TestWithParam<const char*> {
 protected:
  static inline std::string used;
};

TEST_P(Rendering, PicturesShowTheTaskMoving) {
  const std::string with = GetParam();
  if (!envs::find_task("dmc/walker-run").info.available) GTEST_SKIP() << "needs MuJoCo";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "drivers of OpenGL are not ours to check";
#endif
  if (!used.empty()) GTEST_SKIP() << "this process has used " << used;
  constexpr int kWidth = 160, kHeight = 120;
  setenv("MUJOCO_GL", with.c_str(), 1);
  std::unique_ptr<envs::Renderer> renderer;
  try {
    renderer = envs::make_renderer("dmc/walker-run", kWidth, kHeight);
  } catch (const NotFound& error) {
    MNEME_EXPECT_SAYS(std::string(error.what()), "apt-get install");
    GTEST_SKIP() << error.what();
  }
  used = with;
  const auto envs = make_vec_env("dmc/walker-run", {.seed = 1});
  EnvMemory memory(*envs);
  envs->reset(memory.rows());
  std::vector<std::uint8_t> first(kWidth * kHeight * 3), again(first), later(first);
  renderer->draw(envs->physics(0), first);
  renderer->draw(envs->physics(0), again);
  const std::vector<float> actions(6, 1.F);
  for (int i = 0; i < 20; ++i) envs->step(actions, memory.rows());
  renderer->draw(envs->physics(0), later);
  EXPECT_EQ(first, again);
  // Something is to be seen, and it moves.
  EXPECT_GT(std::set<std::uint8_t>(first.begin(), first.end()).size(), 20U);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    changed += std::abs(first[i] - later[i]) > 20 ? 1 : 0;
  EXPECT_GT(changed, 300U);
  renderer.reset();

  // The whole way, where the encoder is there too.
  if (std::system("command -v ffmpeg >/dev/null 2>&1") != 0) return;
  const std::string path = testing::TempDir() + "mneme_film_test_" + with + ".mp4";
  const Answer answer = mneme_tool({"envs", "play", "dmc/pendulum-swingup:limit=5", "--video", path,
                                    "--width", "160", "--height", "120"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_GT(bytes.size(), 100U);
  EXPECT_EQ(bytes.substr(4, 4), "ftyp");
  std::remove(path.c_str());
}
INSTANTIATE_TEST_SUITE_P(With, Rendering, testing::Values("egl", "osmesa"),
                         [](const auto& api) { return std::string(api.param); });

TEST(Renderer, RefusesOpenGlThatNeedsADisplay) {
  if (!envs::find_task("dmc/walker-run").info.available) GTEST_SKIP() << "needs MuJoCo";
  setenv("MUJOCO_GL", "glfw", 1);
  EXPECT_THROW(envs::make_renderer("dmc/walker-run", 160, 120), InvalidArgument);
  unsetenv("MUJOCO_GL");
}

TEST(Video, Y4mNeedsNoEncoder) {
  const std::string path = testing::TempDir() + "mneme_video_test.y4m";
  {
    Video video(path, 4, 2, 50);
    const std::vector<std::uint8_t> white(24, 255);
    video.add(white);
    video.add(white);
    video.finish();
  }
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string header = "YUV4MPEG2 W4 H2 F50000:1000 Ip A1:1 C444\n";
  EXPECT_EQ(bytes.substr(0, header.size()), header);
  EXPECT_EQ(bytes.size(), header.size() + 2 * (6 + 24));
  EXPECT_EQ(static_cast<unsigned char>(bytes[header.size() + 6]), 235);  // white, studio range
  std::remove(path.c_str());
  EXPECT_THROW(Video("/nowhere/x.y4m", 4, 2, 50), std::exception);
}

}  // namespace
}  // namespace mneme::lab
