// agents/sac_td3/networks.cpp - actor and critics of SAC and TD3.
#include "agents/sac_td3/networks.h"

namespace mneme::sac_td3 {
namespace {

constexpr double kLowestLogStd = -20, kHighestLogStd = 2;

std::vector<std::int64_t> between(std::int64_t in, std::vector<std::int64_t> hidden,
                                  std::int64_t out) {
  hidden.insert(hidden.begin(), in);
  hidden.push_back(out);
  return hidden;
}

}  // namespace

Actor::Actor(const SacTd3Settings& settings, const Sizes& sizes, at::TensorOptions options,
             at::Generator* generator)
    : parameters(options),
      // Mean and log_std are one layer of twice as many units: the same as two with one input.
      network(parameters, "layer", 1,
              between(sizes.observation, layer_sizes("actor_layers", settings.actor_layers),
                      settings.sac() ? 2 * sizes.action : sizes.action),
              generator),
      action(sizes.action) {}

at::Tensor Actor::best(const at::Tensor& observation) const {
  return network(observation)[0].narrow(-1, 0, action).tanh();
}

nn::PolicySample Actor::sample(const at::Tensor& observation, const at::Tensor& noise) const {
  const at::Tensor both = network(observation)[0];
  return nn::clamped_tanh_gaussian(both.narrow(-1, 0, action), both.narrow(-1, action, action),
                                   kLowestLogStd, kHighestLogStd, noise);
}

Critic::Critic(const SacTd3Settings& settings, const Sizes& sizes, at::TensorOptions options,
               at::Generator* generator)
    : parameters(options),
      network(parameters, "layer", 2,
              between(sizes.observation + sizes.action,
                      layer_sizes("critic_layers", settings.critic_layers), 1),
              generator) {}

at::Tensor Critic::operator()(const at::Tensor& observation, const at::Tensor& action) const {
  return network(observation, action).squeeze(-1);
}

at::Tensor Critic::first(const at::Tensor& observation, const at::Tensor& action) const {
  return network.first(observation, action).squeeze(-1)[0];
}

}  // namespace mneme::sac_td3
