// agents/simbav2/config.h - SimbaV2's own settings and presets.
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
  Index atoms = 101;
  double value_bound = 5;
  bool two_critics = true;
  double first_rate = 1e-4, last_rate = 5e-5;
  double tau = 0.005;
  double temperature = 0.01;
  double target_entropy = -0.5;
  bool normalise_observations = true, scale_rewards = true;
  std::string priority = "value";
  std::string scaler = "new";
  bool return_ends_at_truncation = true;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("actor_width", self.actor_width, "units of the actor");
    visit("actor_blocks", self.actor_blocks, "residual blocks of the actor");
    visit("critic_width", self.critic_width, "units of each critic");
    visit("critic_blocks", self.critic_blocks, "residual blocks of each critic");
    visit("expansion", self.expansion, "units inside a block, as a multiple");
    visit("shift", self.shift, "the constant appended to inputs");
    visit("atoms", self.atoms, "of the value distribution");
    visit("value_bound", self.value_bound, "atoms lie on [-bound, bound]; scaled returns too");
    visit("two_critics", self.two_critics, "the smaller of two critics is the target");
    visit("first_rate", self.first_rate, "learning rate at the start");
    visit("last_rate", self.last_rate, "learning rate at the end of the run");
    visit("tau", self.tau, "share of the way the target moves per update");
    visit("temperature", self.temperature, "initial weight of the entropy");
    visit("target_entropy", self.target_entropy, "per action dimension");
    visit("normalise_observations", self.normalise_observations, "running mean and variance");
    visit("scale_rewards", self.scale_rewards, "by the size of discounted returns");
    visit("priority", self.priority, "value: |target mean - predicted mean|; or cross_entropy");
    visit("scaler", self.scaler, "old: the scales that the published results were made with");
    visit("return_ends_at_truncation", self.return_ends_at_truncation,
          "false: as when the published results were made");
  }
};

class SimbaV2Config final : public AgentConfigOf<SimbaV2Settings> {
 public:
  void check(const AgentShape& shape) const override;
  std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                              const ComputeOptions& compute) const override;
};

/// Discount by the rule of the public code: (x - 1) / x within [0.95, 0.995], x a fifth of the
/// decisions in an episode.
double simbav2_discount(Index horizon, Index repeat);

}  // namespace mneme
