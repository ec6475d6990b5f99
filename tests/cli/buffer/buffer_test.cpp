// tests/cli/buffer/buffer_test.cpp - `mneme buffer`: info, verify, export, and what they refuse.
#include "mneme/replay_buffer.h"
#include "support/failing_disk.h"
#include "support/play.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

class BufferCommand : public ::testing::Test {
 protected:
  BufferCommand() : path_(directory_ / "replay") {
    ReplayBuffer buffer({.observation = {3},
                         .action = {2},
                         .capacity = 50,
                         .streams = 2,
                         .sampler = "per",
                         .seed = 1,
                         .path = path_});
    buffer.add_reader("actor", {});
    testing::play(buffer, 1, 0, 300);
    buffer.close();
  }
  testing::TemporaryDirectory directory_;
  std::string path_;
};

TEST_F(BufferCommand, InfoSaysWhatIsThere) {
  const Answer answer = mneme_tool({"buffer", "info", path_});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  MNEME_EXPECT_SAYS(answer.out, "transitions 100 of 100");
  MNEME_EXPECT_SAYS(answer.out, "streams 2 of 50, 50 to 50 stored");
  MNEME_EXPECT_SAYS(answer.out, "ever added 300");
  MNEME_EXPECT_SAYS(answer.out, "observation 3 f32");
  MNEME_EXPECT_SAYS(answer.out, "other readers actor");
  const test::JsonValue json = json_of({"buffer", "info", path_});
  EXPECT_EQ(json["transitions"].number, 100);
  EXPECT_EQ(json["sampler"].text, "per");
  EXPECT_EQ(json["sizes"].size(), 2U);
}

TEST_F(BufferCommand, VerifyFindsDamage) {
  EXPECT_EQ(mneme_tool({"buffer", "verify", path_}).code, kDone);
  const std::string segment = path_ + "/observations-000000.segment";
  std::vector<char> bytes = testing::bytes_of(segment);
  for (std::size_t k = 4096; k < bytes.size(); k += 97) bytes[k] = static_cast<char>(~bytes[k]);
  testing::write_bytes(segment, bytes);
  const Answer answer = mneme_tool({"buffer", "verify", path_});
  EXPECT_EQ(answer.code, kFailed);
  EXPECT_EQ(answer.out, "");
  MNEME_EXPECT_SAYS(answer.err, "checksum does not fit");
  EXPECT_EQ(mneme_tool({"buffer", "info", path_}).code, kDone);  // the manifest is whole
}

TEST_F(BufferCommand, ExportWritesColumns) {
  const std::string columns = directory_ / "columns";
  const Answer answer = mneme_tool({"buffer", "export", path_, columns});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  MNEME_EXPECT_SAYS(answer.out, columns + "/next_observation.npy");
  EXPECT_EQ(mneme_tool({"buffer", "export", path_, columns}).code, kFailed);
}

TEST_F(BufferCommand, WrongPathsAreNamed) {
  const Answer answer = mneme_tool({"buffer", "info", directory_ / "nothing"});
  EXPECT_EQ(answer.code, kFailed);
  MNEME_EXPECT_SAYS(answer.err, "is not a directory");
  expect_refused({"buffer", "info"}, {"path"});
}

}  // namespace
}  // namespace mneme::lab
