// tests/cli/samplers/advise_test.cpp - `mneme advise`: regime, delay, sampler and the evidence.
#include <algorithm>

#include "mneme/advise.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

using test::JsonValue;

const std::vector<std::string> kFastTd3{"advise", "--envs",  "128",   "--updates-per-step",
                                        "2",      "--batch", "32768", "--capacity",
                                        "51.2k",  "--steps", "100k"};

TEST(AdviseCommand, TextExplainsTheRegime) {
  const Answer answer = mneme_tool(kFastTd3);
  EXPECT_EQ(answer.code, kDone);
  EXPECT_EQ(answer.err, "");
  MNEME_EXPECT_SAYS(answer.out, "recommended sampler: truncated_geometric:alpha=10");
  MNEME_EXPECT_SAYS(answer.out, "low replay volume: 0.015625 updates per transition");
  MNEME_EXPECT_SAYS(answer.out, "drawn 512 times over its life");
  MNEME_EXPECT_SAYS(answer.out, "uniform: 200 updates (100 steps)");
  for (const char* said : {"E8:", "E11:", "E12:", "[paper]", "[derived]", "[measured"})
    MNEME_EXPECT_SAYS(answer.out, said);
}

TEST(AdviseCommand, JsonIsWhatTheLibrarySays) {
  const JsonValue json = json_of(kFastTd3);
  const Advice a = advise(
      {.envs = 128, .updates_per_step = 2, .batch = 32768, .capacity = 51'200, .steps = 100'000});
  EXPECT_EQ(json["updates_per_transition"].number, 1.0 / 64);
  EXPECT_EQ(json["replay_volume"].number, 512);
  EXPECT_EQ(json["fill"].number, a.fill);
  EXPECT_EQ(json["sampler"].text, a.sampler);
  EXPECT_EQ(json["first_use_updates"].number, a.first_use_updates);
  EXPECT_EQ(json["uniform_first_use_updates"].number, a.uniform_first_use_updates);
  ASSERT_EQ(json["over_training"].size(), a.over_training.size());
  for (std::size_t k = 0; k < a.over_training.size(); ++k) {
    const JsonValue& point = json["over_training"][k];
    EXPECT_EQ(point["effective_alpha"].number, a.over_training[k].effective_alpha);
    EXPECT_EQ(point["expected_recency"].number, a.over_training[k].expected_recency);
  }
  for (const char* list : {"reasons", "cautions"}) {
    for (const auto& [unused, reason] : json[list].members) {
      const std::vector<std::string> kinds{"paper", "derived", "measured here"};
      EXPECT_EQ(std::count(kinds.begin(), kinds.end(), reason["evidence"].text), 1);
    }
  }
}

TEST(AdviseCommand, BadInputIsRefused) {
  const auto refused = [](const char* name, const char* bad,
                          const std::vector<std::string>& words) {
    expect_refused({"advise", name, bad}, words);
  };
  refused("--envs", "0", {"envs is 0", "above 0"});
  refused("--envs", "1/2", {"--envs is '1/2'", "whole number"});
  refused("--steps", "0", {"steps is 0", "above 0"});
  refused("--steps", "nan", {"--steps is 'nan'", "whole number"});
  refused("--capacity", "1", {"capacity is 1", "allowed: 2 to"});
  refused("--batch", "0", {"--batch is '0'", "above 0"});
  refused("--updates-per-step", "inf", {"--updates-per-step is 'inf'", "1/64"});
  expect_refused({"advise", "--batch", "1e308", "--updates-per-step", "1e308"}, {"finite"});
}

}  // namespace
}  // namespace mneme::lab
