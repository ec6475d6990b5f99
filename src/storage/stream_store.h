// storage/stream_store.h - S streams of N transitions: rows stored once, successors exact, one
// writer per stream, any number of readers.
//
// Transition q of a stream (its 64-bit sequence number) has its side record and its observation in
// row q of two tapes. The successor's observation is row q + 1, written together with q. Where an
// episode ends, the final observation is the next row of a third tape, so that no row is ever
// shared by two episodes. Rows leave in the order they came, on all three tapes.
//
// Threads. A writer first raises `oldest`, then overwrites, then raises `head`. A reader takes
// both, copies, and checks afterwards that its rows are still at or above `oldest` and that no cut
// changed the newest row in the meantime (`revision`). Readers write nothing.
//
// What can still change in a row below `head` is little: the end word of the newest row (it may
// become a cut) and the observation at `head`. Files rely on that; see storage/store_image.h.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "storage/copy_shared.h"
#include "storage/row_layout.h"
#include "storage/row_storage.h"
#include "storage/store_image.h"

namespace mneme {

/// One row as it is handed in; already checked against the layout.
struct RowInput {
  const void* observation;       // in storage type
  const void* next_observation;  // in storage type
  const void* side;              // a side record in storage types, its end word not yet set
  End end;
};

class StreamStore {
 public:
  /// In memory. Throws InvalidArgument if that exceeds what the machine has (and says how much it
  /// is).
  StreamStore(RowLayout layout, Index streams, Index capacity);
  /// On blocks that another object keeps, such as files: observations, side records, finals.
  StreamStore(RowLayout layout, Index streams, Index capacity, std::array<Blocks*, 3> blocks);

  /// How the three tapes of such a store are cut into blocks. Throws InvalidArgument for impossible
  /// numbers of streams or transitions.
  static StoreShape shape_for(const RowLayout& layout, Index streams, Index capacity);

  const RowLayout& layout() const { return layout_; }
  Index streams() const { return streams_; }
  Index capacity() const { return capacity_; }

  /// Appends to one stream. If the observation does not continue the previous row, that row becomes
  /// a cut. One thread per stream at a time. Allocates nothing, unless the blocks do. Throws
  /// IoError if they have no room; then nothing is stored.
  struct Appended {
    std::uint64_t sequence, oldest;
    bool cut;  // the row before was made a cut
  };
  Appended append(Index stream, const RowInput& row);
  /// On: rows follow each other unless an end or `cut` says otherwise; see mneme/replay_buffer.h.
  void trust_flags(bool trust) { trust_flags_ = trust; }
  /// Asks the memory for what the next append to the stream will touch. For its writer.
  void prefetch_append(Index stream) const;
  /// After this the next append to the stream finds room, whatever row it is. Throws IoError.
  void make_room(Index stream);

  /// Declares that the stream was interrupted after its newest row, if that is not an end already.
  /// Tells whether it was one. Throws as append does.
  bool cut(Index stream);

  struct Bounds {
    std::uint64_t oldest, head;  // live sequence numbers are oldest .. head-1
    std::uint64_t revision;
    Index size() const { return static_cast<Index>(head - oldest); }
  };
  Bounds bounds(Index stream) const;

  /// Whether rows from `sequence` on, read after `before` was taken, are still what they were.
  bool still_valid(Index stream, std::uint64_t sequence, const Bounds& before) const;

  const std::byte* observation(Index stream, std::uint64_t sequence) const {
    return tapes_[kObservations].row(stream, sequence);
  }
  const std::byte* side(Index stream, std::uint64_t sequence) const {
    return tapes_[kSides].row(stream, sequence);
  }
  std::uint32_t end_word(const std::byte* side_record) const {
    std::uint32_t word;
    copy_shared(&word, side_record + layout_.end_offset, sizeof word);
    return word;
  }
  static End end_of(std::uint32_t word) { return static_cast<End>(word & 3); }
  /// The observation after `sequence`, given its end word.
  const std::byte* successor(Index stream, std::uint64_t sequence, std::uint32_t word) const {
    return end_of(word) == End::none ? observation(stream, sequence + 1)
                                     : tapes_[kFinals].row(stream, word >> 2);
  }

  /// Times a row did not continue its predecessor and was made a cut.
  std::uint64_t cuts() const;

  /// For files: where a stream stands, its rows by tape, and an empty store made to stand there.
  /// Not while a writer is at work.
  StreamState state(Index stream) const;
  const RowStorage& tapes(std::size_t tape) const { return tapes_[tape]; }
  RowStorage& tapes(std::size_t tape) { return tapes_[tape]; }
  void restore(Index stream, const StreamState& state);

 private:
  struct alignas(64) Cursor {
    std::atomic<std::uint64_t> head{0}, oldest{0}, revision{0}, cuts{0};
    std::uint64_t finals_head = 0, finals_oldest = 0;  // the writer's alone
  };

  struct OwnBlocks {
    std::array<std::unique_ptr<MemoryBlocks>, 3> pools;
    std::array<Blocks*, 3> pointers() const {
      return {pools[0].get(), pools[1].get(), pools[2].get()};
    }
  };
  static OwnBlocks blocks_in_memory(const RowLayout& layout, Index streams, Index capacity);
  StreamStore(RowLayout layout, Index streams, Index capacity, OwnBlocks own);

  std::uint64_t store_final(Index stream, Cursor& cursor, const void* observation);
  void set_end(std::byte* side_record, End end, std::uint64_t final_row);
  void make_cut(Index stream, Cursor& cursor);
  void evict_oldest(Index stream, Cursor& cursor);

  RowLayout layout_;
  Index streams_, capacity_;
  std::size_t ring_;
  bool trust_flags_ = false;
  OwnBlocks own_;  // empty on another object's blocks
  std::array<RowStorage, 3> tapes_;
  std::unique_ptr<Cursor[]> cursors_;
};

}  // namespace mneme
