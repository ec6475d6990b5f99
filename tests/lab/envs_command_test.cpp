// tests/lab/envs_command_test.cpp - `mneme envs`: listing, playing, tracing, measuring.
#include <cstdio>
#include <fstream>

#include "lab/tool.h"
#include "lab/video.h"
#include "mneme/vec_env.h"

namespace mneme::lab {
namespace {

TEST(EnvsCommand, ListsEveryTask) {
  const auto listed = json_of({"envs", "--suite", "dummy"});
  ASSERT_EQ(listed["tasks"].size(), 1U);
  const auto& task = listed["tasks"][0];
  EXPECT_EQ(task["name"].text, "dummy/count");
  EXPECT_EQ(task["observation"].number, 3);
  EXPECT_EQ(task["horizon"].number, 20);
  EXPECT_EQ(task["keys"].size(), 3U);
  EXPECT_EQ(task["keys"][0]["name"].text, "clock");

  const Answer text = mneme_tool({"envs", "list"});
  EXPECT_EQ(text.code, kDone) << text.err;
  for (const TaskInfo& info : registered_tasks())
    MNEME_EXPECT_SAYS(text.out, std::string(info.name));
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

TEST(EnvsCommand, Measures) {
  const auto measured =
      json_of({"envs", "bench", "dummy/count", "--pairs", "2", "--seconds", "0.001"});
  EXPECT_GT(measured["tasks"][0]["steps_per_second"].number, 0);
}

TEST(EnvsCommand, RefusesWhatMakesNoSense) {
  expect_refused({"envs", "--suite", "dmv"}, {"dmv", "dmc"});
  expect_refused({"envs", "play", "dmc/walker-rnu"}, {"dmc/walker-run"});
  expect_refused({"envs", "play", "dummy/count", "--policy", "best"}, {"best", "random"});
  expect_refused({"envs", "play", "dummy/count", "--episodes", "0"}, {"count 0"});
  expect_refused({"envs", "play", "dummy/count", "--video", "x.y4m"}, {"drawn"});
  expect_refused({"envs", "bench", "dummy/count", "--pairs", "0"}, {"positive"});
  expect_refused({"envs", "trace"}, {"task"});
}

TEST(Video, PlainFramesNeedNoEncoder) {
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
