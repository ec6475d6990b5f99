// tests/cli/study/report_test.cpp - `mneme report` on the runs of a real study: the same
// numbers as `mneme stats` on the files it writes, whole, half finished, and wrongly asked.
#include <cmath>
#include <cstdlib>
#include <map>

#include "report/real_study.h"
#include "report/study_report.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using test::JsonValue;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Every value of one is in the other, bit for bit: numbers as they were written.
void expect_same(const JsonValue& a, const JsonValue& b, const std::string& where) {
  ASSERT_EQ(a.kind, b.kind) << where;
  ASSERT_EQ(a.text, b.text) << where;
  ASSERT_EQ(a.boolean, b.boolean) << where;
  ASSERT_EQ(a.members.size(), b.members.size()) << where;
  for (std::size_t at = 0; at < a.members.size(); ++at) {
    ASSERT_EQ(a.members[at].first, b.members[at].first) << where;
    expect_same(a.members[at].second, b.members[at].second, where + "." + a.members[at].first);
  }
}

std::string taus_of(const JsonValue& stats) {
  std::vector<std::string> taus;
  for (const auto& [unused, point] : stats["methods"][0]["score_profile"].members)
    taus.push_back(point["tau"].text);
  return join(taus, ",");
}

TEST(ReportCommand, StatisticsAreThoseOfMnemeStatsOnTheSameScores) {
  RealStudy study;
  const std::string tables = study.folder("tables").string();
  const JsonValue report = json_of(
      {"report", "small", "--ledger", study.file().string(), "--reps", "3000", "--csv", tables});
  ASSERT_EQ(report["groups"].size(), 2U);
  for (const auto& [unused, group] : report["groups"].members) {
    const JsonValue& stats = group["stats"];
    const std::string scores = concat(tables, "/scores-", group["id"].text, ".csv");
    const JsonValue by_hand =
        json_of({"stats", scores, "--normalise", "none", "--reps", "3000", "--profile-reps", "2000",
                 "--baseline", "uniform", "--taus", taus_of(stats)});
    expect_same(stats, by_hand, group["label"].text);
    // The score at the end is the AUC of the last checkpoint alone.
    std::istringstream lines(content(scores));
    std::ofstream last(study.folder("last.csv"));
    std::string line;
    for (bool header = true; std::getline(lines, line); header = false)
      if (header || line.find(",1500,") != std::string::npos) last << line << '\n';
    last.close();
    const JsonValue ends = json_of({"stats", study.folder("last.csv").string(), "--normalise",
                                    "none", "--reps", "3000", "--baseline", "uniform"});
    for (std::size_t k = 0; k < 2; ++k) {
      const JsonValue& by = ends["comparisons"][k];
      const JsonValue& final = group["finals"][k + 1];
      EXPECT_EQ(final["method"].text, by["method"].text);
      for (const char* end : {"estimate", "low", "high"})
        EXPECT_EQ(final["comparison"]["gain"][end].text, by["stratified"]["gain"][end].text);
    }
  }
}

TEST(ReportCommand, AnotherSeedOfTheBootstrapIsAnotherInterval) {
  RealStudy study;  // else the test above could compare constants
  const auto low = [&](const char* seed) {
    return json_of({"report", "small", "--ledger", study.file().string(), "--reps", "3000",
                    "--seed",
                    seed})["groups"][0]["stats"]["comparisons"][0]["stratified"]["gain"]["low"]
        .text;
  };
  EXPECT_EQ(low("1"), low("1"));
  EXPECT_NE(low("1"), low("2"));
}

