// tests/storage/peer_defects_test.cpp - defects found in other libraries' storage, each as a test
// of ours with a control that has the defect.
#include <gtest/gtest.h>

#include <cstring>

#include "mneme/error.h"
#include "mneme/replay_buffer.h"
#include "storage/archive.h"
#include "storage/stream_store.h"
#include "support/failing_disk.h"

namespace mneme {
namespace {

constexpr Index kCapacity = 7;

float observation_at(const StreamStore& store, std::uint64_t sequence) {
  float value;
  std::memcpy(&value, store.observation(0, sequence), sizeof value);
  return value;
}

// Files were opened with truncation, so that nothing survived a restart. What was committed is
// there when the archive is opened again, continues from there, and cannot be made anew by mistake.
// The control is a row that was added after the last commit: it is gone.
TEST(PeerDefects, D09FilesSurviveARestart) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path path = directory / "buffer";
  const RowLayout layout({1}, {1}, {});
  const StoreShape shape = StreamStore::shape_for(layout, 1, kCapacity);
  const std::vector<std::byte> side(layout.side_stride);
  for (int start = 0; start < 4; ++start) {
    const auto archive =
        start == 0 ? Archive::create(Disk::real(), path, shape) : Archive::open(Disk::real(), path);
    StreamStore store(layout, 1, kCapacity, archive->blocks());
    if (start > 0) archive->restore(store, Archive::Rows::in_place);
    ASSERT_EQ(store.bounds(0).head, static_cast<std::uint64_t>(5 * start));
    for (std::uint64_t q = store.bounds(0).oldest; q < store.bounds(0).head; ++q)
      EXPECT_EQ(observation_at(store, q), static_cast<float>(q));
    for (int k = 0; k < 6; ++k) {
      if (k == 5) archive->commit(store, {}, Archive::Rows::in_place);
      const auto now = static_cast<float>(store.bounds(0).head), next = now + 1;
      store.append(0, {&now, &next, side.data(), End::none});
    }
  }
  EXPECT_THROW(Archive::create(Disk::real(), path, shape), InvalidArgument);
}

// A store that looks as if `rows` rows and `finals` episode ends had gone through it.
StreamStore after(std::uint64_t rows, std::uint64_t finals) {
  StreamStore store(RowLayout({1}, {1}, {}), 1, kCapacity);
  const std::uint64_t oldest = rows - kCapacity;
  const std::uint64_t firsts[] = {oldest, oldest, finals}, ends[] = {rows + 1, rows, finals};
  for (std::size_t t = 0; t < 3; ++t) {
    store.tapes(t).begin_at(0, firsts[t] >> store.tapes(t).shape().shift);
    store.tapes(t).reach(0, ends[t]);
    for (std::uint64_t n = firsts[t]; n < ends[t]; ++n)
      std::memset(store.tapes(t).row_mutable(0, n), 0, store.tapes(t).shape().stride);
  }
  store.restore(0, {rows, oldest, finals, finals, 0});
  return store;
}

// The number of rows ever written was a 32-bit counter that wrapped to -2^31. Ours passes 2^31 and
// 2^32 rows, and 2^30 episode ends (of which a row keeps the low 30 bits), as any other number.
TEST(PeerDefects, D13RowsBeyond32Bits) {
  for (const std::uint64_t border :
       {std::uint64_t{1} << 31, std::uint64_t{1} << 32, (std::uint64_t{1} << 44) - 100}) {
    for (const std::uint64_t finals : {std::uint64_t{3}, (std::uint64_t{1} << 30) - 9}) {
      const std::uint64_t first = border - 20;
      StreamStore store = after(first, finals);
      std::vector<std::byte> side(store.layout().side_stride);
      const auto value = [&](std::uint64_t q) { return static_cast<float>(q - first + 1); };
      const auto ends = [](std::uint64_t q) { return q % 3 == 0; };
      for (std::uint64_t q = first; q < border + 20; ++q) {
        const float now = value(q), next = ends(q) ? -now : value(q + 1);
        std::memcpy(side.data(), &now, sizeof now);
        const StreamStore::Appended done =
            store.append(0, {&now, &next, side.data(), ends(q) ? End::truncated : End::none});
        ASSERT_EQ(done.sequence, q);
        ASSERT_EQ(done.oldest, q + 1 - kCapacity);
        ASSERT_EQ(done.cut, q == first) << "only the first row continues nothing";
        for (std::uint64_t r = std::max(first, done.oldest); r <= q; ++r) {
          float successor;
          std::memcpy(&successor, store.successor(0, r, store.end_word(store.side(0, r))),
                      sizeof successor);
          ASSERT_EQ(observation_at(store, r), value(r));
          ASSERT_EQ(successor, ends(r) ? -value(r) : value(r + 1)) << q << " " << r;
        }
        const StreamStore::Bounds bounds = store.bounds(0);
        EXPECT_EQ(bounds.size(), kCapacity);
        EXPECT_TRUE(store.still_valid(0, q, bounds));
        EXPECT_FALSE(store.still_valid(0, done.oldest - 1, bounds));
        // The id that names the row; control: 32 bits of it name another one.
        const std::uint64_t id = std::uint64_t{5} << 44 | q;
        EXPECT_EQ(ReplayBuffer::sequence_of(id), q);
        EXPECT_EQ(ReplayBuffer::stream_of(id), 5);
        if (q >> 32 != 0) {
          EXPECT_NE(static_cast<std::uint32_t>(ReplayBuffer::sequence_of(id)), q);
        }
      }
      EXPECT_GT(store.state(0).finals_head, finals + 12);
    }
  }
}

}  // namespace
}  // namespace mneme
