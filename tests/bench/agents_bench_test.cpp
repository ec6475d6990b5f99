// tests/bench/agents_bench_test.cpp - which products are counted, and `mneme bench agents` as
// people type it.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "bench/agents/cases.h"
#include "mneme/error.h"
#include "support/failing_disk.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

// Multiplications per row of the batch, added up by hand from the widths of the layers.
TEST(AgentsBench, CountsTheProductsOfAnUpdate) {
  struct Wanted {
    std::string agent, part;
    double multiplications;
  };
  for (const Wanted& wanted : std::vector<Wanted>{{"fasttd3", "critic", 7'001'216},
                                                  {"fasttd3", "policy", 3'953'536},
                                                  {"simbav2", "update", 55'102'976},
                                                  {"brc", "update", 14'112'000}}) {
    const AgentCase one = agent_cases(wanted.agent, "paper").front();
    const auto config = one.config();
    bool found = false;
    for (const UpdatePart& part : update_parts(one, *config)) {
      if (part.name != wanted.part) continue;
      found = true;
      double operations = 0;
      for (const Product& product : part.products) operations += product.operations();
      EXPECT_DOUBLE_EQ(operations,
                       2 * static_cast<double>(config->run.batch_size) * wanted.multiplications)
          << wanted.agent;
    }
    EXPECT_TRUE(found) << wanted.agent;
  }
}

// BRC learns its task vectors through the first layer of both critics.
TEST(AgentsBench, CountsTheSlopesOfTaskVectors) {
  const AgentCase many = agent_cases("brc", "paper").back();
  ASSERT_GT(many.tasks, 1);
  AgentCase one = many;
  one.tasks = 1;
  const auto operations = [](const AgentCase& which) {
    const auto config = which.config();
    const std::vector<UpdatePart> parts = update_parts(which, *config);
    double sum = 0;
    for (const Product& product : parts.front().products) sum += product.operations();
    return sum / 2 / static_cast<double>(config->run.batch_size);
  };
  // 32 columns more in the first layers: three forward passes, the weights and the slope of both
  // critics; two forward passes and the weights of the actor.
  EXPECT_DOUBLE_EQ(operations(many) - operations(one), 32.0 * (512 * 2 * 5 + 256 * 3));
}

TEST(AgentsBench, RunsProductsOfEveryKind) {
  Products products({{Product::Of::output, 1, 3, 4, 5},
                     {Product::Of::weight_slope, 2, 5, 3, 4},
                     {Product::Of::input_slope, 1, 3, 5, 4}});
  products.run();
  EXPECT_DOUBLE_EQ(products.operations(), 2 * (60 + 120 + 60));
}

// Everything is measured, the original's side by a program that answers as one would.
TEST(AgentsBench, MeasuresUpdatesSamplersAndPeers) {
  testing::TemporaryDirectory directory;
  const std::string program = directory / "peer.sh", file = directory / "agents.json";
  std::ofstream(program) << R"(while read -r word task rest; do
  case "$word $task" in
    "task simbav2/update") echo "ok other 1.0" ;;
    task*) echo "no such agent" ;;
    run*) echo "ran 0.5 0.25" ;;
  esac
done
)";
  const test::JsonValue json =
      json_of({"bench", "agents", "--agent", "simbav2", "--size", "laptop", "--rounds", "2",
               "--peer", "other=sh " + program, "-o", file});
  std::ifstream in(file);
  EXPECT_EQ(test::parse_json(std::string{std::istreambuf_iterator<char>(in), {}})["rounds"].number,
            2);
  ASSERT_EQ(json["cases"].size(), 1U);
  const test::JsonValue& one = json["cases"][0];
  EXPECT_EQ(one["batch"].number, 128);
  EXPECT_GT(one["first_update_seconds"].number, 0);
  ASSERT_EQ(one["parts"].size(), 1U);
  const test::JsonValue& part = one["parts"][0];
  EXPECT_GT(part["ms"]["median"].number, 0);
  EXPECT_GT(part["floor_ms"]["median"].number, 0);
  ASSERT_EQ(part["originals"].size(), 1U);
  EXPECT_EQ(part["originals"][0]["version"].text, "other 1.0");
  EXPECT_DOUBLE_EQ(part["originals"][0]["ms"]["median"].number, 250);  // of the processor: 1 thread
  ASSERT_EQ(one["samplers"].size(), 4U);
  for (const auto& sampler : one["samplers"].members) {
    EXPECT_GT(sampler.second["sampling_ms"]["median"].number, 0);
    EXPECT_GT(sampler.second["share"].number, 0);
    EXPECT_LT(sampler.second["share"].number, 1);
  }
}

TEST(AgentsBench, SaysWhatIsWrong) {
  const auto complaint = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"bench", "agents"});
    const Answer answer = mneme_tool(words);
    EXPECT_EQ(answer.code, kUsage);
    return answer.err;
  };
  MNEME_EXPECT_SAYS(complaint({"--agent", "simba"}), "simbav2");
  MNEME_EXPECT_SAYS(complaint({"--agent", "sac"}), "scripts/bench sac");
  MNEME_EXPECT_SAYS(complaint({"--size", "huge"}), "laptop");
  MNEME_EXPECT_SAYS(complaint({"--rounds", "0"}), "must be from 1");
  MNEME_EXPECT_SAYS(complaint({"--peer", "nothing"}), "NAME=COMMAND");
}

}  // namespace
}  // namespace mneme::lab