TEST(ReportCommand, GroupsAreWhatTheStudySweeps) {
  RealStudy study;
  const StudyReport report =
      make_study_report(study.ledger(), "small", {.baseline = {}, .reps = 500});
  ASSERT_EQ(report.scores.groups.size(), 2U);
  const Group& low = report.scores.groups[0];
  EXPECT_EQ(low.label, "utd 1/8");  // batch is the same everywhere
  EXPECT_EQ(low.volume, 4);
  EXPECT_EQ(report.scores.groups[1].volume, 16);
  EXPECT_FALSE(low.together);
  ASSERT_EQ(low.methods.size(), 3U);
  EXPECT_EQ(low.methods[0].counted, 6U);
  EXPECT_EQ(low.curves[0].curves.tasks.size(), 2U);
  EXPECT_EQ(low.curves[0].curves.runs[0], (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_TRUE(low.notes.empty());
  const GroupReport& group = report.groups[0];
  EXPECT_EQ(group.tasks.size(), 2U);
  EXPECT_EQ(group.curves.size(), 3U);
  EXPECT_EQ(group.paired.size(), 2U);
  EXPECT_EQ(group.paired[0].seeds, 3U);
  // A band holds its curve, and the curve is the mean of the runs.
  const auto mean = stats::mean_curve(group.stats->methods[0].curves);
  for (std::size_t k = 0; k < mean.size(); ++k) {
    EXPECT_NEAR(group.curves[0].scores[k].estimate, mean[k], 1e-12);
    EXPECT_LE(group.curves[0].scores[k].low, mean[k] + 1e-12);
    EXPECT_GE(group.curves[0].scores[k].high, mean[k] - 1e-12);
  }
}

TEST(ReportCommand, DrawsAreWhereTheSamplersFormulaPutsThem) {
  RealStudy study;
  const StudyReport report =
      make_study_report(study.ledger(), "small", {.baseline = {}, .reps = 500});
  const std::vector<RecencyReport>& recency = report.groups[1].recency;
  ASSERT_EQ(recency.size(), 3U);
  ASSERT_TRUE(recency[0].exact && recency[1].exact);
  EXPECT_FALSE(recency[2].exact);  // priorities have no formula
  EXPECT_NEAR(recency[0].exact->recency, 0.5, 1e-12);
  EXPECT_NEAR(recency[0].exact->entropy, std::log(1500.0), 1e-9);
  EXPECT_NEAR(recency[1].exact->recency, 0.8568, 1e-3);
  for (const RecencyReport& one : recency) ASSERT_FALSE(one.path.empty()) << one.method;
  EXPECT_NEAR(recency[0].path.back().recency, 0.5, 0.02);
  EXPECT_GT(recency[1].path.back().recency, 0.65);
  EXPECT_EQ(recency[1].path.back().step, 1500);
}

TEST(ReportCommand, TimeIsSplitByPhase) {
  RealStudy study;
  const StudyReport report =
      make_study_report(study.ledger(), "small", {.baseline = {}, .reps = 500});
  for (const GroupReport& group : report.groups) {
    ASSERT_EQ(group.timing.size(), 3U);
    for (const TimingReport& method : group.timing) {
      EXPECT_EQ(method.runs, 6U);
      std::map<std::string, double> seconds(method.seconds.begin(), method.seconds.end());
      EXPECT_EQ(seconds.count("seconds"), 0U);  // all of it, no phase
      double sum = 0;
      for (const auto& [phase, taken] : seconds) sum += taken;
      EXPECT_GT(sum, 0.5 * method.total);
      EXPECT_LT(sum, 1.02 * method.total);
      EXPECT_GT(seconds["update"], 0);
    }
  }
}

TEST(ReportCommand, UnfinishedStudySaysWhatIsMissing) {
  RealStudy study("small", [](const RealRun& run) {
    if (run.utd == "1/8") return RunState::done;
    if (run.method == "uniform" && run.seed == 0) return RunState::failed;
    return run.method == "uniform" && run.seed == 1 ? RunState::stopped : RunState::planned;
  });
  const JsonValue json =
      json_of({"report", "small", "--ledger", study.file().string(), "--reps", "500"});
  EXPECT_EQ(json["study"]["completeness"].text,
            "18 of 36 runs are finished; 2 running or stopped, 14 not started, 2 failed");
  EXPECT_EQ(json["groups"][1]["stats"].kind, JsonValue::Kind::null);
  EXPECT_EQ(json["groups"][0]["stats"]["comparisons"].size(), 2U);
  std::size_t failed = 0, counted = 0;
  for (const auto& [unused, run] : json["runs"].members) {
    failed += run["left_out"].text == "failed: critic_loss is not a number" ? 1 : 0;
    counted += run["left_out"].text.empty() ? 1 : 0;
  }
  EXPECT_EQ(failed, 2U);
  EXPECT_EQ(counted, 18U);
  const Answer text = mneme_tool({"report", "small", "--ledger", study.file().string()});
  EXPECT_EQ(text.code, kDone) << text.err;
  MNEME_EXPECT_SAYS(text.out, "18 of 36 runs are finished");
  MNEME_EXPECT_SAYS(text.out, "failed: critic_loss is not a number");
  // What was run, then what that shows.
  const std::vector<std::string> summary{"report", "small", "--ledger", study.file().string(),
                                         "--summary"};
  const Answer lines = mneme_tool(summary);
  MNEME_EXPECT_SAYS(lines.out,
                    "simbav2, volume 4 (utd 1/8 x batch 32), 1,500 steps, capacity 1,500; 2 tasks "
                    "x 3 seeds, 2 comparisons\n");
  // These agents trained for a minute (report/fixtures/README.md).
  MNEME_EXPECT_SAYS(lines.out, "The agents have not learned at utd 1/8: final scores from 0.");
  EXPECT_EQ(json_of(summary)["setup"]["comparisons"].number, 2);
}

TEST(ReportCommand, TasksThatAMethodLacksAreLeftOut) {
  RealStudy study("small", [](const RealRun& run) {
    const bool lacking = run.method == "per:alpha=0.6" && run.task == "dmc/cartpole-balance";
    return lacking || (run.method == "uniform" && run.utd == "1/2") ? RunState::planned
                                                                    : RunState::done;
  });
  const StudyReport report =
      make_study_report(study.ledger(), "small", {.baseline = {}, .reps = 500});
  EXPECT_EQ(report.groups[0].tasks.size(), 1U);
  EXPECT_NE(join(report.scores.groups[0].notes).find("no finished run of per:alpha=0.6"),
            std::string::npos);
  // Without a baseline there are scores, and no gains.
  ASSERT_TRUE(report.groups[1].stats);
  EXPECT_TRUE(report.groups[1].stats->comparisons.empty());
  EXPECT_TRUE(report.groups[1].paired.empty());
  EXPECT_EQ(report.groups[1].curves.size(), 2U);
  EXPECT_NE(join(report.groups[1].notes).find("the baseline uniform has no finished run"),
            std::string::npos);
}

TEST(ReportCommand, ReportsStudyWithoutFinishedRuns) {
  RealStudy study("small", [](const RealRun&) { return RunState::planned; });
  const Answer answer = mneme_tool({"report", "small", "--ledger", study.file().string()});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  MNEME_EXPECT_SAYS(answer.out, "Nothing to compare yet: 0 of 36 runs are finished");
}

TEST(ReportCommand, PairedSeedsShareTheirLuck) {
  // The same luck of a seed in both methods, and a method that adds a little to each: unpaired, the
  // spread between seeds hides it; paired, it is all that is left.
  stats::Curves base{.tasks = {"t"}, .runs = {{"0", "1", "2", "3"}}, .steps = {1}, .values = {{}}};
  for (const double score : {0.2, 0.4, 0.6, 0.8}) base.values[0].push_back({score});
  mneme::testing::TemporaryDirectory directory;
  Ledger ledger(directory / "ledger.db", Ledger::Mode::create);
  const Id study = ledger.add_study("luck", "");
  for (const char* method : {"uniform", "better"})
    for (int seed = 0; seed < 4; ++seed) {
      const fs::path folder = directory / concat(method, seed);
      fs::create_directories(folder);
      const double score =
          0.2 + 0.2 * seed + (std::string(method) == "better" ? 0.02 + 0.001 * seed : 0);
      std::ofstream(folder / "eval.csv")
          << "step,frame,seconds,task,episodes,return,deviation,score,success,length\n"
          << "10,10,1,t,1,0,0," << score << ",,1\n";
      const Id run = ledger.add_run(study,
                                    {.key = concat(method, seed),
                                     .method = method,
                                     .task = "t",
                                     .seed = seed,
                                     .steps = 10,
                                     .directory = folder.string()},
                                    "", {}, {});
      ingest(ledger, run);
      ledger.set_state(run, RunState::done);
    }
  const StudyReport report = make_study_report(ledger, "luck", {.baseline = {}, .reps = 4000});
  const stats::Interval alone =
      report.groups[0].stats->comparisons[0].comparison.stratified.difference;
  const stats::Interval paired = report.groups[0].paired[0].comparison.difference;
  EXPECT_NEAR(paired.estimate, alone.estimate, 1e-12);
  EXPECT_LT(alone.low, 0);
  EXPECT_GT(paired.low, 0.0195);
  EXPECT_LT(paired.high, 0.0235);
}

TEST(ReportCommand, WritesAPageAndTables) {
  RealStudy study;
  const fs::path page = study.folder("template.html");
  std::ofstream(page) << "<script id=\"mneme-data\" type=\"application/json\">null</script>";
  const char* before = std::getenv("MNEME_PAGE_TEMPLATE");
  const std::string kept = before == nullptr ? "" : before;
  setenv("MNEME_PAGE_TEMPLATE", page.c_str(), 1);
  const std::string out = study.folder("report.html").string();
  const Answer answer = mneme_tool({"report", "small", "--ledger", study.file().string(), "--reps",
                                    "500", "-o", out, "--csv", study.folder("csv").string()});
  if (before == nullptr)
    unsetenv("MNEME_PAGE_TEMPLATE");
  else
    setenv("MNEME_PAGE_TEMPLATE", kept.c_str(), 1);
  EXPECT_EQ(answer.code, kDone) << answer.err;
  MNEME_EXPECT_SAYS(answer.out, "wrote " + out);
  EXPECT_NE(content(out).find("\"kind\":\"report\""), std::string::npos);
  for (const char* name : {"gains", "aggregates", "curves", "tasks", "profiles", "recency",
                           "timing", "runs", "scores-utd-1-8", "scores-utd-1-2"})
    EXPECT_TRUE(fs::exists(study.folder("csv") / (std::string(name) + ".csv"))) << name;
  // 2 groups x (all + 2 tasks) x 3 methods x 6 checkpoints, and a header.
  const std::string curves = content(study.folder("csv") / "curves.csv");
  EXPECT_EQ(std::count(curves.begin(), curves.end(), '\n'), 2 * 3 * 3 * 6 + 1);
}

TEST(ReportCommand, BadInputIsRefused) {
  RealStudy study("small-laptop");
  const std::string ledger = study.file().string();
  expect_refused({"report"}, {"study"});
  expect_refused({"report", "smal", "--ledger", ledger}, {"'smal'", "small-laptop"});
  expect_refused({"report", "small", "--ledger", ledger, "--baseline", "unifrom"},
                 {"'unifrom'", "did you mean 'uniform'"});
  expect_refused({"report", "small", "--ledger", ledger, "--reps", "0"}, {"--reps"});
  expect_refused({"report", "small", "--ledger", ledger, "--confidence", "1.5"}, {"confidence"});
  expect_refused({"report", "small", "--ledger", study.folder("none.db").string()}, {"none.db"});
  // The scale may be left out where that leaves no doubt.
  EXPECT_EQ(mneme_tool({"report", "small", "--ledger", ledger}).code, kDone);
  study.ledger().add_study("small-paper", "");
  expect_refused({"report", "small", "--ledger", ledger}, {"small-laptop or small-paper"});
}

}  // namespace
}  // namespace mneme::lab
