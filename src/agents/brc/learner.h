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

#include "agents/brc/networks.h"
#include "agents/brc/reward_scale.h"
#include "agents/common/learner_base.h"
#include "agents/nn/heads/categorical.h"
#include "agents/nn/optim/adam.h"

namespace mneme::brc {

/// The entropy temperature: exp of a learned number.
class Temperature {
 public:
  Temperature(const BrcSettings& settings, at::TensorOptions options);
  Temperature(const Temperature&) = delete;  // its optimizer refers to the number beside it
  Temperature& operator=(const Temperature&) = delete;

  const nn::Parameters& parameters() const { return parameters_; }
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

/// Losses and errors of one update.
struct UpdateReport {
  double critic_loss = 0;
  at::Tensor td_error;  ///< (batch), for priorities
  bool acted = false;   ///< whether the actor was updated; the rest is set then
  double actor_loss = 0, entropy = 0, temperature = 0;
};

/// The networks and their optimizers: everything an update touches. Batches come in with rewards
/// scaled.
class Networks {
 public:
  Networks(const BrcSettings& settings, const Sizes& sizes, at::TensorOptions options,
           at::Generator& generator);
  Networks(const Networks&) = delete;  // optimizers refer to the networks beside them
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

class Learner final : public LearnerBase {
 public:
  Learner(const BrcConfig& config, const AgentShape& shape, const AgentReaders& readers,
          const ComputeOptions& compute);

  void end_step(const StepOutcome& outcome) override;
  void on_episodes_interrupted() override { rewards_.on_episodes_interrupted(); }

 private:
  at::Tensor choose_actions(const at::Tensor& observations, const ActRows& rows,
                            Acting how) override;
  void run_updates(Index updates) override;
  Policy policy() const override;
  std::vector<const nn::Parameters*> learned() const override;
  void save_networks(StateWriter& out) const override { networks_.save(out); }
  void load_networks(StateReader& in) override { networks_.load(in); }
  void save_statistics(StateWriter& out) const override { rewards_.save(out); }
  void load_statistics(StateReader& in) override { rewards_.load(in); }

  at::Tensor divisors() const;  // of rewards, per task

  BrcConfig config_;
  Networks networks_;
  RewardScale rewards_;
};

}  // namespace mneme::brc
