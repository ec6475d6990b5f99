// agents/simbav2/learner.h - SimbaV2: SAC with a categorical critic on hyperspherical networks.
//
// One update, in the order of the public code:
//   1. actor        T log pi(a|o) - min_m Q_m(o, a), online critic
//   2. temperature  T (H - H_target), H from step 1
//   3. target       a' from the new actor, new T; the distribution of the target critic whose mean
//                   is smaller
//   4. critic       cross-entropy against it, summed over critics
//   5. target critic follows by tau
#pragma once

#include "agents/common/learner_base.h"
#include "agents/nn/heads/categorical.h"
#include "agents/nn/optim/adam.h"
#include "agents/nn/stats/moments.h"
#include "agents/nn/stats/return_scale.h"
#include "agents/simbav2/networks.h"

namespace mneme::simbav2 {

/// Losses and errors of one update.
struct UpdateReport {
  double actor_loss, critic_loss, temperature_loss, entropy, temperature;
  at::Tensor td_error;  ///< (batch), for priorities
};

/// The networks and their optimizers: everything an update touches. Batches come in as networks
/// see them, observations normalized and rewards scaled.
class Networks {
 public:
  /// `horizon`: updates over which the learning rate falls.
  Networks(const SimbaV2Settings& settings, std::int64_t observation, std::int64_t action,
           double horizon, at::TensorOptions options, at::Generator& generator);
  Networks(const Networks&) = delete;  // optimizers refer to the networks beside them
  Networks& operator=(const Networks&) = delete;

  /// `noise` and `next_noise` are standard normal, (batch, action).
  UpdateReport update(const TrainingBatch& critic_batch, const TrainingBatch& actor_batch,
                      const at::Tensor& noise, const at::Tensor& next_noise);

  Actor actor;
  Critic critic, target;
  nn::Parameters log_temperature;
  std::int64_t updates() const { return updates_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double rate() const;

  SimbaV2Settings settings_;
  double horizon_, target_entropy_;
  nn::Support support_;
  at::Tensor temperature_;  // its logarithm, the one parameter of log_temperature
  nn::Adam actor_adam_, critic_adam_, temperature_adam_;
  std::int64_t updates_ = 0;
};

class Learner final : public LearnerBase {
 public:
  Learner(const SimbaV2Config& config, const AgentShape& shape, const AgentReaders& readers,
          const ComputeOptions& compute);

  void begin_step(std::span<const float> observations) override;
  void end_step(const StepOutcome& outcome) override;
  void on_episodes_interrupted() override;

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

  at::Tensor normalized(const at::Tensor& observations) const;
  double reward_divisor() const;
  TrainingBatch as_seen(const TrainingBatch& raw) const;

  SimbaV2Config config_;
  Networks networks_;
  nn::Moments observations_;
  nn::ReturnScale returns_;
  // The outcome of the last step: it enters the statistics when the next step begins.
  std::vector<float> rewards_;
  std::vector<std::uint8_t> done_;
};

}  // namespace mneme::simbav2
