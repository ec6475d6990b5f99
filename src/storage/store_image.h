// storage/store_image.h - everything about a store but its settled rows, as a manifest holds it.
//
// Rows lie in numbered blocks of segment files. A *settled* row never changes again; the image has
// the block numbers and one checksum per block over its settled rows. What may still change is in
// the image itself: the side record of the newest row (it may become a cut) and the observation
// that follows it. So bytes that an image vouches for are never written again while it is the last
// one, and the crash of a writer, or of the machine, cannot hurt them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/state.h"
#include "storage/row_storage.h"

namespace mneme {

constexpr std::size_t kObservations = 0, kSides = 1, kFinals = 2;  // the tapes of a store
constexpr std::array<const char*, 3> kTapeNames{"observations", "sides", "finals"};

/// Streams, transitions per stream, and how the three tapes are cut into blocks.
struct StoreShape {
  Index streams = 0, capacity = 0;
  std::array<RowStorageShape, 3> tapes = {};
  bool operator==(const StoreShape&) const = default;
};

/// Where one stream stands.
struct StreamState {
  std::uint64_t head = 0, oldest = 0;                // live transitions are oldest .. head-1
  std::uint64_t finals_head = 0, finals_oldest = 0;  // the same on the tape of finals
  std::uint64_t cuts = 0;
  bool operator==(const StreamState&) const = default;
};

/// Rows of a tape that will not change any more: first .. end-1.
struct Settled {
  std::uint64_t first = 0, end = 0;
};
Settled settled_rows(std::size_t tape, const StreamState& state);

struct BlockImage {
  std::uint32_t number = 0, crc = 0;
  bool operator==(const BlockImage&) const = default;
};

struct StreamImage {
  StreamState state;
  std::vector<std::byte> newest;     // side record of row head-1, empty without rows
  std::vector<std::byte> successor;  // observation at `head`, empty if the newest row is an end
  std::array<std::vector<BlockImage>, 3> blocks;  // of the settled rows, oldest first
};

struct StoreImage {
  StoreShape shape;
  std::array<std::uint32_t, 3> segments{};  // files per tape
  std::array<std::uint32_t, 3> blocks_per_segment{};
  std::vector<StreamImage> streams;
};

/// First block of the settled rows, how many there are, and the settled rows of one of them.
std::uint64_t first_block(const Settled& rows, const RowStorageShape& shape);
std::size_t block_count(const Settled& rows, const RowStorageShape& shape);
std::size_t rows_in_block(const Settled& rows, const RowStorageShape& shape, std::uint64_t block);

void write_image(StateWriter& out, const StoreImage& image);
/// Throws CorruptData unless everything fits together: any bytes may come in.
StoreImage read_image(ByteReader& in);

}  // namespace mneme
