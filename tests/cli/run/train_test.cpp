// tests/cli/run/train_test.cpp - `mneme train`, `eval` and `export` on the command line.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/failing_disk.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

class TrainCommand : public ::testing::Test {
 protected:
  std::vector<std::string> command(const std::string& out, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"train",
                                   "simbav2",
                                   "dummy/count:limit=9",
                                   "--steps",
                                   "40",
                                   "--batch-size",
                                   "8",
                                   "--seed",
                                   "3",
                                   "--set",
                                   "learning_starts=10",
                                   "--set",
                                   "random_steps=5",
                                   "--set",
                                   "eval_every=20",
                                   "--set",
                                   "critic_width=4",
                                   "--set",
                                   "actor_width=4",
                                   "--capacity",
                                   "1k",
                                   "--out",
                                   directory_ / out};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  testing::TemporaryDirectory directory_;
};

TEST_F(TrainCommand, TrainsEvaluatesAndExports) {
  const Answer answer = mneme_tool(command("run", {"--sampler", "truncated_geometric:alpha=5"}));
  ASSERT_EQ(answer.code, kDone) << answer.err;
  MNEME_EXPECT_SAYS(answer.out, "40 steps, 31 updates");
  MNEME_EXPECT_SAYS(answer.out, "time: ");
  MNEME_EXPECT_SAYS(answer.out, "sampling");
  MNEME_EXPECT_SAYS(answer.out, "dummy/count");
  const std::string run = directory_ / "run";
  for (const char* file :
       {"config.toml", "metrics.csv", "eval.csv", "diagnostics.csv", "timing.csv", "replay"})
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(run) / file)) << file;

  const test::JsonValue json = json_of({"eval", run, "--episodes", "3", "--json"});
  EXPECT_EQ(json["step"].number, 40);
  EXPECT_EQ(json["evaluation"][0]["episodes"].number, 3);
  // The same policy, the same initial states.
  EXPECT_EQ(mneme_tool({"eval", run}).out, mneme_tool({"eval", run}).out);

  const std::string policy = directory_ / "policy.pt";
  EXPECT_EQ(mneme_tool({"export", run, policy}).code, kDone);
  EXPECT_GT(std::filesystem::file_size(policy), 1000U);
  EXPECT_EQ(mneme_tool({"export", run, "/nonexistent/policy.pt"}).code, kFailed);

  // The policy in `envs play`: the same returns as `eval` would have for those initial states.
  const test::JsonValue played = json_of(
      {"envs", "play", "dummy/count:limit=9", "--policy", run, "--episodes", "2", "--json"});
  EXPECT_EQ(played["tasks"][0]["returns"].size(), 2U);
  EXPECT_EQ(mneme_tool({"envs", "play", "dummy/count", "--policy", "clever"}).code, kUsage);

  // A run that is over has nothing left to do, and says the same again.
  const Answer again = mneme_tool({"train", "--resume", run});
  EXPECT_EQ(again.code, kDone) << again.err;
  MNEME_EXPECT_SAYS(again.out, "dummy/count");
  const test::JsonValue same = json_of({"train", "--resume", run, "--json"});
  EXPECT_GT(same["timing"]["update"].number, 0);
  EXPECT_LT(same["timing"]["sampling"].number, same["seconds"].number);
}

TEST_F(TrainCommand, FlagsAreSettings) {
  const test::JsonValue json = json_of(command(
      "never", {"--settings", "--utd", "1/4", "--n-step", "3", "--actor-sampler", "uniform"}));
  EXPECT_EQ(json["settings"]["utd"].text, "0.25");
  EXPECT_EQ(json["settings"]["n_step"].text, "3");
  EXPECT_EQ(json["settings"]["actor_sampler"].text, "uniform");
  EXPECT_EQ(json["settings"]["steps"].text, "40");
  EXPECT_EQ(json["settings"]["capacity"].text, "1000");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "never"));
}

TEST_F(TrainCommand, SaysWhatIsWrong) {
  const auto complaint = [](const std::vector<std::string>& words) {
    const Answer answer = mneme_tool(words);
    EXPECT_NE(answer.code, kDone);
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  MNEME_EXPECT_SAYS(complaint({"train"}), "which agent?");
  MNEME_EXPECT_SAYS(complaint({"train", "simbav3", "dummy/count"}), "did you mean 'simbav2'");
  MNEME_EXPECT_SAYS(complaint({"train", "simbav2"}), "no task given");
  MNEME_EXPECT_SAYS(complaint(command("a", {"--preset", "huge"})), "laptop");
  MNEME_EXPECT_SAYS(complaint(command("a", {"--sampler", "unifrom"})), "did you mean 'uniform'");
  MNEME_EXPECT_SAYS(complaint(command("a", {"--sampler", "unifrom", "--settings"})),
                    "did you mean 'uniform'");
  MNEME_EXPECT_SAYS(complaint(command("a", {"--actor-sampler", "per"})),
                    "choose a sampler without priorities");
  MNEME_EXPECT_SAYS(complaint(command("a", {"--set", "critic_widht=3"})), "critic_width");
  MNEME_EXPECT_SAYS(complaint(command("a", {"--set", "critic_width"})), "name=value");
  MNEME_EXPECT_SAYS(complaint({"train", "simbav2", "dummy/count", "--steps", "many"}),
                    "whole number");
  MNEME_EXPECT_SAYS(complaint(command("a", {"--set", "batch_size=100"})), "learning_starts");
  MNEME_EXPECT_SAYS(complaint({"train", "--resume", directory_ / "none"}), "config.toml");
  MNEME_EXPECT_SAYS(complaint({"eval", directory_ / "none"}), "config.toml");
  MNEME_EXPECT_SAYS(complaint(command("a", {"--device", "gpu"})), "cpu, cuda or cuda:N");
  const std::vector<std::string> endless{"--set", "steps=1000000000000", "--set",
                                         "capacity=1000000000000"};
  std::vector<std::string> in_memory = endless;
  in_memory.insert(in_memory.end(), {"--replay", "memory"});
  MNEME_EXPECT_SAYS(complaint(command("a", endless)), "on the disk of");
  MNEME_EXPECT_SAYS(complaint(command("a", in_memory)), "of memory and");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "a"));
  EXPECT_EQ(mneme_tool(command("b")).code, kDone);
  MNEME_EXPECT_SAYS(complaint({"train", "--resume", directory_ / "b", "--steps", "5"}),
                    "takes no settings");
  MNEME_EXPECT_SAYS(complaint(command("b")), "--resume");
  for (const char* option : {"--seed", "--device", "--threads", "--replay", "--preset", "--out"})
    MNEME_EXPECT_SAYS(complaint({"train", "--resume", directory_ / "b", option,
                                 std::string(option) == "--replay" ? "disk" : "1"}),
                      "--resume takes no");
  for (const char* seed : {"-1", "1.5", "9223372036854775808", "18446744073709551616", "x", "",
                           "99999999999999999999999"}) {
    MNEME_EXPECT_SAYS(complaint({"train", "simbav2", "dummy/count", "--seed", seed}), "--seed");
    MNEME_EXPECT_SAYS(complaint({"eval", directory_ / "b", "--seed", seed}), "--seed");
  }
  for (const char* minutes : {"nan", "inf", "-1", "0", "1e999", "x"})
    MNEME_EXPECT_SAYS(
        complaint({"train", "simbav2", "dummy/count", "--checkpoint-minutes", minutes}),
        "must be a number above 0");
}

}  // namespace
}  // namespace mneme::lab
