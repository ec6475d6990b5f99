// tests/diagnostics/advise_test.cpp - the regime table 3.6 and the rules of the advice.
#include "mneme/advise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mneme/error.h"

namespace mneme {
namespace {

TEST(Advise, RegimeTable) {
  struct Row {
    TrainingRun run;
    double utd, volume, fill, updates, delay;
  };
  for (const Row& row :
       std::vector<Row>{{{128, 2, 32768, 51'200, 100'000}, 1.0 / 64, 512, 1.953, 200e3, 200},
                        {{2048, 16, 32768, 5'120, 100'000}, 1.0 / 128, 256, 19.5, 1.6e6, 320},
                        {{4096, 4, 32768, 5'120, 50'000}, 1.0 / 1024, 32, 9.8, 200e3, 640},
                        {{20, 2, 1024, 1'000'000, 1'000'000}, 0.1, 102.4, 1, 2e6, 19'531},
                        {{50, 2, 1024, 1'000'000, 1'000'000}, 0.04, 40.96, 1, 2e6, 48'828},
                        {{4, 2, 1024, 1'000'000, 1'000'000}, 0.5, 512, 1, 2e6, 3'906},
                        {{3, 2, 1024, 1'000'000, 1'000'000}, 2.0 / 3, 682.7, 1, 2e6, 2'930},
                        {{1, 2, 256, 1'000'000, 500'000}, 2, 512, 0.5, 1e6, 1'953},
                        {{1, 1.0 / 16, 256, 1'000'000, 500'000}, 1.0 / 16, 16, 0.5, 31'250, 1'953},
                        {{1, 2, 16, 1'000'000, 500'000}, 2, 32, 0.5, 1e6, 31'250}}) {
    const Advice a = advise(row.run);
    EXPECT_NEAR(a.updates_per_transition, row.utd, 1e-12);
    EXPECT_NEAR(a.replay_volume, row.volume, 0.05);
    EXPECT_NEAR(a.fill, row.fill, 0.05);
    EXPECT_NEAR(a.total_updates, row.updates, 1);
    EXPECT_NEAR(a.uniform_first_use_updates, row.delay, 0.6);
  }
}

TEST(Advise, FollowsTheReportedGains) {
  EXPECT_EQ(advise({128, 2, 32768, 51'200, 100'000}).sampler, "truncated_geometric:alpha=10");
  EXPECT_EQ(advise({20, 2, 1024, 1'000'000, 1'000'000}).sampler, "truncated_geometric:alpha=10");
  EXPECT_EQ(advise({1, 2, 256, 1'000'000, 500'000}).sampler, "uniform");
  EXPECT_NE(advise({1, 2, 256, 1'000'000, 500'000}).nearest_setting.find("SimbaV2"),
            std::string::npos);
}

// E12: half full, alpha 10 acts like 5; the advice makes up for it and says so.
TEST(Advise, CorrectsAlphaForABufferThatNeverFills) {
  const Advice a = advise({1, 0.25, 256, 1'000'000, 500'000});
  EXPECT_EQ(a.sampler, "truncated_geometric:alpha=20");
  EXPECT_NEAR(a.over_training.back().effective_alpha, 10, 1e-4);
  EXPECT_NEAR(a.over_training.back().expected_recency, 0.8567, 1e-4);
  EXPECT_NEAR(a.over_training.front().effective_alpha, 1, 1e-3);
  // first use is sooner than with uniform by the recency multiplier, 6.938
  EXPECT_NEAR(a.uniform_first_use_updates / a.first_use_updates, 6.938, 1e-3);
}

TEST(Advise, EveryReasonNamesItsEvidence) {
  for (const TrainingRun& run : {TrainingRun{}, TrainingRun{64, 1, 128, 1000, 100},
                                 TrainingRun{1000, 1, 256, 5000, 1'000'000}}) {
    const Advice a = advise(run);
    EXPECT_FALSE(a.reasons.empty());
    EXPECT_GE(a.cautions.size(), 3u);
    for (const auto& list : {a.reasons, a.cautions})
      for (const Reason& reason : list)
        EXPECT_TRUE(reason.evidence == "paper" || reason.evidence == "derived") << reason.text;
    EXPECT_NO_THROW(make_sampler(a.sampler));
  }
}

TEST(Advise, BadInputIsRefused) {
  EXPECT_THROW(advise({.envs = 0}), InvalidArgument);
  EXPECT_THROW(advise({.updates_per_step = 0}), InvalidArgument);
  EXPECT_THROW(advise({.updates_per_step = std::nan("")}), InvalidArgument);
  EXPECT_THROW(advise({.batch = -1}), InvalidArgument);
  EXPECT_THROW(advise({.capacity = 1}), InvalidArgument);
  EXPECT_THROW(advise({.steps = 0}), InvalidArgument);
}

}  // namespace
}  // namespace mneme
