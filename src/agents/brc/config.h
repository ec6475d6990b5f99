// agents/brc/config.h - settings and presets of BRC (Bigger, Regularized, Categorical).
//
//   upstream   the public code with its default flags: two critics of width 4096, B 1024 for
//              several tasks and 256 for one, two updates per vector step
//   paper      the same; where the replay paper's table says otherwise README.md says why not
//   laptop     narrow networks and small batches: an update in a few milliseconds on one core; on
//              HumanoidBench with 32 environments in all
#pragma once

#include "agents/registry.h"

namespace mneme {

struct BrcSettings {
  Index actor_width = 256, actor_blocks = 1;
  Index critic_width = 4096, critic_blocks = 2;
  Index task_embedding_dim = 32;
  Index num_atoms = 101;
  double v_max = 10;
  double learning_rate = 3e-4;
  double weight_decay = 1e-4;
  double tau = 0.005;
  double temperature = 0.1;
  double temperature_learning_rate = 3e-4;
  double temperature_beta1 = 0.5;
  double target_entropy = -0.5;
  Index policy_delay = 1;
  std::string reward_normalizer = "returns";
  std::string priority = "value";

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("actor_width", self.actor_width, "units of the actor");
    visit("actor_blocks", self.actor_blocks, "residual blocks of the actor");
    visit("critic_width", self.critic_width, "units of each of the two critics");
    visit("critic_blocks", self.critic_blocks, "residual blocks of each critic");
    visit("task_embedding_dim", self.task_embedding_dim, "size of task embeddings; several tasks");
    visit("num_atoms", self.num_atoms, "atoms of the value distribution");
    visit("v_max", self.v_max, "bound of the atoms, [-v_max, v_max], and of scaled returns");
    visit("learning_rate", self.learning_rate, "learning rate of actor and critics");
    visit("weight_decay", self.weight_decay, "decoupled weight decay of all parameters");
    visit("tau", self.tau, "soft update coefficient of the target critics");
    visit("temperature", self.temperature, "initial entropy temperature, one for all tasks");
    visit("temperature_learning_rate", self.temperature_learning_rate,
          "learning rate of the temperature's logarithm");
    visit("temperature_beta1", self.temperature_beta1, "beta1 of the temperature's Adam");
    visit("target_entropy", self.target_entropy,
          "target entropy per action dimension, padding included");
    visit("policy_delay", self.policy_delay, "critic updates per update of actor and temperature");
    visit("reward_normalizer", self.reward_normalizer,
          "rewards per task scaled by: returns of episodes, moments of running returns, or none");
    visit("priority", self.priority,
          "priorities from: value, |target - predicted mean|; or cross_entropy");
  }
};

class BrcConfig final : public AgentConfigOf<BrcSettings> {
 public:
  void check(const AgentShape& shape) const override;
  NetworkShapes network_shapes(const AgentShape& shape) const override;
  std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                              const ComputeOptions& compute) const override;
};

}  // namespace mneme
