// tests/storage/archive_test.cpp - what a commit promises: after a crash, a power loss, a full disk
// or a flipped bit, the last commit is there or the damage is named.
#include "storage/archive.h"

#include <gtest/gtest.h>

#include <cstring>

#include "mneme/error.h"
#include "support/failing_disk.h"

namespace mneme {
namespace {

using testing::FailingDisk;
using testing::PowerLossDisk;
using testing::TemporaryDirectory;

RowLayout small_layout() { return RowLayout({3}, {2}, {}); }

// Everything a reader could see of a store, row by row.
std::vector<char> content_of(const StreamStore& store) {
  std::vector<char> all;
  const auto add = [&](const void* data, std::size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    all.insert(all.end(), at, at + bytes);
  };
  for (Index s = 0; s < store.streams(); ++s) {
    const StreamState state = store.state(s);
    add(&state, sizeof state);
    for (std::uint64_t q = state.oldest; q < state.head; ++q) {
      const std::uint32_t word = store.end_word(store.side(s, q));
      add(store.observation(s, q), store.layout().observation_bytes);
      add(store.side(s, q), store.layout().side_stride);
      add(store.successor(s, q, word), store.layout().observation_bytes);
    }
  }
  return all;
}

// Rows that describe themselves, with ends, cuts by call and resets without notice.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : rng_(seed) {}
  void step(StreamStore& store) {
    const auto s = static_cast<Index>(rng_.below(static_cast<std::uint64_t>(store.streams())));
    if (rng_.below(40) == 0) {
      store.cut(s);
      next_[s] = fresh();
      return;
    }
    if (rng_.below(30) == 0) next_[s] = fresh();  // a reset without notice
    const std::vector<float> now = next_.count(s) ? next_[s] : fresh(), after = fresh();
    std::vector<std::byte> side(store.layout().side_stride);
    const float number = static_cast<float>(count_);
    std::memcpy(side.data() + store.layout().fields[RowLayout::kReward].offset, &number, 4);
    const End end = static_cast<End>(rng_.below(8) == 0 ? 1 + rng_.below(2) : 0);
    store.append(s, {now.data(), after.data(), side.data(), end});
    next_[s] = end == End::none ? after : fresh();
  }

