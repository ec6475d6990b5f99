// tests/cli/samplers/prioritized_test.cpp - `mneme inspect` and `densities` for samplers that draw by
// priorities.
#include <fstream>

#include "support/failing_disk.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

class Prioritized : public ::testing::Test {
 protected:
  std::string file_of(const std::string& text) {
    const std::string path = (directory_ / "priorities.txt").string();
    std::ofstream(path) << text;
    return path;
  }
  testing::TemporaryDirectory directory_;
};

TEST_F(Prioritized, WithoutPrioritiesTheReasonIsGiven) {
  for (const char* command : {"inspect", "densities"})
    expect_refused({command, "--sampler", "per", "--capacity", "9"},
                   {"per depends on TD errors, there is no closed form", "--priorities FILE"});
  expect_refused({"inspect", "--sampler", "prr", "--capacity", "9"}, {"did you mean 'per'?"});
}

TEST_F(Prioritized, WithPrioritiesInspectFollowsTheFormula) {
  // alpha 1, eps 0: probabilities 1/8, 2/8, 5/8, the newest last.
  const test::JsonValue json = json_of({"inspect", "--sampler", "per:alpha=1,eps=0", "--capacity",
                                        "3", "--priorities", file_of("1\n2\n5\n")});
  EXPECT_NEAR(json["newest_probability"].number, 5 / 8.0, 1e-6);
  EXPECT_NEAR(json["oldest_probability"].number, 1 / 8.0, 1e-6);
  EXPECT_NEAR(json["expected_recency"].number, (2 * 0.5 + 5) / 8.0, 1e-6);
}

TEST_F(Prioritized, DensitiesTakePrioritizedSamplersBesideOthers) {
  const Answer answer = mneme_tool({"densities", "--sampler", "per", "uniform", "--capacity", "4",
                                    "--priorities", file_of("1\n1\n1\n4\n")});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  MNEME_EXPECT_SAYS(answer.out, "per");
}

TEST_F(Prioritized, MalformedPrioritiesAreNamedByTheirLine) {
  for (const char* text : {"1\n-1\n", "1\nnan\n", "1\n\n3\n", "1\ntwo\n", "1\n1e99\n"})
    expect_refused(
        {"inspect", "--sampler", "per", "--capacity", "2", "--priorities", file_of(text)},
        {"line 2", "one finite number of at least 0 per line"});
  expect_refused({"inspect", "--sampler", "per", "--capacity", "2", "--priorities", file_of("")},
                 {"no priority"});
  expect_refused({"inspect", "--sampler", "per", "--capacity", "2", "--priorities", file_of("1\n")},
                 {"--capacity must be the number of priorities, 1, got 2"});
  expect_refused(
      {"inspect", "--sampler", "uniform", "--capacity", "1", "--priorities", file_of("1\n")},
      {"--priorities is for samplers that draw by them"});
}

}  // namespace
}  // namespace mneme::lab
