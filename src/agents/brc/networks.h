// agents/brc/networks.h - BRC's actor and critics.
//
//   bronet(x):  x = relu(LN(W x + b));  per block  x = x + LN(W2 relu(LN(W1 x + b1)) + b2)
//   critic:     [observation, action, task] -> bronet -> 101 logits, two members
//   actor:      [observation, task] -> bronet -> mean and log_std of a Gaussian under tanh
//
// A task is a row of one table in the critic, brought to length 1; both members share it, and the
// actor reads it without a gradient. With one task there is no table.
#pragma once

#include "agents/brc/config.h"
#include "agents/nn/heads/tanh_gaussian.h"
#include "agents/nn/layers/parameters.h"

namespace mneme::brc {

/// W x + b. Without a generator weights are 0, to be overwritten.
struct Dense {
  Dense(nn::Parameters& to, const std::string& name, std::int64_t in, std::int64_t out, double gain,
        at::Generator* generator);
  at::Tensor weight, bias;
  at::Tensor operator()(const at::Tensor& x) const;
};

/// LN(W x + b), with 1e-6 added to the variance.
struct NormedDense {
  NormedDense(nn::Parameters& to, const std::string& name, std::int64_t in, std::int64_t out,
              at::Generator* generator);
  Dense dense;
  at::Tensor scale, shift;
  at::Tensor then_relu(const at::Tensor& x) const;
  at::Tensor then_add(const at::Tensor& x, const at::Tensor& residual) const;
};

struct BroNet {
  BroNet(nn::Parameters& to, const std::string& name, std::int64_t in, std::int64_t width,
         std::int64_t blocks, at::Generator* generator);
  struct Block {
    NormedDense first, second;
  };
  NormedDense stem;
  std::vector<Block> blocks;
  at::Tensor operator()(const at::Tensor& x) const;
};

/// What networks are made for.
struct Sizes {
  std::int64_t tasks, observation, action;
};

struct Critic {
  Critic(const BrcSettings& settings, const Sizes& sizes, at::TensorOptions options,
         at::Generator* generator);
  struct Member {
    BroNet trunk;
    Dense head;
  };
  nn::Parameters parameters;
  at::Tensor embedding;  ///< (tasks, numbers) of any length; undefined with one task
  std::vector<Member> members;

  /// Rows of the table for these tasks, each of length 1. REQUIRES: several tasks.
  at::Tensor embedded(const at::Tensor& task) const;
  /// Logits (members, batch, atoms).
  at::Tensor operator()(const at::Tensor& observation, const at::Tensor& action,
                        const at::Tensor& task) const;
};

struct Actor {
  Actor(const BrcSettings& settings, const Sizes& sizes, at::TensorOptions options,
        at::Generator* generator);
  nn::Parameters parameters;
  BroNet trunk;
  Dense mean, log_std;

  /// tanh(mean): what the policy does without noise. `input` is that of actor_input.
  at::Tensor best(const at::Tensor& input) const;
  nn::PolicySample sample(const at::Tensor& input, const at::Tensor& noise) const;
};

/// Observations with the critic's table rows beside them; no gradient reaches the table.
at::Tensor actor_input(const Critic& critic, const at::Tensor& observation, const at::Tensor& task);

}  // namespace mneme::brc
