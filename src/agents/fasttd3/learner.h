// agents/fasttd3/learner.h - FastTD3: TD3 with categorical critics, many environments and no target
// actor.
//
// One vector step, in the order of the public code:
//   1. observations enter the statistics; the actor acts, with noise of a size that each
//      environment keeps for an episode
//   2. rewards enter theirs (several tasks)
//   3. U updates, each on a new batch:
//        observations, then next observations: counted in the statistics and normalized
//        critics   cross-entropy against the projected distribution of the target critics at
//                  clip(pi(o') + clipped noise), pi the actor as it is now
//        actor     every policy_delay-th time, on the same batch and the new critics
//        targets   follow the critics by tau
//   4. learning rates go one step along their cosine
#pragma once

#include "agents/common/learner_base.h"
#include "agents/fasttd3/loss.h"
#include "agents/fasttd3/networks.h"
#include "agents/fasttd3/normalizers.h"
#include "agents/nn/optim/adam.h"

namespace mneme::fasttd3 {

/// Losses and errors of a critic update.
struct CriticReport {
  double loss, lowest_target, highest_target;  ///< targets: values of the first critic's own
  at::Tensor td_error;                         ///< (batch), for priorities
};

/// The networks and their optimizers: everything an update touches. Batches come in as networks
/// see them, observations normalized and rewards scaled.
class Networks {
 public:
  Networks(const FastTD3Settings& settings, const NetworkShape& shape, at::TensorOptions options,
           at::Generator& generator);
  Networks(const Networks&) = delete;  // optimizers refer to the networks beside them
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

class Learner final : public LearnerBase {
 public:
  Learner(const FastTD3Config& config, const AgentShape& shape, const AgentReaders& readers,
          const ComputeOptions& compute);

  void begin_step(std::span<const float> observations) override;
  void end_step(const StepOutcome& outcome) override;
  void on_episodes_interrupted() override;

  /// Standard deviations of the exploration noise now, (environments, 1).
  const at::Tensor& noise_scales() const { return scales_; }
  const Networks& networks() const { return networks_; }
  const ObservationNormalizer& observations() const { return observations_; }

 private:
  at::Tensor choose_actions(const at::Tensor& observations, const ActRows& rows,
                            Acting how) override;
  void run_updates(Index updates) override;
  Policy policy() const override;
  std::vector<const nn::Parameters*> learned() const override;
  void save_networks(StateWriter& out) const override { networks_.save(out); }
  void load_networks(StateReader& in) override { networks_.load(in); }
  void save_statistics(StateWriter& out) const override;
  void load_statistics(StateReader& in) override;

  at::Tensor fresh_scales();
  TrainingBatch as_seen(const TrainingBatch& raw, bool count);
  bool policy_is_due(Index update, Index updates) const;

  FastTD3Config config_;
  Networks networks_;
  ObservationNormalizer observations_;
  RewardNormalizer rewards_;
  at::Tensor scales_;
  std::vector<std::uint8_t> done_;  // in the last step
  std::int64_t steps_ = 0, updates_ = 0;
};

}  // namespace mneme::fasttd3
