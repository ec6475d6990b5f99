// tests/replay/stream_order_test.cpp - positions by stream: every one once, in the order a stable
// sort gives.
#include "replay/stream_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "mneme/rng.h"

namespace mneme {
namespace {

using Groups = std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>>;

Groups counted(StreamOrder& order, const std::vector<std::size_t>& streams) {
  Groups groups;
  order.each(
      streams.size(), [&](std::size_t k) { return streams[k]; },
      [&](std::size_t stream, std::span<const std::uint32_t> positions) {
        groups.push_back({stream, {positions.begin(), positions.end()}});
      });
  return groups;
}

Groups sorted(const std::vector<std::size_t>& streams) {
  std::vector<std::uint32_t> order(streams.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return streams[a] < streams[b]; });
  Groups groups;
  for (const std::uint32_t k : order) {
    if (groups.empty() || groups.back().first != streams[k]) groups.push_back({streams[k], {}});
    groups.back().second.push_back(k);
  }
  return groups;
}

TEST(StreamOrder, IsThatOfAStableSort) {
  Rng rng(7);
  for (const std::size_t count : {1, 2, 3, 20, 500}) {
    StreamOrder order(static_cast<Index>(count));
    for (const std::size_t batch : {1, 300, 7, 64}) {  // larger and smaller than before
      std::vector<std::size_t> streams(batch);
      for (std::size_t& stream : streams) stream = rng.below(count);
      EXPECT_EQ(counted(order, streams), sorted(streams)) << count << " streams, " << batch;
    }
  }
}

TEST(StreamOrder, EmptyInputGivesEmptyOutput) {
  for (const Index streams : {1, 4}) {
    StreamOrder order(streams);
    EXPECT_TRUE(counted(order, {}).empty());
  }
}

}  // namespace
}  // namespace mneme
