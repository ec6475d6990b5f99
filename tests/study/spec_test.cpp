// tests/study/spec_test.cpp - studies as text: layers, sweeps, and every mistake.
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

TEST(StudyFile, ScaleReplacesKeysOfTheStudy) {
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

TEST(StudyFile, CommandLineReplacesTheFile) {
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
  says(start + "seeds = 0", "seeds must be from 1");
  says(start + "seeds = [1, -3]", "a seed must be at least 0, got -3");
  says(start + "seeds = [1, 1]", "listed twice");
  says(start + "seeds = []", "at least one");
  says(start + "steps = 0", "steps must be at least 1, got 0");
  says(start + "steps = \"many\"", "whole number");
  says(start + "evaluation = {checkpoints = 4}", "must be from 1 to steps");
  says(start + "samplers = [\"per\", \"per\"]", "listed twice");
  says(start + "[[arm]]\nsampler = \"per\"", "no name");
  says(start + "[[part]]\nagent = \"brc\"", "no name");
  says(start + "[[part]]\nname = \"a\"\n[[part]]\nname = \"a\"", "two parts");
  says(start + "sweep = {utd = 3}", "a list of values");
  says(start + "together = 1", "true or false");
  says(start + "threads = 0", "must be from 1");
  says(start + "checkpoint_minutes = 0", "above 0");
  says(start + "settings = 4", "a table");
  says(start + "samplers = [1]", "a list such as");
  EXPECT_NE(complaint("agent='a'\n[laptop]\nseeds=1", {.scale = "paper"}).find("no scale 'paper'"),
            std::string::npos);
  says(start + "threads = \"x\"", "threads must be a whole number");
  says(start + "keep = \"yes\"", "keep must be true or false");
  says(start + "checkpoint_minutes = nan", "above 0");
  says(start + "checkpoint_minutes = inf", "above 0");
  says(start + "[[arm]]\nname = \"a\\nb\"", "printable");
  EXPECT_NE(complaint(start, {.settings = {"batch_size"}}).find("name=value"), std::string::npos);
}

// A study's name becomes a directory below --out.
TEST(StudyFile, NameUnfitForADirectoryIsRefused) {
  const std::string text = "agent = \"brc\"\ntasks = [\"a/b\"]\n";
  for (const char* name : {"", ".", "..", "../x", "/abs", "a/b", ".hidden", "-x", "ledger.db",
                           "a\nb", "ledger.db-wal"})
    EXPECT_THROW(read_study(text, name, {}), InvalidArgument) << name;
  EXPECT_THROW(read_study(text, std::string(101, 'x'), {}), InvalidArgument);
  EXPECT_THROW(read_study(text, "fine", {.name = "../../x"}), InvalidArgument);
  for (const char* name : {"fig3-laptop", "my study", "x=1,y=2", "Größe"})
    EXPECT_EQ(read_study(text, name, {}).name, name);
}

// What a stranger's file may have computed: nothing that writes, deletes or starts a program.
TEST(StudyFile, CommandsOutsideTheClosedListAreRefused) {
  const auto with = [](const std::string& command) {
    return complaint("commands = [\"" + command + "\"]\n");
  };
  for (const char* bad :
       {"envs bench dmc/cartpole-balance --pairs 1 --seconds 0.01 --peer x=touch${IFS}PWNED",
        "runs rm v --files", "study rec.toml", "train simbav2 dummy/count",
        "train simbav2 dummy/count --settings --out x", "train --resume x --settings",
        "densities --html x.html", "frontier --html=x", "envs install gym", "envs", "export a b",
        "report v -o x", "densities -h", "densities --", "", "buffer export a b", "stats /dev/zero",
        "check x"})
    EXPECT_NE(with(bad).find("a study may have mneme compute"), std::string::npos)
        << bad << ": " << with(bad);
  for (const char* good : {"densities --capacity 1M --low 256", "envs list --suite dmc",
                           "train brc hb/h1-walk --settings --preset paper", "samplers",
                           "frontier --capacity=1M", "match --expected-recency 6/7"})
    EXPECT_EQ(with(good), "nothing") << good;
}

// Said at once, before memory or stack is spent on it.
TEST(StudyFile, TooLargeStudyIsRefusedAtOnce) {
  std::string text = "agent = \"brc\"\ntasks = [\"a/b\"]\n[sweep]\n";
  for (char key = 'a'; key < 'i'; ++key)
    text += std::string(1, key) + " = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  EXPECT_NE(complaint(text).find("more than 20000 combinations"), std::string::npos);
  std::string deep = "a";
  for (int part = 0; part < 100'000; ++part) deep += ".a";
  EXPECT_NE(complaint(deep + " = 1\n").find("at most 32 parts"), std::string::npos);
  EXPECT_NE(complaint("[" + deep + "]\n").find("at most 32 parts"), std::string::npos);
  EXPECT_NE(complaint("a = " + std::string(100'000, '[')).find("at most 32 deep"),
            std::string::npos);
  EXPECT_NE(complaint(std::string(2 << 20, '#')).find("at most 1048576"), std::string::npos);
}

}  // namespace
}  // namespace mneme::lab
