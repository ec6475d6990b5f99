// tests/report/verdict_test.cpp - what a report claims: few runs, many comparisons, agents that
// have not learned.
#include "report/verdict.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "ledger/ingest.h"
#include "report/output.h"
#include "support/failing_disk.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using Scores = std::vector<double>;  // of the seeds, at the end

struct Method {
  std::string name;
  Scores scores;
};

// Runs of one task that start at `start` and have their score at the one checkpoint after it.
StudyReport report_of(const std::vector<Method>& methods, double start = 0) {
  mneme::testing::TemporaryDirectory directory;
  Ledger ledger(directory / "ledger.db", Ledger::Mode::create);
  const Id study = ledger.add_study("made", "");
  for (const Method& method : methods)
    for (std::size_t seed = 0; seed < method.scores.size(); ++seed) {
      const std::string key = concat(method.name, ",s", seed);
      const fs::path folder = directory / key;
      fs::create_directories(folder);
      std::ofstream(folder / "eval.csv")
          << "step,frame,seconds,task,episodes,return,deviation,score,success,length\n"
          << "0,0,0,t,1,0,0," << start << ",,1\n"
          << "10,10,1,t,1,0,0," << shortest_number(method.scores[seed]) << ",,1\n";
      const Id run = ledger.add_run(study,
                                    {.key = key,
                                     .agent = "simbav2",
                                     .method = method.name,
                                     .task = "t",
                                     .seed = static_cast<std::int64_t>(seed),
                                     .steps = 10,
                                     .directory = folder.string()},
                                    "",
                                    {{"sampler", method.name},
                                     {"capacity", "10000"},
                                     {"utd", "1/16"},
                                     {"batch", "128"},
                                     {"environments", "1"}},
                                    {});
      ingest(ledger, run);
      ledger.set_state(run, RunState::done);
    }
  return make_study_report(ledger, "made", {.baseline = {}, .reps = 4000});
}

const Scores kBase{0.50, 0.52, 0.54, 0.56, 0.58};
constexpr std::array kLuck{-0.016, 0.016, -0.008, 0.008, 0.0};

// The baseline's seeds with a gain and some luck, another luck for every `turn`.
Scores with_gain(double gain, std::size_t turn = 0) {
  Scores scores = kBase;
  for (std::size_t k = 0; k < scores.size(); ++k) scores[k] += gain + kLuck[(k + turn) % 5];
  return scores;
}

std::string headline_of(const StudyReport& report) { return report_summary(report).front(); }

TEST(Verdict, OneClearDifferenceIsClaimedWithItsInterval) {
  const StudyReport report = report_of({{"uniform", kBase}, {"tg", with_gain(0.1)}});
  const Verdict verdict = verdict_of(report);
  ASSERT_EQ(verdict.lines.size(), 1U);
  EXPECT_EQ(verdict.lines[0].shown(), 1);
  EXPECT_TRUE(verdict.lines[0].paired);
  EXPECT_LT(verdict.lines[0].simultaneous.low, verdict.lines[0].nominal.low);
  EXPECT_TRUE(headline_of(report).starts_with("tg scores higher than uniform: gain +18.5 % [+"))
      << headline_of(report);
}

TEST(Verdict, WorseMethodIsSaidToBeWorse) {
  const StudyReport report = report_of({{"uniform", kBase}, {"tg", with_gain(-0.1)}});
  EXPECT_EQ(verdict_of(report).lines[0].shown(), -1);
  EXPECT_TRUE(headline_of(report).starts_with("tg scores lower than uniform: gain -18.5 % ["))
      << headline_of(report);
}

// The same runs are a difference alone and none as the best of eight.
TEST(Verdict, BestOfManyComparisonsIsNotClaimed) {
  const StudyReport alone = report_of({{"uniform", kBase}, {"tg", with_gain(0.02)}});
  EXPECT_EQ(verdict_of(alone).lines[0].shown(), 1);
  std::vector<Method> methods{{"uniform", kBase}, {"tg", with_gain(0.02)}};
  for (std::size_t k = 1; k < 8; ++k) methods.push_back({concat("arm", k), with_gain(0, k)});
  const StudyReport many = report_of(methods);
  const Verdict verdict = verdict_of(many);
  EXPECT_EQ(verdict.lines.size(), 8U);
  EXPECT_EQ(verdict.excluding, 1U);
  for (const VerdictLine& line : verdict.lines) EXPECT_EQ(line.shown(), 0) << line.method;
  // Five seeds of one task: a nominal 95 % interval holds the truth 84.5 % of the time.
  EXPECT_NEAR(verdict.by_chance, 8 * (1 - 0.845), 0.01);
  EXPECT_EQ(headline_of(many),
            "No difference shown: 1 of 8 intervals excludes zero; about 1 would by chance.");
}

TEST(Verdict, SingleRunsShowNothing) {
  const StudyReport report = report_of({{"uniform", {0.5}}, {"tg", {0.9}}});
  EXPECT_EQ(verdict_of(report).lines[0].shown(), 0);
  EXPECT_TRUE(headline_of(report).starts_with("No difference can be shown: a single run"))
      << headline_of(report);
}

TEST(Verdict, AgentsNearTheirStartAreNotCompared) {
  const std::vector<Method> methods{{"uniform", kBase}, {"tg", with_gain(0.1)}};
  EXPECT_TRUE(verdict_of(report_of(methods, 0.7)).lines.empty());
  const std::string line = headline_of(report_of(methods, 0.7));
  EXPECT_TRUE(line.starts_with("The agents have not learned: final scores from 0.540 to 0.640"))
      << line;
  EXPECT_EQ(verdict_of(report_of(methods, 0.3)).lines.size(), 1U);
}

TEST(Verdict, SetupSaysWhatWasRun) {
  const StudySetup setup = setup_of(report_of({{"uniform", kBase}, {"tg", with_gain(0.1)}}));
  EXPECT_EQ(setup.text(),
            "simbav2, volume 8 (utd 1/16 x batch 128), 10 steps, capacity 10,000; 1 task x 5 seeds,"
            " 1 comparison");
}

}  // namespace
}  // namespace mneme::lab
