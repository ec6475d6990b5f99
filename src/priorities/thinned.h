// priorities/thinned.h - distributions whose mass is a tree leaf times an acceptance in [0, 1] that
// changes too often to be stored.
//
//   mass(i) = leaf(i) * acceptance(i)
//
// Draws are exact: a slot is proposed by the tree and kept with its acceptance, otherwise proposed
// anew. In a stratified batch the first proposals are stratified and the further ones independent;
// the expected count of a row is still B P. If acceptance is so rare that kRounds proposals fail,
// the draw is made by listing all masses: slow, just as exact, and never endless.
//
// The sum of all masses is not kept anywhere. probability() and weights divided by the buffer's
// largest therefore cost a pass over the ring; weights divided by the batch's largest do not.
#pragma once

#include "priorities/priority_distribution.h"
#include "priorities/priority_tree.h"

namespace mneme {

class ThinnedDistribution : public PriorityDistribution {
 public:
  const PriorityTree& proposals() const { return tree_; }

 protected:
  static constexpr int kRounds = 64;

  ThinnedDistribution(Index capacity, std::string spec, Draws draws, WeightScale scale)
      : PriorityDistribution(capacity, std::move(spec), draws, scale), tree_(capacity) {}

  PriorityTree tree_;

 private:
  /// With what probability each proposed slot is kept, in [0, 1]. At most kChunk slots.
  virtual void accept(std::span<const Index> slots, std::span<double> acceptance) const = 0;

  bool can_draw() const final { return tree_.total() > 0; }
  void do_draw(std::span<const double> uniforms, Rng& redraws, std::span<Index> slots) const final;
  void do_masses(std::span<const Index> slots, std::span<double> masses) const final;
  double total_mass() const final;
  double smallest_mass() const final;
  void draw_by_listing(std::span<const std::size_t> open, Rng& redraws,
                       std::span<Index> slots) const;
  template <class Use>
  void each_mass(const Use& use) const;
};

}  // namespace mneme
