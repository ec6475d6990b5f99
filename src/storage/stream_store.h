// storage/stream_store.h - S rings of N transitions: rows stored once, successors exact, one writer
// per stream, any number of readers.
//
// Transition q of a stream (its 64-bit sequence number) has its side record in slot q mod N and its
// observation in slot q mod (N + 1). The successor's observation is row q + 1, written together
// with q: the ring has one observation more than transitions. Where an episode ends, the final
// observation lives in a pool of its own, so that no row is ever shared by two episodes. Pool rows
// are reused last-out-first-in and only touched memory counts.
//
// Threads. A writer first raises `oldest`, then overwrites, then raises `head`. A reader takes
// both, copies, and checks afterwards that its rows are still at or above `oldest` and that no cut
// changed the newest row in the meantime
// (`revision`). Readers write nothing.
#pragma once

#include <atomic>
#include <memory>

#include "base/pages.h"
#include "storage/row_layout.h"

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
  /// Throws InvalidArgument if the memory needed exceeds what the machine has (and says how much
  /// that is).
  StreamStore(RowLayout layout, Index streams, Index capacity);

  const RowLayout& layout() const { return layout_; }
  Index streams() const { return streams_; }
  Index capacity() const { return capacity_; }

  /// Appends to one stream. If the observation does not continue the previous row, that row becomes
  /// a cut. One thread per stream at a time. No allocation.
  struct Appended {
    std::uint64_t sequence, oldest;
    bool cut;  // the row before was made a cut
  };
  Appended append(Index stream, const RowInput& row);

  /// Declares that the stream broke off after its newest row, if that is not an end already.
  /// Tells whether it was one.
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
    return observations_.data() +
           (static_cast<std::size_t>(stream) * (ring_ + 1) + sequence % (ring_ + 1)) *
               layout_.observation_stride;
  }
  const std::byte* side(Index stream, std::uint64_t sequence) const {
    return sides_.data() +
           (static_cast<std::size_t>(stream) * ring_ + sequence % ring_) * layout_.side_stride;
  }
  std::uint32_t end_word(const std::byte* side_record) const;
  static End end_of(std::uint32_t word) { return static_cast<End>(word & 3); }
  /// The observation after `sequence`, given its end word.
  const std::byte* successor(Index stream, std::uint64_t sequence, std::uint32_t word) const {
    return end_of(word) == End::none ? observation(stream, sequence + 1)
                                     : final_row(stream, word >> 2);
  }

  /// Times a row did not continue its predecessor and was made a cut.
  std::uint64_t cuts() const;

 private:
  struct alignas(64) Cursor {
    std::atomic<std::uint64_t> head{0}, oldest{0}, revision{0}, cuts{0};
    std::uint32_t finals_used =
        0;  // pool rows ever taken; the free ones among them are on the free list
    std::uint32_t free_count = 0;
  };

  std::byte* observation_mutable(Index stream, std::uint64_t sequence) {
    return const_cast<std::byte*>(observation(stream, sequence));
  }
  std::byte* side_mutable(Index stream, std::uint64_t sequence) {
    return const_cast<std::byte*>(side(stream, sequence));
  }
  const std::byte* final_row(Index stream, std::uint32_t place) const {
    return finals_.data() +
           (static_cast<std::size_t>(stream) * ring_ + place) * layout_.observation_stride;
  }
  std::uint32_t* free_list(Index stream) {
    return reinterpret_cast<std::uint32_t*>(free_.data()) +
           static_cast<std::size_t>(stream) * ring_;
  }
  std::uint32_t store_final(Index stream, const void* observation);
  void release_final(Index stream, std::uint32_t place);
  void set_end(std::byte* side_record, End end, std::uint32_t place);
  void make_cut(Index stream, Cursor& cursor);

  RowLayout layout_;
  Index streams_, capacity_;
  std::size_t ring_;
  Pages observations_, sides_, finals_, free_;
  std::unique_ptr<Cursor[]> cursors_;
};

/// Copies memory that a writer may be changing; the caller checks afterwards. Word by word under
/// ThreadSanitizer.
void copy_shared(void* to, const void* from, std::size_t bytes);

}  // namespace mneme
