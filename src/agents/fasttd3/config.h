// agents/fasttd3/config.h - settings and presets of FastTD3.
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
  Index task_embedding_dim = 32;
  double init_scale = 0.01;

  Index num_atoms = 101;
  double v_min = -250, v_max = 250;
  bool clipped_double_q = true;

  double critic_learning_rate = 3e-4, critic_learning_rate_end = 3e-4;
  double actor_learning_rate = 3e-4, actor_learning_rate_end = 3e-4;
  double weight_decay = 0.1;
  double max_grad_norm = 0;
  double tau = 0.1;
  Index policy_delay = 2;

  double policy_noise = 0.001, noise_clip = 0.5;
  double std_min = 0.001, std_max = 0.4;
  bool clamp_actions = false;

  bool normalize_observations = true, normalize_from_replay = true;
  std::string merge = "exact";
  bool normalize_rewards = false;
  std::string priority = "value";
  std::string precision = "auto";

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("network", self.network, "mlp, or simbav2 for hyperspherical layers");
    visit("critic_width", self.critic_width, "units of each critic's first layer, then 1/2, 1/4");
    visit("actor_width", self.actor_width, "units of the actor's first layer, then 1/2, 1/4");
    visit("critic_blocks", self.critic_blocks, "network=simbav2: residual blocks of the critics");
    visit("actor_blocks", self.actor_blocks, "network=simbav2: residual blocks of the actor");
    visit("sim_type", self.sim_type,
          "networks whose third layer is a SimNorm: none, actor, critic, both");
    visit("sim_dimension", self.sim_dimension, "units per SimNorm group");
    visit("critic_sim_groups", self.critic_sim_groups, "SimNorm groups of the critics");
    visit("actor_sim_groups", self.actor_sim_groups, "SimNorm groups of the actor");
    visit("task_embedding_dim", self.task_embedding_dim, "size of task embeddings; several tasks");
    visit("init_scale", self.init_scale, "standard deviation of the actor's last weights");
    visit("num_atoms", self.num_atoms, "atoms of the value distribution");
    visit("v_min", self.v_min, "lowest atom");
    visit("v_max", self.v_max, "highest atom");
    visit("clipped_double_q", self.clipped_double_q,
          "both critics learn the smaller target; false: each its own");
    visit("critic_learning_rate", self.critic_learning_rate, "learning rate of the critics, start");
    visit("critic_learning_rate_end", self.critic_learning_rate_end,
          "learning rate of the critics, end (cosine decay)");
    visit("actor_learning_rate", self.actor_learning_rate, "learning rate of the actor, start");
    visit("actor_learning_rate_end", self.actor_learning_rate_end,
          "learning rate of the actor, end (cosine decay)");
    visit("weight_decay", self.weight_decay, "decoupled weight decay of all weights");
    visit("max_grad_norm", self.max_grad_norm, "gradient clipping by global norm; 0: off");
    visit("tau", self.tau, "soft update coefficient of the target critics");
    visit("policy_delay", self.policy_delay, "critic updates per policy update");
    visit("policy_noise", self.policy_noise, "standard deviation of noise on target actions");
    visit("noise_clip", self.noise_clip, "bound of that noise");
    visit("std_min", self.std_min, "lowest standard deviation of exploration noise");
    visit("std_max", self.std_max, "highest; drawn uniformly per environment and episode");
    visit("clamp_actions", self.clamp_actions, "clamp actions to [-1, 1] before executing them");
    visit("normalize_observations", self.normalize_observations,
          "normalize observations by running mean and variance");
    visit("normalize_from_replay", self.normalize_from_replay,
          "sampled batches update those statistics too");
    visit("merge", self.merge, "variance update: exact, or reference as in the public code");
    visit("normalize_rewards", self.normalize_rewards,
          "scale rewards by the size of discounted returns, per task");
    visit("priority", self.priority,
          "priorities from: value, |target - predicted mean|; or cross_entropy");
    visit("precision", self.precision, "matmul precision: f32, bf16, or auto for bf16 on CUDA");
  }
};

class FastTD3Config final : public AgentConfigOf<FastTD3Settings> {
 public:
  void check(const AgentShape& shape) const override;
  NetworkShapes network_shapes(const AgentShape& shape) const override;
  std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                              const ComputeOptions& compute) const override;
};

}  // namespace mneme
