// tests/stats/curves_test.cpp - tables to curves, the checks on the way, and the averages.
#include <gtest/gtest.h>

#include "mneme/error.h"
#include "mneme/scores.h"

namespace mneme::stats {
namespace {

std::vector<MethodCurves> arranged(const std::string& rows, bool unequal_runs = false) {
  const ScoreTable table = parse_scores("method,run,task,step,value\n" + rows, "a.csv");
  return arrange({&table, 1}, unequal_runs);
}

std::string complaint(const std::string& rows) {
  try {
    arranged(rows);
  } catch (const CorruptData& error) {
    return error.what();
  }
  return "none";
}

TEST(Curves, ArrangesByFirstAppearanceAndSortsSteps) {
  const auto methods = arranged(
      "b,1,walk,20,2\nb,1,walk,10,1\nb,0,walk,10,3\nb,0,walk,20,4\na,5,walk,10,5\na,5,walk,20,6\n");
  ASSERT_EQ(methods.size(), 2u);
  EXPECT_EQ(methods[0].name, "b");
  const Curves& b = methods[0].curves;
  EXPECT_EQ(b.tasks, (std::vector<std::string>{"walk"}));
  EXPECT_EQ(b.runs[0], (std::vector<std::string>{"1", "0"}));
  EXPECT_EQ(b.steps, (std::vector<double>{10, 20}));
  EXPECT_EQ(b.values[0][0], (std::vector<double>{1, 2}));
  EXPECT_EQ(b.values[0][1], (std::vector<double>{3, 4}));
  EXPECT_EQ(methods[1].curves.values[0][0], (std::vector<double>{5, 6}));
}

TEST(Curves, AveragesOverCheckpointsRunsAndTasks) {
  const Curves curves = arranged(
                            "m,0,a,0,100\nm,0,a,1,1\nm,0,a,2,3\nm,1,a,0,0\nm,1,a,1,5\nm,1,a,2,7\nm,"
                            "0,b,0,0\nm,0,b,1,0\nm,0,b,2,0\n",
                            true)[0]
                            .curves;
  const Curves rest = without_step_zero(curves);
  EXPECT_EQ(rest.steps, (std::vector<double>{1, 2}));
  const ScoreMatrix scores = auc(rest);
  EXPECT_EQ(scores.task(0)[0], 2);
  EXPECT_EQ(scores.task(0)[1], 6);
  EXPECT_EQ(scores.runs(1), 1u);
  EXPECT_EQ(mean(scores), 2);  // tasks weigh the same although one has two runs
  EXPECT_EQ(mean_curve(rest), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(final_scores(rest).task(0)[1], 7);
  EXPECT_EQ(auc(curves).task(0)[0], 104.0 / 3);
  EXPECT_EQ(without_step_zero(rest).steps, rest.steps);
}

TEST(Curves, UnequalCheckpoints) {
  const std::string missing = complaint("m,0,a,1,1\nm,0,a,2,1\nm,1,a,1,1\n");
  EXPECT_NE(missing.find("a.csv, line 4: method 'm', task 'a', run '1' has no row for step 2"),
            std::string::npos)
      << missing;
  const std::string extra = complaint("m,0,a,1,1\nm,1,a,1,1\nm,1,a,3,1\n");
  EXPECT_NE(extra.find("line 2: method 'm', task 'a', run '0' has no row for step 3"),
            std::string::npos)
      << extra;
  EXPECT_NE(extra.find("add the row"), std::string::npos);
}

TEST(Curves, MissingRunsAndTasks) {
  const std::string run = complaint("m,0,a,1,1\nm,1,a,1,1\nm,0,b,1,1\n");
  EXPECT_NE(run.find("no row of method 'm', task 'b', run '1'"), std::string::npos) << run;
  EXPECT_NE(run.find("--unequal-runs"), std::string::npos);
  EXPECT_EQ(arranged("m,0,a,1,1\nm,1,a,1,1\nm,0,b,1,1\n", true)[0].curves.runs[1].size(), 1u);
  EXPECT_THROW(arranged("m,0,a,1,1\nm,0,b,1,1\nn,0,a,1,1\n", true), CorruptData);
}

TEST(Curves, TheSameRowInTwoFiles) {
  const std::array tables{parse_scores("run,task,step,value\n0,a,1,1\n", "a.csv"),
                          parse_scores("run,task,step,value\n0,a,1,1\n", "b.csv")};
  EXPECT_THROW(arrange(tables), CorruptData);
  EXPECT_THROW(arrange({}), CorruptData);
}

TEST(Curves, OnlyStepZero) {
  EXPECT_THROW(without_step_zero(arranged("m,0,a,0,1\n")[0].curves), InvalidArgument);
}

TEST(Curves, RefusesMismatchedShape) {
  Curves curves = arranged("m,0,a,1,1\n")[0].curves;
  curves.values[0][0].push_back(2);
  EXPECT_THROW(auc(curves), InvalidArgument);
  EXPECT_THROW(auc(Curves{}), InvalidArgument);
}

}  // namespace
}  // namespace mneme::stats
