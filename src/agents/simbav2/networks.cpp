// agents/simbav2/networks.cpp - SimbaV2's actor and critic.
#include "agents/simbav2/networks.h"

#include <cmath>

namespace mneme::simbav2 {
namespace {

nn::SphereOptions sphere(const SimbaV2Settings& s, std::int64_t members, std::int64_t width,
                         std::int64_t blocks) {
  nn::SphereOptions options{.members = members,
                            .width = width,
                            .blocks = blocks,
                            .expansion = s.expansion,
                            .shift = s.shift};
  if (s.scaler == "old") {
    options.embed_gain = 1;
    options.block_gain = 1 / std::sqrt(static_cast<double>(width));
  }
  return options;
}

nn::SphereOptions actor_sphere(const SimbaV2Settings& s) {
  return sphere(s, 1, s.actor_width, s.actor_blocks);
}

nn::SphereOptions critic_sphere(const SimbaV2Settings& s) {
  return sphere(s, s.two_critics ? 2 : 1, s.critic_width, s.critic_blocks);
}

}  // namespace

Actor::Actor(const SimbaV2Settings& s, std::int64_t observation, std::int64_t action,
             at::TensorOptions options, at::Generator* generator)
    : parameters(options),
      encoder(parameters, "encoder", actor_sphere(s), observation, generator),
      mean(parameters, "mean", actor_sphere(s), action, generator),
      log_std(parameters, "log_std", actor_sphere(s), action, generator) {}

at::Tensor Actor::best(const at::Tensor& observation) const {
  return mean(encoder(observation)).tanh();
}

nn::PolicySample Actor::sample(const at::Tensor& observation, const at::Tensor& noise) const {
  const at::Tensor features = encoder(observation);
  return nn::bounded_tanh_gaussian(mean(features), log_std(features), -10, 2, noise);
}

Critic::Critic(const SimbaV2Settings& s, std::int64_t observation, std::int64_t action,
               at::TensorOptions options, at::Generator* generator)
    : parameters(options),
      encoder(parameters, "encoder", critic_sphere(s), observation + action, generator),
      head(parameters, "head", critic_sphere(s), s.num_atoms, generator) {}

at::Tensor Critic::operator()(const at::Tensor& observation, const at::Tensor& action) const {
  const at::Tensor logits = head(encoder(at::cat({observation, action}, -1)));
  return logits.dim() == 3 ? logits : logits.unsqueeze(0);
}

}  // namespace mneme::simbav2
