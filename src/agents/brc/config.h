// agents/brc/config.h - BRC's own settings and presets (Bigger, Regularized, Categorical).
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
  Index embedding = 32;
  Index atoms = 101;
  double value_bound = 10;
  double rate = 3e-4;
  double decay = 1e-4;
  double tau = 0.005;
  double temperature = 0.1;
  double temperature_rate = 3e-4;
  double temperature_beta1 = 0.5;
  double target_entropy = -0.5;
  Index actor_every = 1;
  std::string normaliser = "returns";
  std::string priority = "value";

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("actor_width", self.actor_width, "units of the actor");
    visit("actor_blocks", self.actor_blocks, "residual blocks of the actor");
    visit("critic_width", self.critic_width, "units of each of the two critics");
    visit("critic_blocks", self.critic_blocks, "residual blocks of each critic");
    visit("embedding", self.embedding, "numbers that stand for a task, if there are several");
    visit("atoms", self.atoms, "of the value distribution");
    visit("value_bound", self.value_bound, "atoms lie on [-bound, bound]; scaled returns too");
    visit("rate", self.rate, "learning rate of actor and critics");
    visit("decay", self.decay, "decoupled weight decay, of every parameter");
    visit("tau", self.tau, "share of the way the target moves per update");
    visit("temperature", self.temperature, "initial weight of the entropy; one for all tasks");
    visit("temperature_rate", self.temperature_rate, "learning rate of its logarithm");
    visit("temperature_beta1", self.temperature_beta1, "of its Adam");
    visit("target_entropy", self.target_entropy, "per action dimension, padded ones too");
    visit("actor_every", self.actor_every, "critic updates per update of actor and temperature");
    visit("normaliser", self.normaliser,
          "rewards per task by: returns of whole episodes, moments of running returns, or none");
    visit("priority", self.priority, "value: |target mean - predicted mean|; or cross_entropy");
  }
};

class BrcConfig final : public AgentConfigOf<BrcSettings> {
 public:
  void check(const AgentShape& shape) const override;
  std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                              const ComputeOptions& compute) const override;
};

}  // namespace mneme
