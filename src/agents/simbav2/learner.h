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

#include "agents/batches.h"
#include "agents/metrics.h"
#include "agents/nn/adam.h"
#include "agents/nn/categorical.h"
#include "agents/nn/moments.h"
#include "agents/nn/return_scale.h"
#include "agents/simbav2/networks.h"

namespace mneme::simbav2 {

/// What one update found.
struct UpdateReport {
  double actor_loss, critic_loss, temperature_loss, entropy, temperature;
  at::Tensor td_error;  ///< (batch), what priorities are made of
};

/// The networks and their optimisers: everything an update touches. Batches come in as networks
/// see them, observations normalised and rewards scaled.
class Networks {
 public:
  /// `horizon`: updates over which the learning rate falls.
  Networks(const SimbaV2Settings& settings, std::int64_t observation, std::int64_t action,
           double horizon, at::TensorOptions options, at::Generator& generator);
  Networks(const Networks&) = delete;  // optimisers refer to the networks beside them
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

class Learner final : public Agent {
 public:
  Learner(const SimbaV2Config& config, const AgentShape& shape, const AgentReaders& readers,
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

 private:
  at::Tensor normalised(const at::Tensor& observations) const;
  double reward_divisor() const;
  TrainingBatch as_seen(const TrainingBatch& raw) const;
  at::Tensor noise(std::int64_t rows);

  SimbaV2Config config_;
  AgentShape shape_;
  at::Device device_;
  at::Generator generator_;
  Networks networks_;
  Batches batches_;
  nn::Moments observations_;
  nn::ReturnScale returns_;
  // The outcome of the last step: it enters the statistics when the next one begins.
  std::vector<float> rewards_;
  std::vector<std::uint8_t> done_;
  MetricSums metrics_;
};

}  // namespace mneme::simbav2
