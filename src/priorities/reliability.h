// priorities/reliability.h - reliability-adjusted prioritized replay (ReaPER; Pleiss et al. 2025).
//
// Within an episode with absolute TD errors d_1 .. d_m, a target is as reliable as what follows it
// is well predicted:
//   R_t = (d_1 + ... + d_t) / (d_1 + ... + d_m)    once the episode has ended
//   R_t = (d_1 + ... + d_t) / F                    before; F the largest episode sum in the buffer
//   Psi_t = R_t^omega * d_t^alpha,  P = Psi / sum Psi
// New rows have d = the largest seen (1 at first) and Psi = d^alpha: their reliability counts from
// their first update on. F is over ended episodes, 1 before the first of them, and never below the
// sum of the episode under way. Rows of an episode that have been overwritten keep counting in its
// sums with their last d. Held rows count in the sums as well.
//
// One update changes the reliability of the whole episode, so Psi is not stored: the tree proposes
// by d^alpha and R^omega decides (thinned.h; typically 3 of 4 proposals are kept). R comes from a
// second tree over d: an update costs O(log rows) whatever the length of the episode. Weights are
// divided by the batch's largest by default, for the buffer's largest costs a pass over the ring.
#pragma once

#include "priorities/thinned.h"

namespace mneme {

struct ReliabilityOptions {
  double alpha = 0.3;  ///< in [0, 8]
  double omega = 0.3;  ///< in [0, 8]; 0 is proportional PER
  Draws draws = Draws::stratified;
  WeightScale weights = WeightScale::batch;
};

class Reliability final : public ThinnedDistribution {
 public:
  explicit Reliability(Index capacity, const ReliabilityOptions& options = {});

  /// R_t of a row, whether it has been updated yet or not. Throws InvalidArgument for a slot
  /// without a row.
  double reliability(Index slot) const;

  /// F, the denominator of unfinished episodes.
  double largest_sum() const;

 private:
  struct Episode {
    Index first = 0, length = 0;  // what is left of it in the ring
    double evicted = 0;           // the sum of d over rows that were overwritten
    bool ended = false;
  };

  void do_append(Index first, std::span<const std::uint8_t> ends, Index count,
                 RowState state) override;
  void do_end_episode() override;
  void do_exclude(std::span<const Index> slots) override;
  void do_admit(std::span<const Index> slots) override;
  void do_update(std::span<const Index> slots, std::span<const float> magnitudes,
                 Feedback feedback) override;
  void accept(std::span<const Index> slots, std::span<double> acceptance) const override;
  void do_save(StateWriter& out) const override;
  void do_load(StateReader& in, const Ring& ring) override;

  Episode& episode(std::uint32_t number) { return episodes_[number & (episodes_.size() - 1)]; }
  const Episode& episode(std::uint32_t number) const {
    return episodes_[number & (episodes_.size() - 1)];
  }
  double sum_through(const Episode& e, Index slot) const;
  double sum_of(const Episode& e) const;
  void evict(Index slot);
  void begin_episode();
  void drop_empty();
  void grow();
  void note_sum(std::uint32_t number);
  Index rows_from(Index first, Index slot) const;

  ReliabilityOptions options_;
  PriorityTree errors_;                    // d of every row, held ones too
  std::vector<std::uint32_t> episode_of_;  // of each slot: episode number, mod 2^32
  std::vector<std::uint64_t> updated_;     // one bit per slot: reliability counts
  std::vector<Episode> episodes_;          // a ring of a power of two, by episode number
  PriorityTree sums_;                      // of ended episodes, as far as F needs them
  std::uint32_t oldest_ = 0, newest_ = 0;  // episode numbers; newest_: under way or last
  float max_seen_ = 1, new_leaf_ = 1;
};

}  // namespace mneme
