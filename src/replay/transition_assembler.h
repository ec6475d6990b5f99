// replay/transition_assembler.h - from (stream, sequence number) to the numbers of a transition:
// n-step sums, discounts, stacks.
//
// A window starts at a row and takes up to n steps; it stops at an episode's end and at the newest
// row, never beyond. The successor is the one that belongs to the last step taken. All of it is
// read, nothing is written. Rows may be overwritten while they are read: they are copied with
// copy_shared before anything is done with them, and the caller checks afterwards.
#pragma once

#include "mneme/batch.h"
#include "storage/convert.h"
#include "storage/stream_store.h"

namespace mneme {

class TransitionAssembler {
 public:
  TransitionAssembler(const StreamStore& store, Index n_step, double discount, Index stack);

  /// Where a draw begins, and where its memory is.
  struct Start {
    Index stream;
    std::uint64_t sequence;
  };
  struct Place {
    const std::byte *side, *observation, *next;  // next: of a full window
  };

  /// Looks up where a draw lies and asks the memory for what `read` will touch first.
  Place prefetch(const Start& start) const;

  /// Row k of the batch from this start. `bounds` are those of the stream.
  void read(const Start& start, const Place& place, const StreamStore::Bounds& bounds,
            const BatchView& batch, std::size_t k) const;

  /// Window k of the batch: burn-in before the start, steps from it on.
  void read(const Start& start, const StreamStore::Bounds& bounds, const SequenceView& batch,
            std::size_t k) const;

  /// Numbers in a stacked observation.
  std::size_t stacked_count() const {
    return static_cast<std::size_t>(stack_) * store_.layout().observation_count;
  }

 private:
  void copy_observation(const std::byte* row, const MutableValues& out, std::size_t at) const;
  void copy_stack(const Start& start, const std::byte* row, const StreamStore::Bounds& bounds,
                  const MutableValues& out, std::size_t k) const;
  void copy_successor_stack(const Start& last, const std::byte* successor,
                            const StreamStore::Bounds& bounds, const MutableValues& out,
                            std::size_t k) const;
  /// The first sequence number of the frames ending at `newest`, at most `count` of them, within
  /// its episode.
  std::uint64_t first_frame(Index stream, std::uint64_t newest, Index count,
                            const StreamStore::Bounds& bounds) const;
  float reward(const std::byte* side) const;

  const StreamStore& store_;
  Index n_step_, stack_;
  std::vector<double> powers_;  // discount^0 .. discount^n_step
};

}  // namespace mneme
