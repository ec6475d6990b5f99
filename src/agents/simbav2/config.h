// agents/simbav2/config.h - settings and presets of SimbaV2.
//
//   upstream   the public code: 512-wide critic of two blocks, B 256, action repeat 2, UTD 2
//   paper      the same; where the replay paper's table says otherwise README.md says why not
//   laptop     a narrow critic and small batches: an update in a few milliseconds on one core
#pragma once

#include "agents/registry.h"

namespace mneme {

struct SimbaV2Settings {
  Index actor_width = 128, actor_blocks = 1;
  Index critic_width = 512, critic_blocks = 2;
  Index expansion = 4;
  double shift = 3;
  Index num_atoms = 101;
  double v_max = 5;
  bool two_critics = true;
  double learning_rate = 1e-4, learning_rate_end = 5e-5;
  double tau = 0.005;
  double temperature = 0.01;
  double target_entropy = -0.5;
  bool normalize_observations = true, normalize_rewards = true;
  std::string priority = "value";
  std::string scaler = "new";
  bool return_ends_at_truncation = true;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("actor_width", self.actor_width, "units of the actor");
    visit("actor_blocks", self.actor_blocks, "residual blocks of the actor");
    visit("critic_width", self.critic_width, "units of each critic");
    visit("critic_blocks", self.critic_blocks, "residual blocks of each critic");
    visit("expansion", self.expansion, "hidden units of a block, as a multiple of its width");
    visit("shift", self.shift, "constant appended to inputs");
    visit("num_atoms", self.num_atoms, "atoms of the value distribution");
    visit("v_max", self.v_max, "bound of the atoms, [-v_max, v_max], and of scaled returns");
    visit("two_critics", self.two_critics, "clipped double Q: the smaller of two critics");
    visit("learning_rate", self.learning_rate, "learning rate at the start");
    visit("learning_rate_end", self.learning_rate_end, "learning rate at the end of the run");
    visit("tau", self.tau, "soft update coefficient of the target critics");
    visit("temperature", self.temperature, "initial entropy temperature");
    visit("target_entropy", self.target_entropy, "target entropy per action dimension");
    visit("normalize_observations", self.normalize_observations,
          "normalize observations by running mean and variance");
    visit("normalize_rewards", self.normalize_rewards,
          "scale rewards by the size of discounted returns");
    visit("priority", self.priority,
          "priorities from: value, |target - predicted mean|; or cross_entropy");
    visit("scaler", self.scaler, "initial scales: new, or old as in the published results");
    visit("return_ends_at_truncation", self.return_ends_at_truncation,
          "truncation ends a return; false: as in the published results");
  }
};

class SimbaV2Config final : public AgentConfigOf<SimbaV2Settings> {
 public:
  void check(const AgentShape& shape) const override;
  NetworkShapes network_shapes(const AgentShape& shape) const override;
  std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                              const ComputeOptions& compute) const override;
};

/// Discount by the rule of the public code: (x - 1) / x within [0.95, 0.995], x a fifth of the
/// decisions in an episode.
double simbav2_discount(Index horizon, Index repeat);

}  // namespace mneme
