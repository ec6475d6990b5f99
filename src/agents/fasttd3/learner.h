// agents/fasttd3/learner.h - FastTD3: TD3 with categorical critics, many environments and no target
// actor.
//
// One vector step, in the order of the public code:
//   1. observations enter the statistics; the actor acts, with noise of a size that each
//      environment keeps for an episode
//   2. rewards enter theirs (several tasks)
//   3. U updates, each on a new batch:
//        observations, then next observations: counted in the statistics and normalised
//        critics   cross-entropy against the projected distribution of the target critics at
//                  clip(pi(o') + clipped noise), pi the actor as it is now
//        actor     every policy_frequency-th time, on the same batch and the new critics
//        targets   follow the critics by tau
//   4. learning rates go one step along their cosine
#pragma once

#include "agents/batches.h"
#include "agents/fasttd3/loss.h"
#include "agents/fasttd3/networks.h"
#include "agents/fasttd3/normalisers.h"
#include "agents/metrics.h"
#include "agents/nn/adam.h"

namespace mneme::fasttd3 {

/// What a critic update found.
struct CriticReport {
  double loss, lowest_target, highest_target;  ///< targets: values of the first critic's own
  at::Tensor td_error;                         ///< (batch), what priorities are made of
};

/// The networks and their optimisers: everything an update touches. Batches come in as networks
/// see them, observations normalised and rewards scaled.
class Networks {
 public:
  Networks(const FastTD3Settings& settings, const NetworkShape& shape, at::TensorOptions options,
           at::Generator& generator);
  Networks(const Networks&) = delete;  // optimisers refer to the networks beside them
  Networks& operator=(const Networks&) = delete;

  /// `noise` is standard normal, (batch, action). The target critics follow.
  CriticReport update_critics(const TrainingBatch& batch, const at::Tensor& noise, double rate);
  /// The loss.
  double update_actor(const TrainingBatch& batch, double rate);

  Actor actor;
  Critics critics, target;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  FastTD3Settings settings_;
  nn::Support support_;
  nn::Adam actor_adam_, critic_adam_;
};

class Learner final : public Agent {
 public:
  Learner(const FastTD3Config& config, const AgentShape& shape, const AgentReaders& readers,
          const ComputeOptions& compute);

  void begin_step(std::span<const float> observations) override;
  void act(const ActRows& rows, std::span<float> actions, Acting how) override;
  void end_step(const StepOutcome& outcome) override;
  void break_off() override;
  void learn(Index updates, double progress) override;
  Metrics take_metrics() override { return metrics_.take(); }
  BatchSeconds batch_seconds() const override { return batches_.seconds(); }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;
  void export_policy(const std::string& path) const override;
  Index parameters() const override;

  /// Standard deviations of the exploration noise now, (environments, 1).
  const at::Tensor& noise_scales() const { return scales_; }
  const Networks& networks() const { return networks_; }
  const ObservationNormaliser& observations() const { return observations_; }

 private:
  at::Tensor fresh_scales();
  at::Tensor noise(std::int64_t rows);
  TrainingBatch as_seen(const TrainingBatch& raw, bool count);
  bool policy_is_due(Index update, Index updates) const;

  FastTD3Config config_;
  AgentShape shape_;
  at::Device device_;
  at::Generator generator_;
  Networks networks_;
  Batches batches_;
  ObservationNormaliser observations_;
  RewardNormaliser rewards_;
  at::Tensor scales_;
  std::vector<std::uint8_t> done_;  // in the last step
  std::int64_t steps_ = 0, updates_ = 0;
  MetricSums metrics_;
};

}  // namespace mneme::fasttd3
