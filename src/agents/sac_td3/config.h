// agents/sac_td3/config.h - settings and presets of the agents `sac` and `td3`.
//
//   upstream   Stable-Baselines3's defaults. sac: 256-256 networks, batches of 256, one update per
//              step; td3: 400-300 networks, learning rate 1e-3. The warm-up is CleanRL's (README.md
//              says why)
//   paper      as upstream: the replay paper trains neither
//   laptop     128-128 networks, batches of 128: learns small tasks in a minute or two on one core
#pragma once

#include "agents/registry.h"

namespace mneme {

enum class SacTd3Algorithm { sac, td3 };

struct SacTd3Settings {
  SacTd3Algorithm algorithm = SacTd3Algorithm::sac;  // by the agent's name, not a setting
  std::string actor_layers = "256-256", critic_layers = "256-256";
  double learning_rate = 3e-4;
  double tau = 0.005;
  // sac
  double temperature = 1;
  bool learn_temperature = true;
  double target_entropy = -1;
  // td3
  Index policy_delay = 2;
  double policy_noise = 0.2, noise_clip = 0.5;
  double exploration_noise = 0.1;

  bool sac() const { return algorithm == SacTd3Algorithm::sac; }
  std::string_view agent() const { return sac() ? "sac" : "td3"; }

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("actor_layers", self.actor_layers, "units of the actor's hidden layers");
    visit("critic_layers", self.critic_layers, "units of each critic's hidden layers");
    visit("learning_rate", self.learning_rate, "learning rate of all networks");
    visit("tau", self.tau, "soft update coefficient of the target networks");
    if (self.sac()) {
      visit("temperature", self.temperature, "initial entropy temperature");
      visit("learn_temperature", self.learn_temperature, "learn the temperature; false: constant");
      visit("target_entropy", self.target_entropy, "target entropy per action dimension");
    } else {
      visit("policy_delay", self.policy_delay, "critic updates per update of actor and targets");
      visit("policy_noise", self.policy_noise, "standard deviation of noise on target actions");
      visit("noise_clip", self.noise_clip, "bound of that noise");
      visit("exploration_noise", self.exploration_noise, "standard deviation of noise on actions");
    }
  }
};

/// "256-256" as numbers. Throws InvalidArgument with the name of the setting.
std::vector<std::int64_t> layer_sizes(const char* name, const std::string& text);

class SacTd3Config final : public AgentConfigOf<SacTd3Settings> {
 public:
  void check(const AgentShape& shape) const override;
  NetworkShapes network_shapes(const AgentShape& shape) const override;
  std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                              const ComputeOptions& compute) const override;
};

}  // namespace mneme
