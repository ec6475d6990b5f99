// tests/cli/samplers/densities_test.cpp - `mneme densities`: the table, the data behind the plots.
#include "mneme/diagnostics.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

using test::JsonValue;

TEST(DensitiesCommand, TableHasThePapersPanels) {
  const Answer answer = mneme_tool({"densities"});
  EXPECT_EQ(answer.code, kDone);
  EXPECT_EQ(answer.err, "");
  MNEME_EXPECT_SAYS(answer.out, "Replay volume 256: expected replays");
  MNEME_EXPECT_SAYS(answer.out, "Replay volume 2048: expected replays");
  MNEME_EXPECT_SAYS(answer.out, "Ablation, replay volume 256: ");
  MNEME_EXPECT_SAYS(answer.out, "Uniform 0.000256 0.000256");
  MNEME_EXPECT_SAYS(answer.out, "0.000313988 0.000888093 0.00177619");  // TG, alpha 10
  MNEME_EXPECT_SAYS(answer.out, "Uniform FIFO, 0.288 N 0 0 0 0.000888889");
}

TEST(DensitiesCommand, JsonIsWhatTheLibrarySays) {
  const JsonValue json = json_of({"densities", "--capacity", "1k", "--low", "64", "--high", "1/2"});
  EXPECT_EQ(json["kind"].text, "densities");
  const BufferView full{.size = 1000, .capacity = 1000};
  ASSERT_EQ(json["panels"].size(), 3U);
  EXPECT_EQ(json["panels"][1]["replay_volume"].number, 0.5);
  for (const auto& [unused, panel] : json["panels"].members) {
    for (const auto& [none, series] : panel["series"].members) {
      const auto points = replay_density(*make_sampler(series["sampler"].text), full,
                                         panel["replay_volume"].number);
      ASSERT_EQ(series["points"].size(), points.size());
      for (std::size_t k = 0; k < points.size(); ++k) {
        EXPECT_EQ(series["points"][k]["recency"].number, points[k].recency);
        EXPECT_EQ(series["points"][k]["replays_per_step"].number, points[k].replays_per_step);
      }
    }
  }
  for (const auto& [unused, one] : json["samplers"].members) {
    const Diagnosis d = inspect(*make_sampler(one["sampler"].text), full);
    EXPECT_EQ(one["expected_recency"].number, d.expected_recency);
    EXPECT_EQ(one["reference_recency"].number, d.reference_recency);
    EXPECT_EQ(one["sampling_entropy"].number, d.sampling_entropy);
    EXPECT_EQ(one["conditional_entropy"].number, d.conditional_entropy);
    EXPECT_EQ(one["newest_probability"].number, d.newest_probability);
    EXPECT_EQ(one["oldest_probability"].number, d.oldest_probability);
  }
}

TEST(DensitiesCommand, DrawsTheSamplersOneNames) {
  const JsonValue json =
      json_of({"densities", "--capacity", "100", "--sampler", "linear:ratio=3", "uniform"});
  ASSERT_EQ(json["panels"].size(), 2U);
  EXPECT_EQ(json["panels"][0]["series"][0]["sampler"].text, "linear:ratio=3");
  EXPECT_EQ(json["panels"][0]["series"][1]["name"].text, "uniform");
}

TEST(DensitiesCommand, BadInputIsRefused) {
  for (const char* bad : {"1", "0", "-1"})
    expect_refused({"densities", "--capacity", bad},
                   {"--capacity must be at least 2", std::string("got ") + bad});
  for (const char* bad : {"0", "inf", "nan", "-1"})
    expect_refused({"densities", "--low", bad}, {"--low is '" + std::string(bad) + "'", "above 0"});
  // A good one before the bad one: not even its table appears.
  expect_refused({"densities", "--sampler", "uniform", "unifrom"},
                 {"unknown sampler 'unifrom'", "did you mean 'uniform'"});
}

}  // namespace
}  // namespace mneme::lab