 private:
  std::vector<float> fresh() {
    ++count_;
    return {static_cast<float>(count_), static_cast<float>(count_) / 3, -1};
  }
  Rng rng_;
  int count_ = 0;
  std::map<Index, std::vector<float>> next_;
};

constexpr std::size_t kSegment = 1 << 10;  // small: many files for few rows

struct Case {
  Index streams, capacity;
};
const std::vector<Case> kCases{{1, 1}, {1, 7}, {3, 50}, {2, 333}};

std::unique_ptr<StreamStore> on(Archive& archive, const Case& c) {
  return std::make_unique<StreamStore>(small_layout(), c.streams, c.capacity, archive.blocks());
}

std::vector<char> reopened(const std::filesystem::path& path, const Case& c,
                           std::uint64_t* commit = nullptr) {
  const auto archive = Archive::open(Disk::real(), path);
  const auto store = on(*archive, c);
  archive->restore(*store, Archive::Rows::in_place);
  if (commit != nullptr) *commit = archive->manifest().commit;
  return content_of(*store);
}

TEST(Archive, GivesBackWhatWasCommitted) {
  for (const Case& c : kCases) {
    const TemporaryDirectory directory;
    const std::filesystem::path path = directory / "buffer";
    const auto shape = StreamStore::shape_for(small_layout(), c.streams, c.capacity);
    auto archive = Archive::create(Disk::real(), path, shape, kSegment);
    auto store = on(*archive, c);
    Writer writer(7);
    Rng rng(8);
    std::vector<char> committed;
    for (int round = 0; round < 60; ++round) {
      for (std::uint64_t k = rng.below(2 * static_cast<std::uint64_t>(c.capacity) + 3); k > 0; --k)
        writer.step(*store);
      archive->commit(*store, {std::byte{1}, std::byte{2}}, Archive::Rows::in_place);
      committed = content_of(*store);
      for (std::uint64_t k = rng.below(9); k > 0; --k) writer.step(*store);  // not committed
      // As after kill -9: the object is gone, everything written is in the files.
      store.reset();
      archive.reset();
      EXPECT_EQ(reopened(path, c), committed) << "round " << round;
      archive = Archive::open(Disk::real(), path);
      EXPECT_EQ(archive->manifest().owner.size(), 2U);
      store = on(*archive, c);
      archive->restore(*store, Archive::Rows::in_place);
    }
    archive->verify();
  }
}

TEST(Archive, CopiesOfAStoreInMemoryGrowByWhatIsNew) {
  for (const Case& c : kCases) {
    const TemporaryDirectory directory;
    const std::filesystem::path path = directory / "buffer";
    StreamStore store(small_layout(), c.streams, c.capacity);
    Archive::create(Disk::real(), path,
                    StreamStore::shape_for(small_layout(), c.streams, c.capacity), kSegment)
        ->commit(store, {}, Archive::Rows::copied);
    Writer writer(9);
    Rng rng(10);
    for (int round = 0; round < 60; ++round) {
      for (std::uint64_t k = rng.below(static_cast<std::uint64_t>(c.capacity) + 3); k > 0; --k)
        writer.step(store);
      const auto since = rng.below(5) == 0 ? Archive::Since::nothing : Archive::Since::last_commit;
      Archive::open(Disk::real(), path)->commit(store, {}, Archive::Rows::copied, since);
      StreamStore again(small_layout(), c.streams, c.capacity);
      Archive::open(Disk::real(), path, Archive::Access::read)
          ->restore(again, Archive::Rows::copied);
      EXPECT_EQ(content_of(again), content_of(store));
      // and the copy continues as the original does
      Writer one(static_cast<std::uint64_t>(round)), other(static_cast<std::uint64_t>(round));
      for (int k = 0; k < 20; ++k) one.step(store), other.step(again);
      EXPECT_EQ(content_of(again), content_of(store));
    }
  }
}

// The machine stops at any moment: between two operations of a commit, or between commits.
TEST(Archive, SurvivesPowerLoss) {
  int checked = 0, older = 0;
  for (const Case& c : kCases) {
    const TemporaryDirectory directory;
    PowerLossDisk disk;
    auto archive =
        Archive::create(disk, directory / "buffer",
                        StreamStore::shape_for(small_layout(), c.streams, c.capacity), kSegment);
    auto store = on(*archive, c);
    Writer writer(11);
    Rng rng(12);
    std::map<std::uint64_t, std::vector<char>> contents;
    for (int round = 0; round < 80; ++round) {
      for (std::uint64_t k = rng.below(static_cast<std::uint64_t>(c.capacity) + 3); k > 0; --k)
        writer.step(*store);
      contents[archive->manifest().commit + 1] = content_of(*store);
      archive->commit(*store, {}, Archive::Rows::in_place);
      for (std::uint64_t k = rng.below(2 * static_cast<std::uint64_t>(c.capacity)); k > 0; --k)
        writer.step(*store);
      const std::filesystem::path lost = directory / ("lost" + std::to_string(round));
      disk.lose_power(directory / "buffer", lost, rng);
      std::uint64_t commit = 0;
      const std::vector<char> found = reopened(lost, c, &commit);
      EXPECT_EQ(found, contents[commit]);
      older += commit < archive->manifest().commit ? 1 : 0;
      ++checked;
      std::filesystem::remove_all(lost);
    }
  }
  EXPECT_EQ(checked, 320);
  EXPECT_EQ(older, 0);  // a commit that has returned is never taken back
}

// The same inside a commit: an operation is the last one before the machine stops.
class StoppingDisk : public PowerLossDisk {
 public:
  struct Stop {};
  int left = 1 << 30;
  int sync(int file) override {
    tick();
    return PowerLossDisk::sync(file);
  }
  int rename(const char* from, const char* to) override {
    tick();
    const int done = PowerLossDisk::rename(from, to);
    tick();
    return done;
  }
  ssize_t write(int file, const void* data, std::size_t bytes) override {
    tick();
    return PowerLossDisk::write(file, data, bytes);
  }

