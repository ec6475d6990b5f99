// tests/stats/csv_test.cpp - what the CSV reader takes, and the sentence it has for everything
// else.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "mneme/error.h"
#include "mneme/scores.h"

namespace mneme::stats {
namespace {

TEST(Csv, ReadsColumnsInAnyOrder) {
  const ScoreTable table =
      parse_scores("value,step,extra,task,run\n1.5,100,x,walk,0\n-2e3,200,,run,1", "a.csv", "tg");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.source, "a.csv");
  EXPECT_EQ(table.rows[0].method, "tg");
  EXPECT_EQ(table.rows[0].run, "0");
  EXPECT_EQ(table.rows[0].task, "walk");
  EXPECT_EQ(table.rows[0].step, 100);
  EXPECT_EQ(table.rows[0].value, 1.5);
  EXPECT_EQ(table.rows[1].value, -2000);
  EXPECT_EQ(table.rows[1].line, 3u);
}

TEST(Csv, TakesCrlfQuotesBlanksByteOrderMarkAndMethods) {
  const ScoreTable table = parse_scores(
      "\xEF\xBB\xBFrun, \"task\" ,step,value,method\r\n\r\n\"a\"\"b\", \"x, y\" , 1 , 2 ,tg\r\n",
      "a.csv");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].run, "a\"b");
  EXPECT_EQ(table.rows[0].task, "x, y");
  EXPECT_EQ(table.rows[0].step, 1);
  EXPECT_EQ(table.rows[0].method, "tg");
  EXPECT_EQ(table.rows[0].line, 3u);
}

struct Bad {
  const char* name;
  std::string text;
  std::vector<const char*> says;
};

class BadCsv : public testing::TestWithParam<Bad> {};

TEST_P(BadCsv, IsRefusedInWords) {
  try {
    parse_scores(GetParam().text, "a.csv");
    FAIL() << "was taken";
  } catch (const CorruptData& error) {
    for (const char* words : GetParam().says)
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

const std::string kHeader = "run,task,step,value\n";

INSTANTIATE_TEST_SUITE_P(
    All, BadCsv,
    testing::Values(
        Bad{"empty", "", {"a.csv: the file is empty", "run,task,step,value"}},
        Bad{"blank", " \r\n\n\t\n", {"the file is empty"}},
        Bad{"no_rows", kHeader, {"a header but no row"}},
        Bad{"no_header", "0,walk,1,2\n", {"line 1", "no column 'run'", "0,walk,1,2"}},
        Bad{"no_value_column", "run,task,step,score\n0,walk,1,2", {"no column 'value'"}},
        Bad{"two_columns", "run,task,step,value,run\n0,walk,1,2,3", {"two columns 'run'"}},
        Bad{"short_row", kHeader + "0,walk,1\n", {"line 2", "3 fields, the header 4"}},
        Bad{"long_row", kHeader + "0,walk,1,2,3\n", {"line 2", "5 fields"}},
        Bad{"empty_value", kHeader + "0,walk,1,2\n0,walk,2,\n", {"line 3", "'value' is empty"}},
        Bad{"empty_run", kHeader + ",walk,1,2\n", {"line 2", "'run' is empty"}},
        Bad{"nan", kHeader + "0,walk,1,nan\n", {"line 2", "'nan'", "finite"}},
        Bad{"inf", kHeader + "0,walk,1,-inf\n", {"'-inf'"}},
        Bad{"overflow", kHeader + "0,walk,1,1e999\n", {"'1e999'"}},
        Bad{"hex", kHeader + "0,walk,0x10,1\n", {"'step' holds '0x10'"}},
        Bad{"comma_decimals", kHeader + "0,walk,1,\"1,5\"\n", {"'1,5'"}},
        Bad{"negative_step", kHeader + "0,walk,-1,1\n", {"step -1 is negative"}},
        Bad{"duplicate",
            kHeader + "0,walk,1,1\n1,walk,1,1\n0,walk,1.0,2\n",
            {"line 4", "before, on line 2"}},
        Bad{"open_quote", kHeader + "0,\"walk,1,1\n", {"line 2", "not closed"}},
        Bad{"after_quote", kHeader + "0,\"walk\"x,1,1\n", {"follows a closing quote"}},
        Bad{"huge_line",
            kHeader + std::string(70'000, 'x'),
            {"line 2", "70000 characters", "65536"}},
        Bad{"long_name", kHeader + std::string(300, 'x') + ",walk,1,1", {"300", "at most 200"}},
        Bad{"control", kHeader + std::string("a\0b,walk,1,1", 12), {"control character"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Csv, MissingFileAndDirectory) {
  EXPECT_THROW(read_scores("no/such/file.csv"), IoError);
  EXPECT_THROW(read_scores(testing::TempDir()), IoError);
}

TEST(Csv, ReadsAFile) {
  const std::string path = testing::TempDir() + "mneme_csv_test.csv";
  std::ofstream(path) << kHeader << "0,walk,1,2\n";
  EXPECT_EQ(read_scores(path, "m").rows.at(0).method, "m");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace mneme::stats
