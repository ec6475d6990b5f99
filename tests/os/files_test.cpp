// tests/os/files_test.cpp - files read, replaced and removed, with links and other traps in the way.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "mneme/error.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/remove.h"
#include "os/temp_dir.h"
#include "os/toml_limits.h"
#include "support/failing_disk.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

constexpr std::array<std::string_view, 4> kPatterns{"marker", "*.csv", "sub/state-*", "sub/deep/x"};
constexpr KnownFiles kKnown{"marker", kPatterns};

void make_file(const fs::path& path, const std::string& text = "text") {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

TEST(ReadFile, ReadsRegularFilesOnly) {
  const TemporaryDirectory directory;
  make_file(directory / "a", std::string(100'000, 'a'));
  EXPECT_EQ(read_file(directory / "a"), std::string(100'000, 'a'));
  EXPECT_THROW(read_file(directory / "a", 99'999), IoError);
  EXPECT_THROW(read_file(directory / "none"), IoError);
  EXPECT_EQ(read_file_if_present(directory / "none"), std::nullopt);
  EXPECT_THROW(read_file(directory.path()), IoError);
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  EXPECT_THROW(read_file(directory / "fifo"), IoError);  // and does not wait for a writer
  EXPECT_THROW(read_file("/dev/zero"), IoError);
}

TEST(WriteFile, ReplacesRegularFilesAndNothingElse) {
  const TemporaryDirectory directory;
  const fs::path a = directory / "a";
  write_file(directory / "new" / "deep" / "a", "made");
  EXPECT_EQ(read_file(directory / "new" / "deep" / "a"), "made");
  make_file(a);
  fs::permissions(a, fs::perms::owner_read | fs::perms::owner_write);
  write_file(a, "second");
  EXPECT_EQ(read_file(a), "second");
  EXPECT_EQ(fs::status(a).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  // A link the user made: the file it points to is replaced, the link stays.
  fs::create_symlink(a, directory / "link");
  write_file(directory / "link", "third");
  EXPECT_TRUE(fs::is_symlink(directory / "link"));
  EXPECT_EQ(read_file(a), "third");
  EXPECT_THROW(write_file(directory / "new", "x"), IoError);
  fs::create_symlink(directory / "nowhere", directory / "broken");
  EXPECT_THROW(write_file(directory / "broken", "x"), IoError);
  // A device stays one.
  write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(NewFile("/dev/null"), IoError);
}

// What an attacker plants under the names that temporary files could have.
TEST(NewFile, LeavesNothingWithoutCommitAndFollowsNoPlantedName) {
  const TemporaryDirectory directory;
  make_file(directory / "a", "old");
  make_file(directory / "a.part", "mine");
  make_file(directory / "a.new", "mine too");
  {
    NewFile file(directory / "a");
    file.write("half", 4);
    EXPECT_EQ(file.temporary().parent_path(), directory.path());
  }
  EXPECT_EQ(read_file(directory / "a"), "old");
  write_file(directory / "a", "new");
  EXPECT_EQ(read_file(directory / "a.part"), "mine");
  EXPECT_EQ(read_file(directory / "a.new"), "mine too");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 3);
  // Something else in its place by the time it is done.
  NewFile file(directory / "b");
  fs::create_directory(directory / "b");
  EXPECT_THROW(file.commit(), IoError);
}

TEST(OpenRegular, RefusesLinksAndSpecialFiles) {
  const TemporaryDirectory directory;
  make_file(directory / "victim");
  fs::create_symlink(directory / "victim", directory / "link");
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  for (const OpenFor purpose : {OpenFor::append, OpenFor::update, OpenFor::create_new}) {
    EXPECT_THROW(open_regular(directory / "link", purpose), IoError);
    EXPECT_THROW(open_regular(directory / "fifo", purpose), IoError);
  }
  EXPECT_THROW(open_regular(directory / "victim", OpenFor::create_new), IoError);
  EXPECT_THROW(truncate_file(directory / "link", 0), IoError);
  EXPECT_THROW(truncate_file(directory / "victim", 10), IoError);
  truncate_file(directory / "victim", 2);
  EXPECT_EQ(read_file(directory / "victim"), "te");
}

TEST(IsInside, FollowsLinks) {
  const TemporaryDirectory directory;
  fs::create_directories(directory / "in" / "a");
  fs::create_directories(directory / "out");
  fs::create_directory_symlink(directory / "out", directory / "in" / "link");
  EXPECT_TRUE(is_inside(directory / "in" / "a", directory / "in"));
  EXPECT_TRUE(is_inside(directory / "in" / "missing", directory / "in"));
  EXPECT_FALSE(is_inside(directory / "in", directory / "in"));
  EXPECT_FALSE(is_inside(directory / "in" / ".." / "out", directory / "in"));
  EXPECT_FALSE(is_inside(directory / "in" / "link", directory / "in"));
  EXPECT_FALSE(is_inside(directory / "in2", directory / "in"));
}

TEST(RemoveKnown, RemovesKnownFilesAndKeepsTheRest) {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  for (const char* name : {"marker", "a.csv", "b.csv", "sub/state-1", "sub/deep/x"})
    make_file(run / name);
  const Contents all = contents_of(run, kKnown);
  EXPECT_EQ(all.known.size(), 5U);
  EXPECT_EQ(all.bytes, 20U);
  EXPECT_TRUE(all.marked);
  EXPECT_TRUE(remove_known(run, kKnown));
  EXPECT_FALSE(fs::exists(run));

  for (const char* name :
       {"marker", "a.csv", "notes.txt", "sub/state-1", "sub/mine", "other/a.csv"})
    make_file(run / name);
  EXPECT_EQ(contents_of(run, kKnown).unknown,
            (std::vector<std::string>{"notes.txt", "other", "sub/mine"}));
  EXPECT_FALSE(remove_known(run, kKnown));
  EXPECT_FALSE(fs::exists(run / "marker"));
  EXPECT_FALSE(fs::exists(run / "sub/state-1"));
  for (const char* name : {"notes.txt", "sub/mine", "other/a.csv"})
    EXPECT_TRUE(fs::exists(run / name)) << name;
}

TEST(RemoveKnown, RefusesWithoutItsMarker) {
  const TemporaryDirectory directory;
  make_file(directory / "home" / "a.csv");
  EXPECT_THROW(remove_known(directory / "home", kKnown), InvalidArgument);
  make_file(directory / "elsewhere");
  fs::create_symlink(directory / "elsewhere", directory / "home" / "marker");
  EXPECT_THROW(remove_known(directory / "home", kKnown), InvalidArgument);
  EXPECT_TRUE(fs::exists(directory / "home" / "a.csv"));
  EXPECT_THROW(remove_known(directory / "none", kKnown), IoError);
}

TEST(RemoveKnown, FollowsNoLink) {
  const TemporaryDirectory directory;
  for (const char* name : {"run/marker", "victim/state-1", "victim/marker", "victim/a.csv"})
    make_file(directory / name);
  fs::create_directory_symlink(directory / "victim", directory / "run" / "sub");
  fs::create_symlink(directory / "victim" / "a.csv", directory / "run" / "a.csv");
  EXPECT_FALSE(remove_known(directory / "run", kKnown));
  EXPECT_TRUE(fs::exists(directory / "victim" / "state-1"));
  EXPECT_TRUE(fs::exists(directory / "victim" / "a.csv"));
  fs::create_directory_symlink(directory / "victim", directory / "link");
  EXPECT_THROW(remove_known(directory / "link", kKnown), IoError);
  EXPECT_TRUE(fs::exists(directory / "victim" / "marker"));
}

TEST(RemoveMarkedDirectory, NeedsTheMarkerAndFollowsNoLink) {
  const TemporaryDirectory directory;
  const fs::path venv = directory / "venv";
  make_file(venv / "bin" / "python");
  make_file(directory / "victim" / "file");
  EXPECT_THROW(remove_marked_directory(venv, venv / "pyvenv.cfg"), InvalidArgument);
  make_file(directory / "far" / "pyvenv.cfg");
  EXPECT_THROW(remove_marked_directory(venv, directory / "far" / "pyvenv.cfg"), InvalidArgument);
  make_file(venv / "pyvenv.cfg");
  fs::create_directory_symlink(directory / "victim", venv / "lib64");
  EXPECT_TRUE(remove_marked_directory(venv, venv / "pyvenv.cfg"));
  EXPECT_FALSE(fs::exists(venv));
  EXPECT_TRUE(fs::exists(directory / "victim" / "file"));
  EXPECT_FALSE(remove_marked_directory(venv, venv / "pyvenv.cfg"));
}

TEST(TempDir, IsPrivateAndGone) {
  fs::path path;
  {
    const TempDir directory("mneme-test");
    path = directory.path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    make_file(path / "deep" / "er" / "file");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(DirectoryLock, IsExclusiveAndSeesAReplacedDirectory) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "run");
  {
    const DirectoryLock lock(directory / "run");
    EXPECT_THROW(DirectoryLock(directory / "run"), IoError);
    EXPECT_TRUE(lock.still_there());
    fs::rename(directory / "run", directory / "moved");
    fs::create_directory(directory / "run");
    EXPECT_FALSE(lock.still_there());
  }
  const DirectoryLock lock(directory / "moved");
  EXPECT_THROW(DirectoryLock(directory / "none"), IoError);
}

TEST(TomlLimits, CountKeysAndBracketsOutsideStringsAndComments) {
  check_toml_limits("a.b.c = [1.5, 2.5, 3.5]  # " + std::string(1000, '.') + "\nb = \"" +
                    std::string(1000, '[') + "\"\nc = '''" + std::string(1000, '{') + "'''\n");
  std::string numbers = "a = [";
  for (int n = 0; n < 1000; ++n) numbers += "0.5, ";
  check_toml_limits(numbers + "]");
  std::string tables;
  for (int n = 0; n < 1000; ++n) tables += "[[part]]\nx = {a = 1}\n";
  check_toml_limits(tables);
  std::string dotted = "a";
  for (int n = 0; n < 40; ++n) dotted += n % 2 == 0 ? ".\"b\"" : " . c";
  EXPECT_THROW(check_toml_limits(dotted + " = 1"), InvalidArgument);
  EXPECT_THROW(check_toml_limits("a = " + std::string(33, '[')), InvalidArgument);
  EXPECT_THROW(check_toml_limits("a = \"open\nb = " + std::string(33, '{')), InvalidArgument);
}

}  // namespace
}  // namespace mneme::lab
