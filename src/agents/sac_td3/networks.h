// agents/sac_td3/networks.h - actor and critics of SAC and TD3.
#pragma once

#include "agents/nn/heads/tanh_gaussian.h"
#include "agents/nn/layers/mlp.h"
#include "agents/sac_td3/config.h"

namespace mneme::sac_td3 {

/// What networks are made for.
struct Sizes {
  std::int64_t observation, action;
};

/// SAC: mean and logarithm of the deviation of a Gaussian under tanh. TD3: what tanh is given.
struct Actor {
  Actor(const SacTd3Settings& settings, const Sizes& sizes, at::TensorOptions options,
        at::Generator* generator);
  nn::Parameters parameters;
  nn::Mlp network;
  std::int64_t action;

  /// What the policy does without noise: (batch, action).
  at::Tensor best(const at::Tensor& observation) const;
  /// REQUIRES: SAC. `noise` is standard normal.
  nn::PolicySample sample(const at::Tensor& observation, const at::Tensor& noise) const;
};

/// Two networks from (observation, action) to a value.
struct Critic {
  Critic(const SacTd3Settings& settings, const Sizes& sizes, at::TensorOptions options,
         at::Generator* generator);
  nn::Parameters parameters;
  nn::Mlp network;

  /// (2, batch).
  at::Tensor operator()(const at::Tensor& observation, const at::Tensor& action) const;
  /// (batch), of the first of the two.
  at::Tensor first(const at::Tensor& observation, const at::Tensor& action) const;
};

}  // namespace mneme::sac_td3
