// agents/brc/networks.cpp - BRC's actor and critics.
#include "agents/brc/networks.h"

#include <cmath>
#include <numbers>

#include "agents/nn/kernels/normed.h"
#include "agents/nn/layers/initial.h"

namespace mneme::brc {
namespace {

constexpr double kGain = std::numbers::sqrt2;
constexpr std::int64_t kMembers = 2;

// Numbers that stand for a task beside an observation.
std::int64_t task_numbers(const BrcSettings& settings, const Sizes& sizes) {
  return sizes.tasks > 1 ? settings.task_embedding_dim : 0;
}

}  // namespace

Dense::Dense(nn::Parameters& to, const std::string& name, std::int64_t in, std::int64_t out,
             double gain, at::Generator* generator)
    : weight(to.add(name + ".weight", nn::orthogonal(out, in, gain, generator))),
      bias(to.add(name + ".bias", at::zeros({out}, to.options()))) {}

at::Tensor Dense::operator()(const at::Tensor& x) const { return at::linear(x, weight, bias); }

NormedDense::NormedDense(nn::Parameters& to, const std::string& name, std::int64_t in,
                         std::int64_t out, at::Generator* generator)
    : dense(to, name, in, out, kGain, generator),
      scale(to.add(name + ".scale", at::ones({out}, to.options()))),
      shift(to.add(name + ".shift", at::zeros({out}, to.options()))) {}

at::Tensor NormedDense::then_relu(const at::Tensor& x) const {
  return nn::normed_relu(x, {dense.weight, dense.bias, scale, shift});
}

at::Tensor NormedDense::then_add(const at::Tensor& x, const at::Tensor& residual) const {
  return nn::normed_sum(x, {dense.weight, dense.bias, scale, shift}, residual);
}

BroNet::BroNet(nn::Parameters& to, const std::string& name, std::int64_t in, std::int64_t width,
               std::int64_t count, at::Generator* generator)
    : stem(to, name + ".stem", in, width, generator) {
  for (std::int64_t k = 0; k < count; ++k) {
    const std::string block = name + ".block" + std::to_string(k);
    // One after the other: the order decides which random numbers each gets.
    NormedDense first(to, block + ".first", width, width, generator);
    NormedDense second(to, block + ".second", width, width, generator);
    blocks.push_back({std::move(first), std::move(second)});
  }
}

at::Tensor BroNet::operator()(const at::Tensor& x) const {
  at::Tensor y = stem.then_relu(x);
  for (const Block& block : blocks) y = block.second.then_add(block.first.then_relu(y), y);
  return y;
}

Critic::Critic(const BrcSettings& settings, const Sizes& sizes, at::TensorOptions options,
               at::Generator* generator)
    : parameters(options) {
  const std::int64_t extra = task_numbers(settings, sizes);
  if (extra > 0) {
    // Any deviation gives the same directions; this one is the public code's.
    const double deviation = 1 / std::sqrt(static_cast<double>(extra));
    embedding = parameters.add("embedding", nn::normal({sizes.tasks, extra}, deviation, generator));
  }
  for (std::int64_t m = 0; m < kMembers; ++m) {
    const std::string name = "member" + std::to_string(m);
    BroNet trunk(parameters, name, sizes.observation + sizes.action + extra, settings.critic_width,
                 settings.critic_blocks, generator);
    Dense head(parameters, name + ".head", settings.critic_width, settings.num_atoms, kGain,
               generator);
    members.push_back({std::move(trunk), std::move(head)});
  }
}

at::Tensor Critic::embedded(const at::Tensor& task) const {
  return (embedding / embedding.norm(2, -1, true)).index_select(0, task);
}

at::Tensor Critic::operator()(const at::Tensor& observation, const at::Tensor& action,
                              const at::Tensor& task) const {
  const at::Tensor input = embedding.defined() ? at::cat({observation, action, embedded(task)}, -1)
                                               : at::cat({observation, action}, -1);
  // One chain of products per member: batched, both take the same time at width 512.
  std::vector<at::Tensor> logits;
  for (const Member& member : members) logits.push_back(member.head(member.trunk(input)));
  return at::stack(logits);
}

Actor::Actor(const BrcSettings& settings, const Sizes& sizes, at::TensorOptions options,
             at::Generator* generator)
    : parameters(options),
      trunk(parameters, "trunk", sizes.observation + task_numbers(settings, sizes),
            settings.actor_width, settings.actor_blocks, generator),
      mean(parameters, "mean", settings.actor_width, sizes.action, kGain, generator),
      log_std(parameters, "log_std", settings.actor_width, sizes.action, 1.0, generator) {}

at::Tensor Actor::best(const at::Tensor& input) const { return mean(trunk(input)).tanh(); }

nn::PolicySample Actor::sample(const at::Tensor& input, const at::Tensor& noise) const {
  const at::Tensor features = trunk(input);
  return nn::bounded_tanh_gaussian(mean(features), log_std(features), -10, 2, noise);
}

at::Tensor actor_input(const Critic& critic, const at::Tensor& observation,
                       const at::Tensor& task) {
  if (!critic.embedding.defined()) return observation;
  const at::NoGradGuard no_grad;
  return at::cat({observation, critic.embedded(task)}, -1);
}

}  // namespace mneme::brc
