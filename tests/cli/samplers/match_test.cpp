// tests/cli/samplers/match_test.cpp - `mneme match`: every family at one expected recency.
#include "mneme/frontier.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

using test::JsonValue;

const JsonValue& family(const JsonValue& json, const std::string& name) {
  for (const auto& [unused, one] : json["matches"].members)
    if (one["family"].text == name) return one;
  throw std::runtime_error("no family " + name);
}

TEST(MatchCommand, TableRecoversThePapersSamplers) {
  const Answer answer =
      mneme_tool({"match", "--expected-recency", "0.856708507213", "--capacity", "1,000,000"});
  EXPECT_EQ(answer.code, kDone);
  EXPECT_EQ(answer.err, "");
  MNEME_EXPECT_SAYS(answer.out, "expected_recency 0.856708507 in a full buffer of 1,000,000");
  MNEME_EXPECT_SAYS(answer.out, "truncated_geometric:alpha=10 ");
  MNEME_EXPECT_SAYS(answer.out, " 12.8716848 12.8716848 12.5706315 0.856708507");
  MNEME_EXPECT_SAYS(answer.out, "uniform_fifo:window=286584 ");
  MNEME_EXPECT_SAYS(answer.out,
                    "linear: linear distributions stay between expected recency 1/3 and 2/3");
}

TEST(MatchCommand, JsonIsWhatTheLibrarySays) {
  const JsonValue json = json_of({"match", "--expected-recency", "6/7", "--capacity", "1e5",
                                  "--cycle", "500", "--span", "800", "--minimum", "0.01"});
  const auto matches = match(6.0 / 7, 100'000, {.cycle = 500, .span = 800, .minimum = 0.01});
  EXPECT_EQ(json["expected_recency"].number, 6.0 / 7);
  EXPECT_EQ(json["capacity"].number, 100'000);
  ASSERT_EQ(json["matches"].size(), matches.size());
  for (std::size_t k = 0; k < matches.size(); ++k) {
    const JsonValue& one = json["matches"][k];
    EXPECT_EQ(one["family"].text, matches[k].family);
    EXPECT_EQ(one["parameter"].text, matches[k].parameter);
    EXPECT_EQ(one["reachable"].boolean, matches[k].reachable);
    if (matches[k].reachable) {
      EXPECT_EQ(one["value"].number, matches[k].value);
      EXPECT_EQ(one["expected_recency"].number, matches[k].expected_recency);
      EXPECT_EQ(one["sampling_entropy"].number, matches[k].sampling_entropy);
      EXPECT_EQ(one["conditional_entropy"].number, matches[k].conditional_entropy);
      EXPECT_EQ(one["collision_entropy"].number, matches[k].collision_entropy);
      // The spec is one to use: `inspect` finds the same recency with it.
      const JsonValue inspected =
          json_of({"inspect", "--sampler", one["sampler"].text, "--capacity", "100k"});
      EXPECT_EQ(inspected["expected_recency"].number, matches[k].expected_recency);
    } else {
      EXPECT_EQ(one["reason"].text, matches[k].reason);
      EXPECT_FALSE(one.has("value"));
    }
  }
}

TEST(MatchCommand, SaysWhoCannotReachARecency) {
  const JsonValue low = json_of({"match", "--expected-recency", "0.3", "--capacity", "1k"});
  EXPECT_TRUE(family(low, "reverse_truncated_geometric")["reachable"].boolean);
  EXPECT_FALSE(family(low, "uniform_fifo")["reachable"].boolean);
  EXPECT_FALSE(family(low, "ere")["reachable"].boolean);
  const JsonValue high = json_of({"match", "--expected-recency", "0.9999999", "--capacity", "1M"});
  EXPECT_NE(family(high, "truncated_geometric")["reason"].text.find("allowed: 0 to 10000"),
            std::string::npos);
}

TEST(MatchCommand, BadInputIsRefused) {
  expect_refused({"match", "--capacity", "1M"}, {"--expected-recency is required"});
  expect_refused({"match", "--expected-recency", "0.7"}, {"--capacity is required"});
  const auto refused = [](const std::string& recency, const std::vector<std::string>& words) {
    expect_refused({"match", "--capacity", "1M", "--expected-recency", recency}, words);
  };
  for (const char* bad : {"0", "1", "0/3", "7/7"}) refused(bad, {"allowed: above 0 and below 1"});
  for (const char* bad : {"", "1.5", "-0.1", "nan", "inf", "x", "1/0"})
    refused(bad, {"--expected-recency is '" + std::string(bad) + "'", "from 0 to 1", "6/7"});
  const std::vector<std::string> base{"match", "--expected-recency", "0.7", "--capacity"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  for (const char* bad : {"1", "0", "-3"})
    expect_refused(with({bad}), {std::string("the capacity is ") + bad, "allowed: 2 to"});
  expect_refused(with({"1M", "--cycle", "0"}), {"cycle is '0'", "1 to 1000000"});
  expect_refused(with({"1M", "--cycle", "1.5"}), {"--cycle is '1.5'", "whole number"});
  expect_refused(with({"1M", "--span", "1e300"}), {"span is '1e+300'", "allowed: 0 to 1000000"});
  expect_refused(with({"1M", "--minimum", "nan"}), {"--minimum is 'nan'", "above 0"});
}

}  // namespace
}  // namespace mneme::lab
