// tests/run/event_file_test.cpp - event files byte by byte; that the real TensorBoard reads
// them is events_in_tensorboard.py's to see.
#include "run/event_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/crc32c.h"
#include "mneme/error.h"
#include "support/failing_disk.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The records of a file, checksums checked.
std::vector<std::string> records(const std::string& bytes) {
  std::vector<std::string> all;
  const auto sum_at = [&](std::size_t at, std::size_t of, std::size_t size) {
    std::uint32_t stored = 0;
    std::memcpy(&stored, bytes.data() + at, sizeof stored);
    const std::uint32_t sum = crc32c(0, bytes.data() + of, size);
    EXPECT_EQ(stored, ((sum >> 15) | (sum << 17)) + 0xa282ead8U);
  };
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at, sizeof size);
    sum_at(at + 8, at, 8);
    sum_at(at + 12 + size, at + 12, size);
    all.push_back(bytes.substr(at + 12, size));
    at += size + 16;
  }
  return all;
}

TEST(EventFile, BeginsAsEveryEventFileDoes) {
  TemporaryDirectory directory;
  const EventFile file(directory / "tensorboard", 0);
  const std::string bytes = content(file.path());
  // 24 bytes follow, with the masked sum of that length: what TensorFlow's own files begin with.
  EXPECT_EQ(bytes.substr(0, 12), std::string("\x18\0\0\0\0\0\0\0\xa3\x7fK\"", 12));
  const std::vector<std::string> all = records(bytes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].substr(9),
            "\x1a\x0d"
            "brain.Event:2");
}

TEST(EventFile, AScalarIsATagAndAFloat) {
  TemporaryDirectory directory;
  EventFile file(directory / "tensorboard", 0);
  file.add(300, {{"score/x", 0.5}});
  file.add(301, {});  // nothing to say
  const std::vector<std::string> all = records(content(file.path()));
  ASSERT_EQ(all.size(), 2U);
  // step 300; summary of 16 bytes; value of 14: tag of 7, simple_value 0.5
  EXPECT_EQ(all[1].substr(9),
            std::string("\x10\xac\x02\x2a\x10\x0a\x0e\x0a\x07score/x\x15\0\0\0?", 21));
}

TEST(EventFile, AResumedRunBeginsALaterFileWithTheMarkOfASession) {
  TemporaryDirectory directory;
  std::set<fs::path> paths;
  fs::path last;
  for (int resumed = 0; resumed < 4; ++resumed) {  // all within a second
    const EventFile file(directory / "tensorboard", 100 * resumed);
    EXPECT_GT(file.path(), last);
    last = file.path();
    paths.insert(last);
    EXPECT_EQ(records(content(last)).size(), resumed == 0 ? 1U : 2U);
  }
  EXPECT_EQ(paths.size(), 4U);
  // step 300, session_log with status START
  EXPECT_EQ(records(content(last))[1].substr(9), "\x10\xac\x02\x3a\x02\x08\x01");
}

TEST(EventFile, AFolderThatCannotBeMadeIsSaid) {
  TemporaryDirectory directory;
  std::ofstream(directory / "file") << "x";
  EXPECT_THROW(EventFile(directory / "file", 0), IoError);
}

}  // namespace
}  // namespace mneme::lab
