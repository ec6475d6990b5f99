// tests/run/tables_test.cpp - the columns of a run's tables, pinned: other programs read them.
#include "run/tables.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mneme/error.h"
#include "mneme/index.h"

namespace mneme::lab {
namespace {

TEST(RunTables, HaveTheseColumns) {
  EXPECT_EQ(header_of(RunTable::evaluation),
            "step,frame,seconds,task,episodes,return,deviation,score,success,length");
  EXPECT_EQ(header_of(RunTable::metrics), "step,frame,name,value");
  EXPECT_EQ(header_of(RunTable::diagnostics), "step,frame,reader,name,value");
  EXPECT_EQ(header_of(RunTable::timing),
            "step,frame,seconds,environment,acting,storing,sampling,update,feedback,evaluation,"
            "checkpoint");
}

TEST(RunTables, LinesFollowTheirHeaders) {
  const EvaluationLine row{.at = {10, 20},
                           .seconds = 1.5,
                           .task = "x/y",
                           .episodes = 5,
                           .mean_return = 100,
                           .deviation = 2.5,
                           .score = 0.25,
                           .success = std::nan(""),
                           .length = 1000};
  EXPECT_EQ(line_of(row), "10,20,1.5,x/y,5,100,2.5,0.25,,1000");
  EXPECT_EQ(metric_line({1, 2}, "updates", Index{12'345'678'901}), "1,2,updates,12345678901");
  EXPECT_EQ(metric_line({1, 2}, "loss", 0.5), "1,2,loss,0.5");
  EXPECT_EQ(diagnostic_line({1, 2}, "critic", "mean_age", 3), "1,2,critic,mean_age,3");
  const double phases[] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(cells_of(timing_line({1, 2}, 9, phases)).size(), columns_of(RunTable::timing).size());
}

TEST(RunTables, LastStepIsFoundByItsColumn) {
  EXPECT_EQ(last_step_in(""), -1);
  EXPECT_EQ(last_step_in("step,frame"), -1);
  EXPECT_EQ(last_step_in("step,frame\n"), -1);
  EXPECT_EQ(last_step_in("step,frame\n1,2\n30,60\n4"), 30);  // the last line is not finished
  EXPECT_EQ(last_step_in("frame,step\n2,1\n"), 1);
  EXPECT_THROW(last_step_in("frame\n2\n"), CorruptData);
  EXPECT_THROW(last_step_in("step,frame\nmany,2\n"), CorruptData);
  EXPECT_THROW(last_step_in("step,frame\n1\n"), CorruptData);
}

}  // namespace
}  // namespace mneme::lab
