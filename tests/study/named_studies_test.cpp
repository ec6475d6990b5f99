// tests/study/named_studies_test.cpp - every study the program knows: its matrix at both
// scales, and a miniature of its runs through the whole pipeline.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <initializer_list>
#include <set>

#include "base/text.h"
#include "ledger/curves.h"
#include "mneme/error.h"
#include "study/library.h"
#include "study/plan.h"
#include "study/study_process.h"
#include "support/failing_disk.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

using mneme::testing::TemporaryDirectory;

bool has_scales(const NamedStudy& study) {
  return study.text.find("\n[laptop]") != std::string_view::npos;
}

TEST(NamedStudies, AreAllThere) {
  std::set<std::string> names;
  for (const NamedStudy& study : named_studies()) names.emplace(study.name);
  for (int figure = 1; figure <= 21; ++figure)
    EXPECT_TRUE(names.contains(concat("fig", figure))) << figure;
  for (const char* name : {"tab1", "tab2", "latency", "actor-critic", "alpha", "distributions",
                           "entropy", "iso-volume", "low-volume", "discrete"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_EQ(named_studies().front().name, "fig1");
  EXPECT_EQ(named_studies()[1].name, "fig2");
  const Answer list = mneme_tool({"study"});
  EXPECT_EQ(list.code, kDone);
  MNEME_EXPECT_SAYS(list.out, "fig3 gain against volume");
  expect_refused({"study", "fig33"}, {"fig3", "unknown study"});
}

// As many runs as the paper and the scaled-down designs have.
TEST(NamedStudies, HaveTheRunsOfThePaper) {
  const auto runs = [](const std::string& name, const std::string& scale) {
    const StudyText text = study_text(name);
    return plan_runs(read_study(text.text, text.name, {.scale = scale})).size();
  };
  EXPECT_EQ(runs("fig1", "paper"), 29U * 5 * 4 + 5 * 4);
  EXPECT_EQ(runs("fig3", "paper"), 1300U);
  EXPECT_EQ(runs("fig3", "laptop"), 180U);
  EXPECT_EQ(runs("fig14", "paper"), 400U);
  EXPECT_EQ(runs("fig17", "paper"), 20U);
  EXPECT_EQ(runs("fig20", "paper"), 120U);
  EXPECT_EQ(runs("fig20", "laptop"), 40U);
  EXPECT_EQ(runs("fig13", "laptop"), 40U);
  EXPECT_EQ(runs("iso-volume", "laptop"), 180U);
  EXPECT_EQ(runs("alpha", "paper"), 30U);
  EXPECT_EQ(runs("actor-critic", "paper"), 20U);
  EXPECT_EQ(runs("distributions", "paper"), 30U);
  EXPECT_EQ(runs("fig14", "laptop"), 60U);
  EXPECT_EQ(runs("low-volume", "laptop"), 300U);
}

// ERE and PER as the paper tuned them per algorithm and benchmark; at laptop scale the smallest
// window keeps its share of the ring.
TEST(NamedStudies, UseTheTunedSamplersOfThePaper) {
  const auto methods = [](const std::string& name, const std::string& scale) {
    const StudyText text = study_text(name);
    std::set<std::string> found;
    for (const PlannedRun& run : plan_runs(read_study(text.text, text.name, {.scale = scale})))
      found.insert(run.method);
    return found;
  };
  for (const auto& [study, scale, sampler] : std::initializer_list<std::array<const char*, 3>>{
           {"fig1", "paper", "ere:eta=0.996,cycle=200,minimum=2560"},
           {"fig1", "paper", "ere:eta=0.996,cycle=2000,minimum=10240"},
           {"fig1", "laptop", "ere:eta=0.996,cycle=200,minimum=0.05"},
           {"fig1", "laptop", "ere:eta=0.996,cycle=2000,minimum=0.01024"},
           {"fig1", "laptop", "per:alpha=0.4"},
           {"fig12", "paper", "ere:eta=0.994,cycle=2000,minimum=10240"},
           {"fig12", "laptop", "ere:eta=0.994,cycle=2000,minimum=0.01024"},
           {"fig13", "paper", "ere:eta=0.996,cycle=2000,minimum=10240"},
           {"fig14", "paper", "ere:eta=0.994,cycle=2000,minimum=5000"},
           {"fig14", "laptop", "ere:eta=0.994,cycle=2000,minimum=0.005"},
           {"fig20", "paper", "ere:eta=0.996,cycle=200,minimum=160"}})
    EXPECT_TRUE(methods(study, scale).contains(sampler)) << study << ' ' << scale << ' ' << sampler;
  for (const char* name : {"fifo as printed", "ere as tuned", "ere as matched", "ere matched"})
    EXPECT_TRUE(methods("entropy", "paper").contains(name)) << name;
  // The figure shows a window of 300k.
  MNEME_EXPECT_SAYS(study_text("entropy").text, "uniform_fifo:window=0.3\"");
  // High volume: four updates per step.
  const StudyText fig14 = study_text("fig14");
  for (const PlannedRun& run : plan_runs(read_study(fig14.text, fig14.name, {.scale = "laptop"}))) {
    ASSERT_FALSE(run.factors.empty());
    EXPECT_EQ(run.factors.front(), (std::pair<std::string, std::string>{"utd", "4"}));
  }
}

TEST(NamedStudies, PrintTheirMatrixAtBothScales) {
  const TemporaryDirectory directory;
  for (const NamedStudy& study : named_studies()) {
    for (const char* scale : {"laptop", "paper"}) {
      const Answer answer = mneme_tool({"study", std::string(study.name), "--scale", scale,
                                        "--dry-run", "--out", directory / "none"});
      if (study.name == "discrete") {
        EXPECT_EQ(answer.code, kUsage);
        MNEME_EXPECT_SAYS(answer.err, "needs an agent for discrete actions");
        continue;
      }
      EXPECT_EQ(answer.code, kDone) << study.name << ' ' << scale << answer.err;
      EXPECT_FALSE(answer.out.empty());
      if (has_scales(study)) {
        MNEME_EXPECT_SAYS(answer.out, " runs");
      }
    }
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "none"));
}

TEST(NamedStudies, ClosedFormsAreComputed) {
  const Answer answer = mneme_tool({"study", "fig9"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  MNEME_EXPECT_SAYS(answer.out, "$ mneme densities");
  EXPECT_EQ(answer.out.find("$"), 0U);
  EXPECT_GT(answer.out.size(), 500U);
}

// The study's own matrix, agent and samplers; a task without a simulator, networks of four units, a
// few steps: before the first update as many as the largest batch has rows, after it enough for two
// updates where there is one in 32 steps.
void miniature(const std::string& name, const std::string& scale) {
  const TemporaryDirectory directory;
  std::vector<std::string> words{
      "study",   name, "--scale",  scale,    "--out",   directory / "out",     "--jobs",  "2",
      "--seeds", "1",  "--preset", "laptop", "--tasks", "dummy/count:limit=9", "--steps", "1100"};
  for (const char* setting : {"random_steps=5", "learning_starts=1030", "batch_size=64",
                              "capacity=2000", "eval_every=550", "eval_episodes=1",
                              "critic_width=4", "actor_width=4", "eval_at_start=false"})
    words.insert(words.end(), {"--set", setting});
  StudyProcess study(words, directory / "log");
  EXPECT_EQ(study.wait(), kDone) << name;
  std::ifstream log(directory / "log");
  const std::string said{std::istreambuf_iterator<char>(log), {}};
  const Ledger ledger(directory / "out/ledger.db");
  ASSERT_FALSE(ledger.runs().empty()) << name << said;
  for (const RunRow& run : ledger.runs()) {
    EXPECT_EQ(run.state, RunState::done) << run.key << ": " << run.error;
    EXPECT_EQ(run.step, 1100);
    EXPECT_EQ(evaluations(ledger, run.id).size(), 2U) << run.key;
    EXPECT_FALSE(points(ledger, run.id, Series::diagnostic, "critic:replay_volume").empty());
  }
}

TEST(NamedStudies, MiniaturesOfThree) {
  for (const char* name : {"fig3", "actor-critic", "fig20"}) miniature(name, "laptop");
}

TEST(NamedStudiesSlow, MiniaturesOfAll) {
  for (const NamedStudy& study : named_studies())
    if (has_scales(study))
      for (const char* scale : {"laptop", "paper"}) miniature(std::string(study.name), scale);
}

}  // namespace
}  // namespace mneme::lab
