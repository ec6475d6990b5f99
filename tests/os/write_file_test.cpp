// tests/os/write_file_test.cpp - files appear whole or not at all, and only regular files are
// replaced.
#include "os/write_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "mneme/error.h"
#include "support/failing_disk.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

std::string text_in(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(WriteFile, ReplacesTextAndKeepsPermissions) {
  const TemporaryDirectory folder;
  const fs::path path = folder / "a.csv";
  write_file(path, "one");
  EXPECT_EQ(text_in(path), "one");
  EXPECT_EQ(fs::status(path).permissions() & fs::perms::owner_read, fs::perms::owner_read);
  fs::permissions(path, fs::perms(0640));
  write_file(path, "two");
  EXPECT_EQ(text_in(path), "two");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(WriteFile, MakesMissingFolders) {
  const TemporaryDirectory folder;
  write_file(folder / "deep/down/a.csv", "one");
  EXPECT_EQ(text_in(folder / "deep/down/a.csv"), "one");
}

TEST(WriteFile, RefusesDevicesFifosAndFolders) {
  const TemporaryDirectory folder;
  const fs::path fifo = folder / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const fs::path& path : {fs::path("/dev/null"), fs::path("/dev/full"), fifo, folder.path()})
    EXPECT_THROW(write_file(path, "text"), IoError) << path;
  EXPECT_THROW(write_file("", "text"), InvalidArgument);
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(WriteFile, FollowsSymbolicLinkAndKeepsIt) {
  const TemporaryDirectory folder;
  write_file(folder / "real.csv", "one");
  fs::create_symlink("real.csv", folder / "link.csv");
  write_file(folder / "link.csv", "two");
  EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
  EXPECT_EQ(text_in(folder / "real.csv"), "two");
  fs::create_symlink("/dev/full", folder / "full");
  EXPECT_THROW(write_file(folder / "full", "text"), IoError);
}

TEST(WriteFile, FailedWriterLeavesOldFileAndNothingElse) {
  const TemporaryDirectory folder;
  write_file(folder / "a.pt", "old");
  EXPECT_THROW(write_file_with(folder / "a.pt",
                               [](const fs::path& file) {
                                 std::ofstream(file) << "half";
                                 throw IoError("the writer failed");
                               }),
               IoError);
  EXPECT_EQ(text_in(folder / "a.pt"), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

}  // namespace
}  // namespace mneme::lab
