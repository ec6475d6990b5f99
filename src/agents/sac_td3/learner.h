// agents/sac_td3/learner.h - updates of SAC and TD3.
//
// One update of SAC, in the order of Stable-Baselines3:
//   1. actor acts      a, log pi(a|o); the temperature T of this update is that before its step
//   2. temperature     log T along H - H_target, H = -mean log pi
//   3. target          y = r + discount (min_m Q'_m(o', a') - T log pi(a'|o'))
//   4. critics         1/2 sum_m mean w (Q_m - y)^2, then their targets follow by tau
//   5. actor           mean T log pi(a|o) - min_m Q_m(o, a), with the critics of step 4
//
// Of TD3:
//   1. target          y = r + discount min_m Q'_m(o', clip(mu'(o') + clipped noise))
//   2. critics         sum_m mean w (Q_m - y)^2
//   3. every `delay` updates: actor on -mean Q_0(o, mu(o)), then all targets follow by tau
#pragma once

#include "agents/common/learner_base.h"
#include "agents/nn/optim/adam.h"
#include "agents/sac_td3/networks.h"

namespace mneme::sac_td3 {

/// Losses and errors of one update.
struct UpdateReport {
  double critic_loss = 0;
  bool acted = false;  ///< whether the actor was updated
  double actor_loss = 0;
  double entropy = 0, temperature = 0;  ///< SAC
  at::Tensor td_error;                  ///< (batch), y - mean_m Q_m: what priorities are made of
};

/// The networks and their optimizers: everything an update touches.
class Networks {
 public:
  Networks(const SacTd3Settings& settings, const Sizes& sizes, at::TensorOptions options,
           at::Generator& generator);
  Networks(const Networks&) = delete;  // optimizers refer to the networks beside them
  Networks& operator=(const Networks&) = delete;

  /// `noise` and `next_noise` are standard normal, (batch, action). TD3 ignores `noise`.
  UpdateReport update(const TrainingBatch& critic_batch, const TrainingBatch& actor_batch,
                      const at::Tensor& noise, const at::Tensor& next_noise);

  Actor actor, target_actor;  ///< the second is TD3's
  Critic critic, target;
  nn::Parameters log_temperature;
  double temperature() const;
  std::int64_t updates() const { return updates_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  UpdateReport update_sac(const TrainingBatch& batch, const TrainingBatch& actor_batch,
                          const at::Tensor& noise, const at::Tensor& next_noise);
  UpdateReport update_td3(const TrainingBatch& batch, const TrainingBatch& actor_batch,
                          const at::Tensor& next_noise);
  // The loss, not yet a number.
  at::Tensor update_critic(const TrainingBatch& batch, const at::Tensor& wanted, double factor,
                           bool move_target, UpdateReport& report);

  SacTd3Settings settings_;
  double target_entropy_;
  at::Tensor temperature_;  // its logarithm, the one parameter of log_temperature
  nn::Adam actor_adam_, critic_adam_, temperature_adam_;
  std::int64_t updates_ = 0;
};

class Learner final : public LearnerBase {
 public:
  Learner(const SacTd3Config& config, const AgentShape& shape, const AgentReaders& readers,
          const ComputeOptions& compute);

 private:
  at::Tensor choose_actions(const at::Tensor& observations, const ActRows& rows,
                            Acting how) override;
  void run_updates(Index updates) override;
  Policy policy() const override;
  std::vector<const nn::Parameters*> learned() const override;
  void save_networks(StateWriter& out) const override { networks_.save(out); }
  void load_networks(StateReader& in) override { networks_.load(in); }

  SacTd3Config config_;
  Networks networks_;
};

}  // namespace mneme::sac_td3
