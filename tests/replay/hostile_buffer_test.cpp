// tests/replay/hostile_buffer_test.cpp - field names that would be paths, invalid UTF-8, exports that
// fail in the middle.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "mneme/buffer_files.h"
#include "mneme/error.h"
#include "replay/saved_state.h"
#include "support/failing_disk.h"
#include "support/play.h"

namespace mneme {
namespace {

using testing::TemporaryDirectory;

ReplayConfig with_field(const std::string& name) {
  return {.observation = {1}, .action = {1}, .capacity = 8, .fields = {{name, {}}}};
}

const std::vector<std::string> kBadNames{"",
                                         "/abs",
                                         "../evil",
                                         "a/b",
                                         "..",
                                         ".hidden",
                                         "-option",
                                         "a b",
                                         "a\n",
                                         std::string("nul\0byte", 8),
                                         "\xff\xfe",
                                         "end",
                                         "sequence",
                                         "age",
                                         "reward",
                                         std::string(65, 'x'),
                                         "na\xc3\xafve"};

TEST(FieldNames, AreRefusedWhereTheyWouldBePathsOrReserved) {
  for (const std::string& name : kBadNames) {
    EXPECT_THROW(ReplayBuffer(with_field(name)), InvalidArgument) << name;
  }
  for (const char* name : {"log_prob", "info.success", "goal-2", "_x", "2d"})
    EXPECT_NO_THROW(ReplayBuffer(with_field(name))) << name;
}

TEST(FieldNames, AreCheckedInAForeignManifest) {
  for (const std::string& name : kBadNames) {
    SavedState state;
    state.config = with_field(name);
    state.readers.emplace_back();
    EXPECT_THROW(decode_state(encode_state(state)), CorruptData) << name;
  }
  SavedState state;
  state.config = with_field("fine");
  state.readers.emplace_back();
  EXPECT_NO_THROW(decode_state(encode_state(state)));
  state.readers.emplace_back().name = "\xff";
  EXPECT_THROW(decode_state(encode_state(state)), CorruptData);
  state.readers.back().name = "actor";
  state.config.sampler = "uni\xc3(form";
  EXPECT_THROW(decode_state(encode_state(state)), CorruptData);
}

class Export : public ::testing::Test {
 protected:
  Export() {
    ReplayBuffer buffer(
        {.observation = {64}, .action = {1}, .capacity = 4000, .path = (directory_ / "buffer")});
    const std::vector<float> observation(64, 1.0f), action(1);
    for (int t = 0; t < 4000; ++t)
      buffer.add({.observation = observation,
                  .action = action,
                  .reward = 0,
                  .next_observation = observation});
    buffer.close();
  }
  std::size_t entries(const std::filesystem::path& path) const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }
  TemporaryDirectory directory_;
};

// As on a full disk: files cannot grow beyond a limit.
TEST_F(Export, FailedInTheMiddleLeavesNoFiles) {
  const std::string out = directory_ / "out", kept = directory_ / "kept";
  std::filesystem::create_directory(kept);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit low = old;
  low.rlim_cur = 300'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  EXPECT_THROW(export_buffer(directory_ / "buffer", out), IoError);
  EXPECT_THROW(export_buffer(directory_ / "buffer", kept), IoError);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(std::filesystem::exists(out));  // made for the export
  EXPECT_TRUE(std::filesystem::exists(kept));  // was there before
  EXPECT_EQ(entries(kept), 0u);
  EXPECT_EQ(export_buffer(directory_ / "buffer", kept).size(), 7u);  // control: it works
  EXPECT_EQ(entries(kept), 7u);
}

TEST_F(Export, NeverWritesOverAFileOrThroughALink) {
  const std::string out = directory_ / "out";
  std::filesystem::create_directory(out);
  std::filesystem::create_symlink(directory_ / "elsewhere", out + "/stream.npy");
  EXPECT_THROW(export_buffer(directory_ / "buffer", out), IoError);
  EXPECT_EQ(entries(out), 1u);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "elsewhere"));
}

}  // namespace
}  // namespace mneme
