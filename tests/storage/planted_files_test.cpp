// tests/storage/planted_files_test.cpp - links, FIFOs and forged manifests in a buffer's directory.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

#include "mneme/error.h"
#include "storage/archive.h"
#include "support/failing_disk.h"

namespace mneme {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

class PlantedFiles : public ::testing::Test {
 protected:
  PlantedFiles() : path_(directory_ / "buffer"), victim_(directory_ / "victim") {
    std::ofstream(victim_) << kPrecious;
    auto archive = Archive::create(Disk::real(), path_, StreamStore::shape_for(layout_, 1, 8));
    commit(*archive);
  }

  void commit(Archive& archive) {
    StreamStore store(layout_, 1, 8, archive.blocks());
    archive.commit(store, {}, Archive::Rows::in_place);
  }
  void plant_link(const fs::path& at) {
    fs::remove(at);
    fs::create_symlink(victim_, at);
  }
  void expect_victim_untouched() const {
    const std::vector<char> bytes = testing::bytes_of(victim_);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), kPrecious);
  }

  static constexpr const char* kPrecious = "do not touch";
  RowLayout layout_{{1}, {1}, {}};
  TemporaryDirectory directory_;
  fs::path path_, victim_;
};

TEST_F(PlantedFiles, LockThatIsALinkLeavesItsTargetAlone) {
  plant_link(path_ / "lock");
  commit(*Archive::open(Disk::real(), path_));
  expect_victim_untouched();
  // The same for a second name of the file.
  fs::remove(path_ / "lock");
  fs::create_hard_link(victim_, path_ / "lock");
  commit(*Archive::open(Disk::real(), path_));
  expect_victim_untouched();
}

TEST_F(PlantedFiles, TemporaryManifestThatIsALinkLeavesItsTargetAlone) {
  plant_link(path_ / "manifest.new");
  commit(*Archive::open(Disk::real(), path_));
  expect_victim_untouched();
}

TEST_F(PlantedFiles, NewSegmentWhereALinkIsLeavesItsTargetAlone) {
  plant_link(path_ / "observations-000000.segment");
  auto archive = Archive::open(Disk::real(), path_);  // it has no segment yet
  StreamStore store(layout_, 1, 8, archive->blocks());
  const float number = 1;
  std::vector<std::byte> side(layout_.side_stride);
  store.append(0, {&number, &number, side.data(), End::none});
  archive->commit(store, {}, Archive::Rows::in_place);
  expect_victim_untouched();
}

TEST_F(PlantedFiles, ManifestThatIsNotARegularFileIsRefused) {
  const fs::path manifest = path_ / "manifest";
  fs::rename(manifest, directory_ / "real");
  fs::create_symlink(directory_ / "real", manifest);
  EXPECT_THROW(Archive::open(Disk::real(), path_), IoError);
  fs::remove(manifest);
  ASSERT_EQ(mkfifo(manifest.c_str(), 0600), 0);
  EXPECT_THROW(Archive::open(Disk::real(), path_), IoError);  // at once: nothing writes to it
  fs::remove(manifest);
  fs::create_directory(manifest);
  EXPECT_THROW(Archive::open(Disk::real(), path_), IoError);
}

TEST_F(PlantedFiles, LockThatIsAFifoDoesNotBlock) {
  fs::remove(path_ / "lock");
  ASSERT_EQ(mkfifo((path_ / "lock").c_str(), 0600), 0);
  const auto archive = Archive::open(Disk::real(), path_, Archive::Access::read);
  EXPECT_THROW(Archive::open(Disk::real(), path_), IoError);  // it is open: its holder is unknown
}

TEST_F(PlantedFiles, CommitDoesNotReplaceWhatIsNotARegularFile) {
  auto archive = Archive::open(Disk::real(), path_);
  plant_link(path_ / "manifest");
  EXPECT_THROW(commit(*archive), IoError);
  EXPECT_TRUE(fs::is_symlink(path_ / "manifest"));
  expect_victim_untouched();
}

// Three gigabytes that take no room on the disk, and would take it all in memory.
TEST_F(PlantedFiles, SparseManifestIsRefusedByItsHeader) {
  fs::resize_file(path_ / "manifest", std::uintmax_t{3} << 30);
  try {
    read_manifest(path_);
    FAIL() << "was read";
  } catch (const CorruptData& error) {
    EXPECT_NE(std::string(error.what()).find("truncated or added to"), std::string::npos)
        << error.what();
  }
  std::ofstream(path_ / "manifest", std::ios::trunc).close();
  fs::resize_file(path_ / "manifest", std::uintmax_t{3} << 30);
  EXPECT_THROW(read_manifest(path_), CorruptData);  // no magic
}

}  // namespace
}  // namespace mneme
