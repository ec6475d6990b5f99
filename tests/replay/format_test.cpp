// tests/replay/format_test.cpp - directories written by every format version there has been open,
// and hold what they held.
//
// tests/replay/fixtures/buffer-vN was written by this very test: with MNEME_WRITE_FIXTURE set to a
// directory, it writes the fixture of the present version there instead of comparing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "mneme/buffer_files.h"
#include "mneme/replay_buffer.h"
#include "support/failing_disk.h"
#include "support/places.h"
#include "support/play.h"

namespace mneme {
namespace {

ReplayConfig config_for(const std::string& path) {
  return {.observation = {3},
          .action = {2},
          .capacity = 40,
          .streams = 2,
          .sampler = "per:alpha=0.7",
          .n_step = 2,
          .seed = 12,
          .path = path};
}

void fill(ReplayBuffer& buffer) {
  buffer.add_reader("actor", {.sampler = "truncated_geometric:alpha=4", .seed = 3});
  for (std::uint64_t scene = 0; scene < 3; ++scene) testing::play(buffer, 31, scene, 50);
}

TEST(Format, EveryVersionOpens) {
  if (const char* to = std::getenv("MNEME_WRITE_FIXTURE")) {
    ReplayBuffer buffer(config_for(to));
    fill(buffer);
    buffer.close();
    GTEST_SKIP() << "fixture written";
  }
  ReplayBuffer reference(config_for({}));
  fill(reference);
  for (const std::string version : {"buffer-v1"}) {
    const testing::TemporaryDirectory directory;
    const std::filesystem::path path = directory / version;
    std::filesystem::copy(
        std::filesystem::path(test::source_path("tests/replay/fixtures")) / version, path);
    EXPECT_GT(verify_buffer(path), 0U);
    ReplayBuffer opened = ReplayBuffer::open(path);
    EXPECT_EQ(opened.size(), reference.size());
    EXPECT_EQ(testing::next_batches(opened.reader()), testing::next_batches(reference.reader()));
    EXPECT_EQ(testing::next_batches(opened.reader("actor")),
              testing::next_batches(reference.reader("actor")));
  }
}

}  // namespace
}  // namespace mneme
