// priorities/recency_priority.h - truncated geometric recency times proportional priority.
//
//   P(i) proportional to (|delta_i| + eps)^alpha * 2^(-recency * age_i / (capacity - 1))
//
// age 0 is the newest row. By rejection: the tree proposes by priority, age decides (thinned.h); on
// average one proposal in about m = n * p(newest) is kept, 1 in 7 for recency 10. Ages count from
// the newest drawable row, which changes no probability and keeps the acceptance high when the
// newest rows are held.
#pragma once

#include "priorities/thinned.h"

namespace mneme {

struct RecencyPriorityOptions {
  double recency = 10;  ///< log2 odds of newest over oldest by age, in [0, 1000]
  double alpha = 0.6;   ///< in [0, 8]
  double eps = 1e-6;    ///< in [0, 1e6]
  Draws draws = Draws::stratified;
  WeightScale weights = WeightScale::batch;
};

class RecencyPriority final : public ThinnedDistribution {
 public:
  explicit RecencyPriority(Index capacity, const RecencyPriorityOptions& options = {});

 private:
  void do_append(Index first, std::span<const std::uint8_t> ends, Index count,
                 RowState state) override;
  void do_exclude(std::span<const Index> slots) override;
  void do_admit(std::span<const Index> slots) override;
  void do_update(std::span<const Index> slots, std::span<const float> magnitudes,
                 Feedback feedback) override;
  void accept(std::span<const Index> slots, std::span<double> acceptance) const override;
  void do_save(StateWriter& out) const override;
  void do_load(StateReader& in, const Ring& ring) override;
  Index newest_drawable() const;

  RecencyPriorityOptions options_;
  double rate_;         // e-folds per step of age
  float new_leaf_ = 1;  // of the largest priority seen
};

}  // namespace mneme
