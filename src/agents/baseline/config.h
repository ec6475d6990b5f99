// agents/baseline/config.h - settings and presets of plain SAC and TD3.
//
//   upstream       Stable-Baselines3's defaults for SAC: 256-256 networks, B 256, one update per
//                  step; the warm-up is CleanRL's (README.md says why)
//   upstream_td3   its defaults for TD3: 400-300 networks, learning rate 1e-3
//   paper          as upstream: the replay paper has no such agent
//   laptop         128-128 networks, B 128: learns small tasks in a minute or two on one core
#pragma once

#include "agents/registry.h"

namespace mneme {

struct BaselineSettings {
  std::string algorithm = "sac";
  std::string actor_layers = "256-256", critic_layers = "256-256";
  double rate = 3e-4;
  double tau = 0.005;
  double temperature = 1;
  bool learn_temperature = true;
  double target_entropy = -1;
  Index delay = 2;
  double target_noise = 0.2, target_noise_bound = 0.5;
  double exploration = 0.1;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("algorithm", self.algorithm, "sac or td3");
    visit("actor_layers", self.actor_layers, "units of the actor's hidden layers");
    visit("critic_layers", self.critic_layers, "units of each critic's hidden layers");
    visit("rate", self.rate, "learning rate of actor, critics and temperature");
    visit("tau", self.tau, "share of the way targets move at a time");
    visit("temperature", self.temperature, "SAC: initial weight of the entropy");
    visit("learn_temperature", self.learn_temperature, "SAC: false: it stays as it is");
    visit("target_entropy", self.target_entropy, "SAC: per action dimension");
    visit("delay", self.delay, "TD3: critic updates per update of the actor and of the targets");
    visit("target_noise", self.target_noise, "TD3: standard deviation on the target's action");
    visit("target_noise_bound", self.target_noise_bound, "TD3: that noise is cut here");
    visit("exploration", self.exploration, "TD3: standard deviation on actions taken");
  }

  bool sac() const { return algorithm == "sac"; }
};

/// "256-256" as numbers. Throws InvalidArgument with the name of the setting.
std::vector<std::int64_t> layer_sizes(const char* name, const std::string& text);

class BaselineConfig final : public AgentConfigOf<BaselineSettings> {
 public:
  void check(const AgentShape& shape) const override;
  std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                              const ComputeOptions& compute) const override;
};

}  // namespace mneme
