// agents/brc/learner.h - BRC: SAC with wide residual categorical critics, over several tasks.
//
// One update, in the order of the public code:
//   1. critic        target r + discount (z - T log pi(a')) of the mean of both target critics'
//                    distributions, a' from the old actor, old T; cross-entropy summed over critics
//   2. target critic follows by tau
//   3. actor         T log pi(a) - mean_m Q_m(o, a), new critic, old T
//   4. temperature   T (H - H_target), H from step 3
//
// The batches of one call of `learn` are drawn together, and their rewards scaled with the
// temperature as it was then.
#pragma once

#include "agents/batches.h"
#include "agents/brc/networks.h"
#include "agents/brc/reward_scale.h"
#include "agents/metrics.h"
#include "agents/nn/adam.h"
#include "agents/nn/categorical.h"

namespace mneme::brc {

/// Purposes of an agent's generators.
inline constexpr std::uint32_t kInitialWeights = 1, kNoise = 2;

/// The weight of the entropy: exp of a number that learns.
class Temperature {
 public:
  Temperature(const BrcSettings& settings, at::TensorOptions options);
  Temperature(const Temperature&) = delete;  // its optimiser refers to the number beside it
  Temperature& operator=(const Temperature&) = delete;

  double value() const { return logarithm_.exp().item<double>(); }
  /// One step on T (entropy - wanted).
  void step(double surplus);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  nn::Parameters parameters_;
  at::Tensor logarithm_;
  nn::Adam adam_;
  double rate_;
};

/// What one update found.
struct UpdateReport {
  double critic_loss = 0;
  at::Tensor td_error;  ///< (batch), what priorities are made of
  bool acted = false;   ///< whether the actor had its turn; the rest is its
  double actor_loss = 0, entropy = 0, temperature = 0;
};

/// The networks and their optimisers: everything an update touches. Batches come in with rewards
/// scaled.
class Networks {
 public:
  Networks(const BrcSettings& settings, const Sizes& sizes, at::TensorOptions options,
           at::Generator& generator);
  Networks(const Networks&) = delete;  // optimisers refer to the networks beside them
  Networks& operator=(const Networks&) = delete;

  /// `next_noise` and `noise` are standard normal, (batch, action): for the target's action and for
  /// the actor's.
  UpdateReport update(const TrainingBatch& critic_batch, const TrainingBatch& actor_batch,
                      const at::Tensor& next_noise, const at::Tensor& noise);

  Actor actor;
  Critic critic, target;
  Temperature temperature;
  std::int64_t updates() const { return updates_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void update_critic(const TrainingBatch& batch, const at::Tensor& noise, UpdateReport& report);
  void update_actor(const TrainingBatch& batch, const at::Tensor& noise, UpdateReport& report);

  BrcSettings settings_;
  double target_entropy_;
  nn::Support support_;
  nn::Adam actor_adam_, critic_adam_;
  std::int64_t updates_ = 0;
};

class Learner final : public Agent {
 public:
  Learner(const BrcConfig& config, const AgentShape& shape, const AgentReaders& readers,
          const ComputeOptions& compute);

  void begin_step(std::span<const float>) override {}
  void act(const ActRows& rows, std::span<float> actions, Acting how) override;
  void end_step(const StepOutcome& outcome) override;
  void break_off() override { rewards_.break_off(); }
  void learn(Index updates, double progress) override;
  Metrics take_metrics() override { return metrics_.take(); }
  BatchSeconds batch_seconds() const override { return batches_.seconds(); }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;
  /// With several tasks the module's forward takes (observation, task), task whole numbers.
  void export_policy(const std::string& path) const override;
  Index parameters() const override;

 private:
  at::Tensor divisors() const;  // of rewards, per task
  at::Tensor noise(std::int64_t rows);

  BrcConfig config_;
  AgentShape shape_;
  at::Device device_;
  at::Generator generator_;
  Networks networks_;
  Batches batches_;
  RewardScale rewards_;
  MetricSums metrics_;
};

}  // namespace mneme::brc
