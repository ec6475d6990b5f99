// agents/sac_td3/learner.h - plain SAC and TD3, for whoever wants the familiar.
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

#include "agents/batches.h"
#include "agents/metrics.h"
#include "agents/nn/adam.h"
#include "agents/sac_td3/networks.h"

namespace mneme::sac_td3 {

/// Purposes of an agent's generators.
inline constexpr std::uint32_t kInitialWeights = 1, kNoise = 2;

/// What one update found.
struct UpdateReport {
  double critic_loss = 0;
  bool acted = false;  ///< whether the actor had its turn
  double actor_loss = 0;
  double entropy = 0, temperature = 0;  ///< SAC
  at::Tensor td_error;                  ///< (batch), y - mean_m Q_m: what priorities are made of
};

/// The networks and their optimisers: everything an update touches.
class Networks {
 public:
  Networks(const SacTd3Settings& settings, const Sizes& sizes, at::TensorOptions options,
           at::Generator& generator);
  Networks(const Networks&) = delete;  // optimisers refer to the networks beside them
  Networks& operator=(const Networks&) = delete;

  /// `noise` and `next_noise` are standard normal, (batch, action). TD3 has no use for `noise`.
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

class Learner final : public Agent {
 public:
  Learner(const SacTd3Config& config, const AgentShape& shape, const AgentReaders& readers,
          const ComputeOptions& compute);

  void begin_step(std::span<const float>) override {}
  void act(const ActRows& rows, std::span<float> actions, Acting how) override;
  void end_step(const StepOutcome&) override {}
  void learn(Index updates, double progress) override;
  Metrics take_metrics() override { return metrics_.take(); }
  BatchSeconds batch_seconds() const override { return batches_.seconds(); }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;
  void export_policy(const std::string& path) const override;
  Index parameters() const override;

 private:
  at::Tensor noise(std::int64_t rows);

  SacTd3Config config_;
  AgentShape shape_;
  at::Device device_;
  at::Generator generator_;
  Networks networks_;
  Batches batches_;
  MetricSums metrics_;
};

}  // namespace mneme::sac_td3
