// tests/study/spec_test.cpp - studies as text: layers, sweeps, and every mistake named.
#include "study/spec.h"

#include <gtest/gtest.h>

#include "mneme/error.h"

namespace mneme::lab {
namespace {

constexpr const char* kBasic = R"(
agent = "simbav2"
tasks = ["dummy/count"]
samplers = ["uniform", "per"]
seeds = 2
steps = "1k"
settings = {batch_size = 8, capacity = "2k"}
[sweep]
utd = ["1/4", 1]
sampler.alpha = [1, 2.5]
[laptop]
seeds = [4, 7]
settings = {batch_size = 16}
[paper]
preset = "paper"
sweep = {n_step = [1, 3]}
)";

std::string complaint(const std::string& text, const StudyOverrides& overrides = {}) {
  try {
    read_study(text, "mine", overrides);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing";
}

TEST(StudyFile, LaysTheScaleOverTheRest) {
  const StudyFile laptop = read_study(kBasic, "mine", {});
  EXPECT_EQ(laptop.name, "mine-laptop");
  ASSERT_EQ(laptop.parts.size(), 1U);
  const Part& part = laptop.parts.front();
  EXPECT_EQ(part.seeds, (std::vector<Index>{4, 7}));
  EXPECT_EQ(part.arms.size(), 2U);
  const Settings wanted{{"steps", "1000"}, {"batch_size", "16"}, {"capacity", "2000"}};
  EXPECT_EQ(part.settings, wanted);
  ASSERT_EQ(part.points.size(), 4U);
  EXPECT_EQ(part.points[0], (Settings{{"sampler.alpha", "1"}, {"utd", "1/4"}}));
  EXPECT_EQ(part.points[3], (Settings{{"sampler.alpha", "2.5"}, {"utd", "1"}}));

  const StudyFile paper = read_study(kBasic, "mine", {.scale = "paper"});
  EXPECT_EQ(paper.parts.front().preset, "paper");
  EXPECT_EQ(paper.parts.front().seeds.size(), 2U);
  // A sweep is replaced as a whole.
  EXPECT_EQ(paper.parts.front().points.size(), 2U);
  EXPECT_NE(paper.text, laptop.text);
}

TEST(StudyFile, TheCommandLineComesLast) {
  const StudyFile study = read_study(kBasic, "mine",
                                     {.name = "other",
                                      .agent = "brc",
                                      .steps = "5",
                                      .tasks = {"a/b"},
                                      .samplers = {"linear"},
                                      .settings = {"batch_size=4", "new=1"},
                                      .seeds = 3});
  EXPECT_EQ(study.name, "other");
  const Part& part = study.parts.front();
  EXPECT_EQ(part.agent, "brc");
  EXPECT_EQ(part.tasks, std::vector<std::string>{"a/b"});
  EXPECT_EQ(part.arms.size(), 1U);
  EXPECT_EQ(part.seeds.size(), 3U);
  const Settings wanted{{"steps", "5"}, {"batch_size", "4"}, {"capacity", "2000"}, {"new", "1"}};
  EXPECT_EQ(part.settings, wanted);
}

// On the command line only present names; they replace former ones of the file.
TEST(StudyFile, FormerSettingOnTheCommandLineIsRefused) {
  const std::string old =
      "agent = \"brc\"\ntasks = [\"a/b\"]\nsettings = {rate = 1, capacity = 7}\n";
  EXPECT_EQ(complaint(old, {.settings = {"rate=2"}}),
            "study mine: --set rate=2: setting rate is now learning_rate");
  const StudyFile study = read_study(old, "x", {.settings = {"learning_rate=2"}});
  EXPECT_EQ(study.parts.front().settings, (Settings{{"capacity", "7"}, {"learning_rate", "2"}}));
}

TEST(StudyFile, PartsInheritAndArmsHaveNames) {
  const StudyFile study = read_study(R"(
agent = "brc"
tasks = ["dmc-dogs"]
settings = {batch_size = 8, utd = 1}
[[arm]]
name = "both"
sampler = "per"
actor_sampler = "uniform"
[[part]]
name = "one"
[[part]]
name = "two"
agent = "simbav2"
settings = {utd = 2}
points = [{batch_size = 1, utd = 2}, {batch_size = 2, utd = 1}]
)",
                                     "mine", {});
  EXPECT_EQ(study.name, "mine");
  ASSERT_EQ(study.parts.size(), 2U);
  EXPECT_EQ(study.parts[0].agent, "brc");
  EXPECT_EQ(study.parts[1].agent, "simbav2");
  EXPECT_EQ(study.parts[1].settings, (Settings{{"batch_size", "8"}, {"utd", "2"}}));
  EXPECT_EQ(study.parts[1].points.size(), 2U);
  EXPECT_EQ(study.parts[1].arms.front().name, "both");
  EXPECT_EQ(study.parts[1].arms.front().settings,
            (Settings{{"actor_sampler", "uniform"}, {"sampler", "per"}}));
}

TEST(StudyFile, NamesTheWrongKeyAndTheNearestOne) {
  const auto says = [](const std::string& text, const std::string& words) {
    const std::string said = complaint(text);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("agnet = \"brc\"", "did you mean 'agent'");
  says("agent = \"brc\"\n\nsamplres = []", "line 3");
  says("agent = \"brc\"\n[paper]\nsede = 1", "[paper]: unknown key 'sede'");
  says("agent = \"brc\"\ntasks=[\"a/b\"]\nevaluation = {evry = 3}", "did you mean 'every'");
  says("agent = \"brc\"\ntasks=[\"a/b\"]\n[[part]]\nname=\"x\"\nsamplers = [\"a\"]\ntask = 1",
       "did you mean 'tasks'");
  says("agent = ", "line 1");
  says("tasks = [\"a/b\"]", "no agent");
  says("agent = \"brc\"", "no tasks");
  const std::string start = "agent = \"brc\"\ntasks = [\"a/b\"]\n";
  says(start + "seeds = 0", "seeds is 0");
  says(start + "seeds = [1, -3]", "seed -3 is negative");
  says(start + "seeds = [1, 1]", "listed twice");
  says(start + "seeds = []", "at least one");
  says(start + "steps = 0", "at least one");
  says(start + "steps = \"many\"", "whole number");
  says(start + "evaluation = {checkpoints = 4}", "write both");
  says(start + "samplers = [\"per\", \"per\"]", "listed twice");
  says(start + "[[arm]]\nsampler = \"per\"", "no name");
  says(start + "[[part]]\nagent = \"brc\"", "no name");
  says(start + "[[part]]\nname = \"a\"\n[[part]]\nname = \"a\"", "two parts");
  says(start + "sweep = {utd = 3}", "a list of values");
  says(start + "together = 1", "true or false");
  says(start + "threads = 0", "at least 1");
  says(start + "checkpoint_minutes = 0", "above 0");
  says(start + "settings = 4", "a table");
  says(start + "samplers = [1]", "a list such as");
  EXPECT_NE(complaint("agent='a'\n[laptop]\nseeds=1", {.scale = "paper"}).find("no scale 'paper'"),
            std::string::npos);
  EXPECT_NE(complaint(start, {.settings = {"batch_size"}}).find("name=value"), std::string::npos);
}

}  // namespace
}  // namespace mneme::lab
