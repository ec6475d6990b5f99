// tests/replay/presets_test.cpp - the published shapes, and that they make buffers.
#include "mneme/presets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mneme/error.h"

namespace mneme {
namespace {

TEST(Presets, HaveThePublishedShapes) {
  const ReplayConfig fast = replay_preset("fasttd3", {4}, {2}),
                     brc = replay_preset("brc", {4}, {2}),
                     simba = replay_preset("simbav2", {4}, {2});
  EXPECT_EQ(fast.streams * fast.capacity, 6'553'600);
  EXPECT_EQ(brc.streams * brc.capacity, 20'000'000);
  EXPECT_EQ(simba.streams * simba.capacity, 1'000'000);
  EXPECT_EQ(fast.observation.shape, (std::vector<Index>{4}));
}

// The shape holds where it shows: in a batch of FastTD3 every environment has the same share.
TEST(Presets, MakeBuffers) {
  for (const std::string& name : replay_presets()) {
    ReplayConfig config = replay_preset(name, {2}, {1});
    config.capacity = 50;  // the memory is not what is tested
    ReplayBuffer buffer(config);
    const auto streams = static_cast<std::size_t>(config.streams);
    const std::vector<float> rows(2 * streams), actions(streams);
    for (int t = 0; t < 3; ++t)
      buffer.add_all(
          {.observation = rows, .action = actions, .reward = actions, .next_observation = rows});
    Batch batch = buffer.make_batch(4 * streams);
    buffer.sample(batch);
    std::vector<int> shares(streams);
    for (const std::int32_t stream : batch.stream) ++shares[static_cast<std::size_t>(stream)];
    const bool equal = std::all_of(shares.begin(), shares.end(), [](int n) { return n == 4; });
    EXPECT_EQ(equal, name != "brc") << name;
  }
}

TEST(Presets, UnknownNamesListTheKnownOnes) {
  try {
    replay_preset("fastd3", {1}, {1});
    FAIL() << "an unknown preset";
  } catch (const NotFound& error) {
    for (const std::string& name : replay_presets())
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mneme