 private:
  void tick() {
    if (left-- <= 0) throw Stop{};
  }
};

TEST(Archive, SurvivesPowerLossInsideACommit) {
  int stopped = 0, older = 0, newer = 0;
  for (const Case& c : kCases) {
    for (int stop = 0; stop < 40; ++stop) {
      const TemporaryDirectory directory;
      StoppingDisk disk;
      auto archive =
          Archive::create(disk, directory / "buffer",
                          StreamStore::shape_for(small_layout(), c.streams, c.capacity), kSegment);
      auto store = on(*archive, c);
      Writer writer(static_cast<std::uint64_t>(13 + stop));
      Rng rng(static_cast<std::uint64_t>(14 + stop));
      std::vector<std::vector<char>> contents(1);
      for (int round = 0; round < 4; ++round) {
        for (std::uint64_t k = rng.below(2 * static_cast<std::uint64_t>(c.capacity)) + 1; k > 0;
             --k)
          writer.step(*store);
        contents.push_back(content_of(*store));
        if (round == 3) disk.left = stop / 2;
        try {
          archive->commit(*store, {}, Archive::Rows::in_place);
        } catch (const StoppingDisk::Stop&) {
          ++stopped;
        }
      }
      disk.lose_power(directory / "buffer", directory / "lost", rng);
      std::uint64_t commit = 0;
      const std::vector<char> found = reopened(directory / "lost", c, &commit);
      EXPECT_EQ(found, contents[commit]);
      EXPECT_TRUE(commit == 3 || commit == 4);
      ++(commit == 3 ? older : newer);
    }
  }
  EXPECT_GT(stopped, 20);
  EXPECT_GT(older, 10);
  EXPECT_GT(newer, 10);
}

TEST(Archive, FailedCommitLosesNothing) {
  using Fault = FailingDisk::Fault;
  const Case c{2, 60};
  for (const Fault fault : {Fault::full, Fault::short_write, Fault::sync, Fault::rename}) {
    for (int after = 0; after < 6; ++after) {
      const TemporaryDirectory directory;
      FailingDisk disk;
      auto archive =
          Archive::create(disk, directory / "buffer",
                          StreamStore::shape_for(small_layout(), c.streams, c.capacity), kSegment);
      auto store = on(*archive, c);
      Writer writer(15);
      for (int k = 0; k < 90; ++k) writer.step(*store);
      archive->commit(*store, {}, Archive::Rows::in_place);
      const std::vector<char> first = content_of(*store);
      const std::uint64_t done = archive->manifest().commit;

      disk.fail(fault, after);
      std::string said;
      try {
        for (int k = 0; k < 200; ++k) {
          const std::vector<char> before = content_of(*store);
          try {
            writer.step(*store);
          } catch (const IoError& error) {  // no room for a row: the store is as it was
            EXPECT_EQ(content_of(*store), before);
            said = error.what();
          }
        }
        archive->commit(*store, {}, Archive::Rows::in_place);
      } catch (const IoError& error) {
        said = error.what();
        EXPECT_EQ(archive->manifest().commit, done);
      }
      const bool committed = archive->manifest().commit > done;
      const std::vector<char> second = content_of(*store);
      EXPECT_TRUE(committed || fault != Fault::short_write) << said;
      EXPECT_TRUE(!disk.failed() || fault == Fault::short_write || !said.empty());
      if (!committed && fault != Fault::sync) {  // it can be tried again
        archive->commit(*store, {}, Archive::Rows::in_place);
        store.reset(), archive.reset();
        EXPECT_EQ(reopened(directory / "buffer", c), second);
      } else {
        store.reset(), archive.reset();
        std::uint64_t commit = 0;
        const std::vector<char> found = reopened(directory / "buffer", c, &commit);
        EXPECT_EQ(found, commit == done ? first : second);
      }
    }
  }
}

TEST(Archive, FailedSyncRefusesLaterCommits) {
  const TemporaryDirectory directory;
  FailingDisk disk;
  const Case c{1, 40};
  auto archive =
      Archive::create(disk, directory / "buffer",
                      StreamStore::shape_for(small_layout(), c.streams, c.capacity), kSegment);
  auto store = on(*archive, c);
  Writer writer(16);
  for (int k = 0; k < 30; ++k) writer.step(*store);
  disk.fail(FailingDisk::Fault::sync, 0);
  EXPECT_THROW(archive->commit(*store, {}, Archive::Rows::in_place), IoError);
  EXPECT_THROW(archive->commit(*store, {}, Archive::Rows::in_place), IoError);
}

// One bit of any file, anywhere: found when the archive is opened, or in no byte that matters.
TEST(Archive, FlippedBitsAreDetectedOrHarmless) {
  const Case c{2, 40};
  const TemporaryDirectory directory;
  std::vector<char> content;
  {
    auto archive =
        Archive::create(Disk::real(), directory / "buffer",
                        StreamStore::shape_for(small_layout(), c.streams, c.capacity), kSegment);
    auto store = on(*archive, c);
    Writer writer(17);
    for (int k = 0; k < 100; ++k) writer.step(*store);
    archive->commit(*store, {}, Archive::Rows::in_place);
    content = content_of(*store);
  }
  Rng rng(18);
  int found = 0, harmless = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "buffer")) {
    const std::vector<char> good = testing::bytes_of(entry.path());
    const bool manifest = entry.path().filename() == "manifest";
    const std::size_t flips = manifest ? 8 * good.size() : 400;
    for (std::size_t k = 0; k < flips && !good.empty(); ++k) {
      const std::size_t bit = manifest ? k : rng.below(8 * good.size());
      std::vector<char> bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
      testing::write_bytes(entry.path(), bad);
      try {
        EXPECT_EQ(reopened(directory / "buffer", c), content);
        EXPECT_FALSE(manifest);
        ++harmless;
      } catch (const CorruptData& error) {
        EXPECT_GT(std::strlen(error.what()), 20U);
        ++found;
      }
    }
    // Reopening wrote the newest rows into their blocks; put everything back.
    testing::write_bytes(entry.path(), good);
  }
  EXPECT_EQ(reopened(directory / "buffer", c), content);
  EXPECT_GT(found, 1000);
  EXPECT_GT(harmless, 100);
}

