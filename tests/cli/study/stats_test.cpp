// tests/cli/study/stats_test.cpp - `mneme stats` from the outside: its answers, its JSON, its
// complaints, exit codes.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "cli/commands.h"

namespace mneme::lab {
namespace {

struct Answer {
  int code;
  std::string out, err;
};

Answer run(std::vector<std::string> arguments) {
  std::ostringstream out, err;
  arguments.insert(arguments.begin(), "stats");
  const int code = run_tool(arguments, out, err);
  return {code, out.str(), err.str()};
}

// Files of one test, removed at its end.
class StatsCommand : public testing::Test {
 protected:
  ~StatsCommand() override {
    for (const std::string& path : paths_) std::remove(path.c_str());
  }

  std::string file(const std::string& name, const std::string& text) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    paths_.push_back(testing::TempDir() + "mneme_" + test->name() + "_" + name);
    std::ofstream(paths_.back(), std::ios::binary) << text;
    return paths_.back();
  }

  // The fixture matrices as scores of one checkpoint.
  std::string x() {
    return file("x.csv", rows({.62, .81,  .12, .95, .58, .77, .31, .90, .71, .85,
                               .05, 1.02, .49, .90, .22, .88, .66, .79, .18, .97}));
  }
  std::string y() {
    return file("y.csv", rows({.50, .70, .10, .91, .61, .68, .15, .85, .47, .74,
                               .04, .93, .55, .80, .20, .79, .52, .66, .09, .96}));
  }

 private:
  static std::string rows(const std::vector<double>& values) {
    std::ostringstream out;
    out << "run,task,step,value\n";
    for (std::size_t i = 0; i < values.size(); ++i)
      out << i / 4 << ",t" << i % 4 << ",1000," << values[i] << '\n';
    return out.str();
  }
  std::vector<std::string> paths_;
};

// Runs of blanks as one: the width of a column is not the point.
std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  return out;
}

#define EXPECT_SAYS(text, words) EXPECT_NE(squeezed(text).find(words), std::string::npos) << (text)

