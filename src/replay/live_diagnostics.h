// replay/live_diagnostics.h - counters of one reader; see mneme/live_diagnostics.h.
//
// Costs per draw: a test whether the row is tracked, in some batches also a bin and two sums.
// Tracked are the rows q with q mod k = hash(q / k), one in each block of k numbers, so that a
// block's counter is found by shifting. Rows that left are collected when the next batch is noted:
// writers know nothing of it.
#pragma once

#include "base/state.h"
#include "mneme/live_diagnostics.h"
#include "mneme/replay_reader.h"
#include "replay/transition_assembler.h"

namespace mneme {

class DrawCounter {
 public:
  explicit DrawCounter(const StreamStore& store);

  /// A batch was drawn. `bounds` per stream are those it was drawn with; the starts among them
  /// begin `below` rows above the oldest (if any row was ever evicted) and end `above` rows below
  /// the newest.
  void note(std::span<const TransitionAssembler::Start> drawn,
            std::span<const StreamStore::Bounds> bounds, Index below, Index above);
  void note(const FeedbackReport& report);

  LiveDiagnostics result() const;
  void reset();

  /// What is cheaper to put back than to count back.
  struct Totals {
    std::uint64_t batches = 0, draws = 0, aged_draws = 0, searched = 0, searched_draws = 0,
                  unique = 0;
    double age_sum = 0, recency_sum = 0;
    Index most_starts = 0;
  };
  const Totals& totals() const { return totals_; }
  /// As if the batch of these rows, noted right after `before` was taken, had not been drawn. Of
  /// several the last one first.
  void take_back(const Totals& before, std::span<const std::uint64_t> ids,
                 std::span<const Index> ages);

  void save(StateWriter& out) const;
  /// Throws CorruptData or InvalidArgument; the returned counter is complete and takes the place of
  /// this one.
  DrawCounter load(StateReader& in) const;

 private:
  static constexpr std::size_t kBins = 8 * 64;
  struct Stream {
    std::uint64_t first;    // rows below were there at the reset
    std::uint64_t evicted;  // rows below have been collected
  };

  struct Span {
    std::uint64_t head, top;  // newest row, newest start
    double scale;             // 1 / (starts - 1)
  };

  bool tracked(std::uint64_t sequence) const {
    const std::uint64_t hash = (sequence >> shift_) * 0x9e3779b97f4a7c15ULL;
    return ((sequence ^ (hash >> 40)) & mask_) == 0;
  }
  std::uint16_t& counter(std::size_t stream, std::uint64_t sequence) {
    return counters_[stream * blocks_ + ((sequence >> shift_) & (blocks_ - 1))];
  }
  /// Ages are counted in every batch of a small buffer, and in one of eight of a large one.
  bool with_ages(std::uint64_t batch) const {
    return shift_ == 0 || (batch * 0x9e3779b97f4a7c15ULL) >> 61 == 0;
  }
  void note_ages(std::span<const TransitionAssembler::Start> drawn,
                 std::span<const StreamStore::Bounds> bounds, Index below, Index above);
  void collect(std::size_t stream, std::uint64_t oldest);
  void count_replay(const TransitionAssembler::Start& start);
  void search(std::span<const TransitionAssembler::Start> drawn);

  const StreamStore* store_;
  unsigned shift_ = 0;      // k = 2^shift_
  std::uint64_t mask_ = 0;  // k - 1
  std::size_t blocks_ = 0;  // counters per stream, a power of two
  std::vector<Stream> streams_;
  std::vector<std::uint16_t> counters_;  // of tracked rows that are still there; saturate
  Totals totals_;
  std::vector<std::uint64_t> ages_, odd_ages_, replays_;  // by bin
  std::uint64_t rows_evicted_ = 0, replay_sum_ = 0;
  std::uint64_t applied_ = 0, stale_ = 0, refused_ = 0, cuts_at_reset_ = 0;
  std::vector<Span> spans_;          // scratch of note()
  std::vector<std::uint64_t> seen_;  // scratch of search(): an open hash table
};

}  // namespace mneme
