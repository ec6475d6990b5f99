// agents/brc/reward_scale.h - reward normalization per task, so that the returns of every task fit the same
// atoms.
//
// returns: the largest |return| there has been, over whole episodes counted backwards,
//
//   v_t = r_t + discount v_{t+1},   after the last step: mean reward / (1 - discount) if the
//                                   episode was truncated, 0 if it terminated
//   divisor = (max |v| - temperature / (1 - discount) H_target / 2) / bound
//
// The second term is room for the entropy that the critic also has to hold (H_target < 0). Before
// the first episode of a task ends its divisor is infinite: its rewards count as 0.
//
// moments: deviation and largest |G| of running returns, as the public code had it for some weeks,
//
//   divisor = max(sqrt(var(G) + 1e-8), max |G| / bound)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agents/nn/stats/return_scale.h"
#include "mneme/index.h"

namespace mneme::brc {

class RewardScale {
 public:
  struct Options {
    std::string kind = "returns";  ///< or "moments", "none"
    double discount = 0.99;
    double bound = 10;
    double target_entropy = -1;  ///< of a whole action
  };

  /// Rows of `update` are the environments of the first task, then those of the second.
  RewardScale(std::size_t tasks, std::size_t environments, const Options& options);

  /// One step of every environment. A step that both terminates and truncates was truncated.
  void update(std::span<const float> rewards, std::span<const std::uint8_t> terminated,
              std::span<const std::uint8_t> truncated);
  /// Episodes were interrupted: their rewards so far are dropped.
  void on_episodes_interrupted();

  double divisor(std::size_t task, double temperature) const;

  /// The smallest and the largest return of a task; infinite, the other way round, before there is
  /// one. Of `returns` only.
  double lowest(std::size_t task) const { return range_[task].low; }
  double highest(std::size_t task) const { return range_[task].high; }

  void save(StateWriter& out) const;
  /// Throws CorruptData.
  void load(StateReader& in);

 private:
  struct Range {
    double low, high;
  };

  void finish(std::size_t environment, bool truncated);

  Options options_;
  std::size_t environments_;                  // of each task
  std::vector<Range> range_;                  // per task
  std::vector<std::vector<float>> episodes_;  // rewards so far, per environment
  std::vector<nn::ReturnScale> moments_;      // per task
};

}  // namespace mneme::brc