TEST_F(StatsCommand, TableHoldsTheKnownNumbers) {
  const Answer answer = run({"--scores", "tg=" + x(), "--scores", "uniform=" + y(), "--reps",
                             "2000", "--seed", "42", "--seed-compat", "rliable"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_SAYS(answer.out, "2 methods, 4 tasks, 5 runs, 1 checkpoint");
  EXPECT_SAYS(answer.out, "iqm 0.7160 [0.6780, 0.7530]");
  EXPECT_SAYS(answer.out, "tg against uniform");
  EXPECT_SAYS(answer.out, "[6.61, 20.82]");
  EXPECT_SAYS(answer.out, "[0.6200, 0.9202]");
  EXPECT_SAYS(answer.out, "true, with 5 runs, 4 tasks, about 90.1% stratified");
  EXPECT_SAYS(answer.out, "84.6% run-cluster");
  EXPECT_EQ(answer.err, "");
}

TEST_F(StatsCommand, JsonCarriesAllDigits) {
  const Answer answer = run({"--scores", "tg=" + x(), "--scores", "uniform=" + y(), "--reps",
                             "2000", "--seed", "42", "--seed-compat", "rliable", "--json"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_SAYS(answer.out, R"("iqm":{"estimate":0.71599999999999997,"low":0.67797)");
  EXPECT_SAYS(answer.out, R"("gain":{"estimate":13.6)");
  EXPECT_SAYS(answer.out,
              R"("low":6.6089912473288237,"high":20.823551009039573,"nominal_coverage":0.9)");
  EXPECT_SAYS(answer.out, R"("probability_of_improvement":{"estimate":0.79)");
  EXPECT_SAYS(answer.out, R"("generator":"rliable")");
  EXPECT_SAYS(answer.out, R"({"run":"0","auc":0.62)");
  EXPECT_EQ(answer.out.back(), '\n');
}

TEST_F(StatsCommand, CurvesGiveAucGainAndSpeedUp) {
  std::string text = "method,run,task,step,value\n";
  const double b[] = {.05, .12, .20, .28, .35, .41, .46, .50, .53, .55};
  const double c[] = {.06, .16, .27, .37, .45, .51, .56, .59, .61, .62};
  for (const char* run : {"0", "1"}) {
    for (int k = 0; k <= 10; ++k) {
      std::ostringstream row;
      row << "Uniform," << run << ",push," << 10'000 * k << ',' << (k ? b[k - 1] : 0.9) << '\n';
      row << "tg," << run << ",push," << 10'000 * k << ',' << (k ? c[k - 1] : 0.9) << '\n';
      text += row.str();
    }
  }
  const std::string path = file("curves.csv", text);
  const Answer answer = run({path, "--levels", "0.1,0.5,0.9", "--reps", "100"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_SAYS(answer.out, "tg against Uniform");
  EXPECT_SAYS(answer.out, "10 checkpoints from step 10000 to 100000 (step 0 excluded)");
  EXPECT_SAYS(answer.out, "21.74 [21.74, 21.74]");
  EXPECT_SAYS(answer.out, "speed_up at 0.5500 1.471");
  EXPECT_SAYS(answer.out, "speed_up at 0.1 1.224");
  EXPECT_SAYS(answer.out, "speed_up at 0.9 undefined");
  EXPECT_SAYS(run({path, "--include-step-0", "--reps", "10"}).out, "11 checkpoints from step 0");
}

TEST_F(StatsCommand, ShapleyOfFourMethods) {
  const std::string path = file("arms.csv",
                                "method,run,task,step,value\n"
                                "uniform,0,t,1,1\nuniform,1,t,1,1\nc,0,t,1,1.061\nc,1,t,1,1.081\n"
                                "a,0,t,1,1.058\na,1,t,1,1.078\nca,0,t,1,1.119\nca,1,t,1,1.139\n");
  const Answer answer = run({path, "--shapley", "both=ca,critic=c,actor=a", "--reps", "500"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_SAYS(answer.out, "critic (c) 6.60");
  EXPECT_SAYS(answer.out, "actor (a) 6.30");
  EXPECT_SAYS(answer.out, "both (ca) 12.90");
  EXPECT_SAYS(run({path, "--shapley", "critic=c,actor=a"}).err, "no method for 'both'");
  EXPECT_SAYS(run({path, "--shapley", "critic=c,actor=a,both=cca"}).err, "did you mean 'ca'");
  EXPECT_EQ(run({path, "--shapley", "critic"}).code, kUsage);
}

TEST_F(StatsCommand, NormalisesByTaskName) {
  const std::string path = file("raw.csv",
                                "run,task,step,value\n0,h1-walk-v0,1,700\n1,h1-walk-v0,1,2.377\n0,"
                                "dog-run,1,500\n1,dog-run,1,250\n");
  const Answer answer = run({path, "--reps", "100", "--json"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_SAYS(answer.out, R"("suite":"humanoidbench","random":2.3769999999999998,"threshold":700)");
  EXPECT_SAYS(answer.out, R"({"run":"0","auc":1,"scores":[1]},{"run":"1","auc":0,"scores":[0]})");
  EXPECT_SAYS(answer.out, R"({"run":"1","auc":0.25,)");
  EXPECT_SAYS(run({path, "--normalise", "none", "--reps", "10"}).out, "left as they are");
  EXPECT_SAYS(run({path, "--normalise", "isaaclab", "--reps", "10"}).out, "isaaclab (2 tasks)");
}

TEST_F(StatsCommand, OneRunSaysThatThereIsNoInterval) {
  const std::string path = file("one.csv", "run,task,step,value\n0,t,1,0.5\n0,u,1,0.7\n");
  const Answer answer = run({path, "--reps", "10"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_SAYS(answer.out, "one run only: an interval is undefined");
  EXPECT_SAYS(answer.out, "iqm 0.6000 undefined undefined");
  EXPECT_SAYS(run({path, "--reps", "10", "--json"}).out, R"("low":null,"high":null)");
}

TEST_F(StatsCommand, UnequalRunsOnlyIfAllowed) {
  const std::string path =
      file("u.csv", "run,task,step,value\n0,t,1,0.5\n1,t,1,0.6\n2,t,1,0.4\n0,u,1,0.7\n1,u,1,0.8\n");
  const Answer refused = run({path});
  EXPECT_EQ(refused.code, kFailed);
  EXPECT_SAYS(refused.err, "task 'u', run '2'");
  EXPECT_EQ(refused.out, "");
  const Answer answer = run({path, "--unequal-runs", "--reps", "100"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_SAYS(answer.out, "2 to 3 runs");
  EXPECT_SAYS(answer.out, "no run-cluster interval");
  EXPECT_SAYS(run({path, "--unequal-runs", "--seed-compat", "rliable"}).err, "same number of runs");
}

TEST_F(StatsCommand, SeedAndOptionsChangeTheAnswer) {
  const std::string path = x();
  const auto out = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {path, "--reps", "200"});
    const Answer answer = run(more);
    EXPECT_EQ(answer.code, kDone) << answer.err;
    return answer.out;
  };
  EXPECT_EQ(out({}), out({"--seed", "0"}));
  EXPECT_NE(out({}), out({"--seed", "1"}));
  EXPECT_NE(out({}), out({"--correct-small-sample"}));
  EXPECT_NE(out({}), out({"--task-bootstrap"}));
  EXPECT_NE(out({}), out({"--confidence", "0.8"}));
}

TEST_F(StatsCommand, BadInputGetsASentenceAndAnExitCode) {
  const std::string good = x();
  const std::string slip = file("slip.csv", "run,task,step,value\n0,h1-wlak-v0,1,5\n");
  const std::string hole = file("hole.csv", "run,task,step,value\n0,t,1,5\n0,t,2,\n");
  const std::string named = file("named.csv", "method,run,task,step,value\ntg,0,t,1,5\n");
  const std::string empty = file("empty.csv", "");
  struct Case {
    std::vector<std::string> arguments;
    int code;
    const char* says;
  };
  const std::vector<Case> cases{
      {{}, kUsage, "no scores given"},
      {{"no_such.csv"}, kFailed, "cannot open 'no_such.csv'"},
      {{empty}, kFailed, "the file is empty"},
      {{hole}, kFailed, "line 3: the cell of column 'value' is empty"},
      {{slip}, kUsage, "did you mean 'h1-walk'"},
      {{"--scores", "a="}, kUsage, "lacks a file"},
      {{"--scores", "=a"}, kUsage, "lacks a name"},
      {{"--scores", "uniform=" + named}, kUsage, "the method column says 'tg'"},
      {{good, "--baseline", "nosuch"}, kUsage, "unknown method 'nosuch'"},
      {{good, "--normalise", "dcm"}, kUsage, "did you mean 'dmc'"},
      {{good, "--seed-compat", "numpy"}, kUsage, "known: rliable"},
      {{good, "--gain-interval", "all"}, kUsage, "both, scaled"},
      {{good, "--reps", "0"}, kUsage, "--reps must be from 1 to 10,000,000, got 0"},
      {{good, "--reps", "-5"}, kUsage, "--reps must be from 1 to 10,000,000, got -5"},
      {{good, "--seed", "-1"}, kUsage, "--seed must be at least 0, got -1"},
      {{good, "--seed", "4294967296", "--seed-compat", "rliable"}, kUsage, "2^32"},
      {{good, "--confidence", "1.5"},
       kUsage,
       "--confidence must be a number above 0 and below 1, got '1.5'"},
      {{good, "--taus", "x"}, kUsage, "--taus"},
      {{good, "--taus", "nan"}, kUsage, "--taus must be a finite number, got 'nan'"},
      {{good, "--nonsense"}, kUsage, "--nonsense"},
  };
  for (const Case& c : cases) {
    const Answer answer = run(c.arguments);
    EXPECT_EQ(answer.code, c.code) << c.says;
    EXPECT_SAYS(answer.err, c.says);
    EXPECT_EQ(answer.out, "") << c.says;
  }
}

TEST_F(StatsCommand, HelpTeaches) {
  const Answer answer = run({"--help"});
  EXPECT_EQ(answer.code, kDone);
  EXPECT_SAYS(answer.out, "run,task,step,value");
  EXPECT_SAYS(answer.out, "mneme stats scores.csv");
}

}  // namespace
}  // namespace mneme::lab