TEST(Archive, TruncatedForeignAndMissingFilesAreNamed) {
  const Case c{1, 40};
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "buffer", other = directory / "other";
  for (const auto& p : {path, other}) {
    auto archive = Archive::create(
        Disk::real(), p, StreamStore::shape_for(small_layout(), c.streams, c.capacity), kSegment);
    auto store = on(*archive, c);
    Writer writer(19);
    for (int k = 0; k < 100; ++k) writer.step(*store);
    archive->commit(*store, {}, Archive::Rows::in_place);
  }
  EXPECT_THROW(Archive::open(Disk::real(), directory / "nothing"), IoError);
  EXPECT_THROW(Archive::open(Disk::real(), directory.path()), IoError);
  EXPECT_THROW(
      Archive::create(Disk::real(), path,
                      StreamStore::shape_for(small_layout(), c.streams, c.capacity), kSegment),
      InvalidArgument);
  const std::filesystem::path segment = path / "observations-000000.segment";
  const std::vector<char> good = testing::bytes_of(segment);
  testing::write_bytes(segment, {good.begin(), good.end() - 1});
  EXPECT_THROW(reopened(path, c), CorruptData);
  testing::write_bytes(segment, testing::bytes_of(other / "observations-000000.segment"));
  EXPECT_THROW(reopened(path, c), CorruptData);  // another buffer's
  std::filesystem::remove(segment);
  EXPECT_THROW(reopened(path, c), IoError);
  testing::write_bytes(segment, good);
  EXPECT_NO_THROW(reopened(path, c));
  const std::vector<char> manifest = testing::bytes_of(path / "manifest");
  for (std::size_t size = 0; size < manifest.size(); ++size) {
    testing::write_bytes(path / "manifest",
                         {manifest.begin(), manifest.begin() + static_cast<std::ptrdiff_t>(size)});
    EXPECT_THROW(reopened(path, c), CorruptData);
  }
}

TEST(Archive, IsOpenOnce) {
  const TemporaryDirectory directory;
  const auto shape = StreamStore::shape_for(small_layout(), 1, 40);
  const auto archive = Archive::create(Disk::real(), directory / "buffer", shape);
  StreamStore store(small_layout(), 1, 40, archive->blocks());
  archive->commit(store, {}, Archive::Rows::in_place);
  for (const auto access : {Archive::Access::write, Archive::Access::read}) {
    try {
      Archive::open(Disk::real(), directory / "buffer", access);
      FAIL() << "opened twice";
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(getpid())), std::string::npos);
    }
  }
  EXPECT_EQ(read_manifest(directory / "buffer").commit, 1U);  // looking is allowed
}

TEST(Archive, CapacityThatCannotFitIsRefused) {
  const TemporaryDirectory directory;
  const RowLayout wide({1'000'000}, {1}, {});
  try {
    Archive::create(Disk::real(), directory / "buffer",
                    StreamStore::shape_for(wide, 1000, 500'000'000));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("GiB"), std::string::npos);
  }
}

}  // namespace
}  // namespace mneme
