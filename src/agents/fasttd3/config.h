// agents/fasttd3/config.h - FastTD3's own settings and presets.
//
//   upstream   the public code: 128 environments, B 32,768, 1024/512-wide networks, constant rates
//   paper      the replay paper's runs: the same with falling rates and 100,000 steps on every task
//   laptop     64 environments, 32 of HumanoidBench's, small batches and networks: an update in
//              milliseconds on one core
#pragma once

#include "agents/registry.h"

namespace mneme {

struct FastTD3Settings {
  std::string network = "mlp";
  Index critic_width = 1024, actor_width = 512;
  Index critic_blocks = 2, actor_blocks = 1;
  std::string sim_type = "none";
  Index sim_dimension = 64, critic_sim_groups = 8, actor_sim_groups = 8;
  Index task_embedding = 32;
  double init_scale = 0.01;

  Index atoms = 101;
  double value_low = -250, value_high = 250;
  bool clipped_double_q = true;

  double critic_rate = 3e-4, critic_last_rate = 3e-4;
  double actor_rate = 3e-4, actor_last_rate = 3e-4;
  double decay = 0.1;
  double max_gradient_norm = 0;
  double tau = 0.1;
  Index policy_frequency = 2;

  double policy_noise = 0.001, noise_clip = 0.5;
  double std_min = 0.001, std_max = 0.4;
  bool clamp_actions = false;

  bool normalise_observations = true, normalise_from_replay = true;
  std::string merge = "exact";
  bool normalise_rewards = false;
  std::string priority = "value";
  std::string precision = "auto";

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("network", self.network, "mlp, or simbav2 for hyperspherical layers");
    visit("critic_width", self.critic_width, "units of each critic's first layer, then 1/2, 1/4");
    visit("actor_width", self.actor_width, "units of the actor's first layer, then 1/2, 1/4");
    visit("critic_blocks", self.critic_blocks, "network=simbav2: residual blocks of the critics");
    visit("actor_blocks", self.actor_blocks, "network=simbav2: residual blocks of the actor");
    visit("sim_type", self.sim_type, "which third layer is a SimNorm: none, actor, critic, both");
    visit("sim_dimension", self.sim_dimension, "numbers per SimNorm group");
    visit("critic_sim_groups", self.critic_sim_groups, "SimNorm groups of the critics");
    visit("actor_sim_groups", self.actor_sim_groups, "SimNorm groups of the actor");
    visit("task_embedding", self.task_embedding, "numbers learned per task, if there are several");
    visit("init_scale", self.init_scale, "standard deviation of the actor's last weights");
    visit("atoms", self.atoms, "of the value distribution");
    visit("value_low", self.value_low, "lowest atom");
    visit("value_high", self.value_high, "highest atom");
    visit("clipped_double_q", self.clipped_double_q,
          "both critics learn the target of smaller value; false: each its own");
    visit("critic_rate", self.critic_rate, "learning rate of the critics at the start");
    visit("critic_last_rate", self.critic_last_rate, "and at the end of the run, by a cosine");
    visit("actor_rate", self.actor_rate, "learning rate of the actor at the start");
    visit("actor_last_rate", self.actor_last_rate, "and at the end of the run, by a cosine");
    visit("decay", self.decay, "decoupled, of all weights");
    visit("max_gradient_norm", self.max_gradient_norm, "longer gradients are shortened; 0: never");
    visit("tau", self.tau, "share of the way the target moves per update");
    visit("policy_frequency", self.policy_frequency, "critic updates per policy update");
    visit("policy_noise", self.policy_noise, "standard deviation of noise on target actions");
    visit("noise_clip", self.noise_clip, "bound of that noise");
    visit("std_min", self.std_min, "exploration: each environment has a standard deviation of its");
    visit("std_max", self.std_max, "own, uniform on [std_min, std_max], new with every episode");
    visit("clamp_actions", self.clamp_actions, "to [-1, 1] before they are executed and stored");
    visit("normalise_observations", self.normalise_observations, "running mean and variance");
    visit("normalise_from_replay", self.normalise_from_replay, "batches count in them too");
    visit("merge", self.merge, "of variances: exact, or reference for that of the public code");
    visit("normalise_rewards", self.normalise_rewards,
          "by the size of discounted returns, task by task");
    visit("priority", self.priority, "value: |target mean - predicted mean|; or cross_entropy");
    visit("precision", self.precision,
          "of matrix products: f32, bf16, or auto for bf16 on a graphics card");
  }
};

class FastTD3Config final : public AgentConfigOf<FastTD3Settings> {
 public:
  void check(const AgentShape& shape) const override;
  std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                              const ComputeOptions& compute) const override;
};

}  // namespace mneme
