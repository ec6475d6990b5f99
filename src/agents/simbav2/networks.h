// agents/simbav2/networks.h - SimbaV2's actor and critic.
#pragma once

#include "agents/nn/heads/tanh_gaussian.h"
#include "agents/nn/layers/hypersphere.h"
#include "agents/simbav2/config.h"

namespace mneme::simbav2 {

struct Actor {
  Actor(const SimbaV2Settings& settings, std::int64_t observation, std::int64_t action,
        at::TensorOptions options, at::Generator* generator);
  nn::Parameters parameters;
  nn::Encoder encoder;
  nn::Head mean, log_std;

  /// tanh(mean): what the policy does without noise.
  at::Tensor best(const at::Tensor& observation) const;
  nn::PolicySample sample(const at::Tensor& observation, const at::Tensor& noise) const;
};

struct Critic {
  Critic(const SimbaV2Settings& settings, std::int64_t observation, std::int64_t action,
         at::TensorOptions options, at::Generator* generator);
  nn::Parameters parameters;
  nn::Encoder encoder;
  nn::Head head;

  /// Logits (members, batch, atoms); with one critic too.
  at::Tensor operator()(const at::Tensor& observation, const at::Tensor& action) const;
};

}  // namespace mneme::simbav2
