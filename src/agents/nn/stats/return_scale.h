// agents/nn/stats/return_scale.h - running size of discounted returns.
//
//   G = discount (1 - done) G + r        per environment
//
// At the end of an episode the accumulated return is dropped before the last reward is added, which
// then leaks into the next episode: so in SimbaV2's public code and in FastTD3's, whose results
// this has to reproduce.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "agents/nn/stats/moments.h"

namespace mneme::nn {

/// Moments of one number in double, by the exact formula of nn/moments.h or FastTD3's.
class ReturnScale {
 public:
  struct Options {
    double discount = 0.99;
    double count = 1e-4;  ///< weight of the initial mean 0 and variance 1, in returns
    Merge merge = Merge::exact;
  };

  ReturnScale(std::size_t environments, const Options& options);

  /// One step of every environment: all accumulators enter the moments as one batch.
  void update(std::span<const float> rewards, std::span<const std::uint8_t> done);

  /// Episodes were interrupted: every accumulator restarts at 0.
  void on_episodes_interrupted() { std::fill(returns_.begin(), returns_.end(), 0.0); }

  double mean() const { return mean_; }
  double variance() const { return variance_; }
  double count() const { return count_; }
  /// The largest |G| so far.
  double largest() const { return largest_; }
  std::span<const double> returns() const { return returns_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  Options options_;
  std::vector<double> returns_;
  double mean_ = 0, variance_ = 1, count_, largest_ = 0;
};

}  // namespace mneme::nn
