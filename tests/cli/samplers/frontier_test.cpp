// tests/cli/samplers/frontier_test.cpp - `mneme frontier`: the table, the data behind the plot.
#include <cmath>

#include "mneme/frontier.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

using test::JsonValue;

TEST(FrontierCommand, TableHasTheKnownRows) {
  const Answer answer = mneme_tool({"frontier", "--expected-recency", "0.85", "99/100"});
  EXPECT_EQ(answer.code, kDone);
  EXPECT_EQ(answer.err, "");
  MNEME_EXPECT_SAYS(answer.out, "full buffer of 1,000,000");
  MNEME_EXPECT_SAYS(
      answer.out,
      "0.85 9.53198155 12.9170814 300,000.7 12.6115401 0.996813946 12.881165 12.218341 41124");
  MNEME_EXPECT_SAYS(answer.out, "0.99 144.262291 10.2103894 20,000.98");
}

TEST(FrontierCommand, JsonIsWhatTheLibrarySays) {
  const JsonValue json = json_of({"frontier", "--capacity", "51.2k"});
  EXPECT_EQ(json["kind"].text, "frontier");
  EXPECT_EQ(json["capacity"].number, 51'200);
  EXPECT_EQ(json["settings"]["cycle"].number, 1000);
  std::vector<double> recencies;
  for (const auto& [unused, row] : json["rows"].members)
    recencies.push_back(row["expected_recency"].number);
  ASSERT_GT(recencies.size(), 50U);
  const auto rows = frontier(recencies, 51'200);
  bool some_without_ere = false;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const JsonValue& row = json["rows"][k];
    EXPECT_EQ(row["alpha"].number, rows[k].alpha);
    EXPECT_EQ(row["truncated_geometric"]["sampling_entropy"].number,
              rows[k].truncated_geometric_entropy);
    EXPECT_EQ(row["window"].number, rows[k].window);
    EXPECT_EQ(row["uniform_fifo"]["sampling_entropy"].number, rows[k].uniform_fifo_entropy);
    EXPECT_LE(rows[k].uniform_fifo_entropy, rows[k].truncated_geometric_entropy);
    if (std::isnan(rows[k].eta)) {
      some_without_ere = true;
      EXPECT_EQ(row["eta"].kind, JsonValue::Kind::null);
      EXPECT_EQ(row["ere"].kind, JsonValue::Kind::null);
    } else {
      EXPECT_EQ(row["eta"].number, rows[k].eta);
      EXPECT_EQ(row["ere"]["conditional_entropy"].number, rows[k].ere_conditional_entropy);
    }
  }
  EXPECT_FALSE(some_without_ere);
  EXPECT_EQ(json["points"][0]["name"].text, "uniform");
  EXPECT_EQ(json["points"][0]["expected_recency"].number, 0.5);

  // Windows of at least half the buffer: recencies above 3/4 are out of ERE's reach.
  const JsonValue wide =
      json_of({"frontier", "--capacity", "10k", "--minimum", "1/2", "--expected-recency", "0.9"});
  EXPECT_EQ(wide["rows"][0]["ere"].kind, JsonValue::Kind::null);
}

TEST(FrontierCommand, BadInputIsRefused) {
  for (const char* bad : {"1", "0", "-1"})
    expect_refused({"frontier", "--capacity", bad},
                   {std::string("the capacity is ") + bad, "allowed: 2 to"});
  expect_refused({"frontier", "--expected-recency", "0.5"},
                 {"expected recency is 0.5", "starts above 1/2"});
  expect_refused({"frontier", "--expected-recency", "0.7", "1"}, {"is 1;", "below 1"});
  for (const char* bad : {"x", "nan", "1.5"})
    expect_refused({"frontier", "--expected-recency", bad},
                   {"--expected-recency is '" + std::string(bad) + "'", "from 0 to 1"});
  expect_refused({"frontier", "--cycle", "0"}, {"cycle is '0'", "1 to 1000000"});
  expect_refused({"frontier", "--html", ""}, {"--html must not be empty"});
  expect_refused({"frontier", "--html"}, {"--html"});
}

}  // namespace
}  // namespace mneme::lab
