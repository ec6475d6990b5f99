// agents/brc/learner.cpp - updates of BRC.
#include "agents/brc/learner.h"

#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "agents/common/tensor_io.h"

namespace mneme::brc {
namespace {

Sizes sizes_of(const AgentShape& shape) {
  return {.tasks = static_cast<std::int64_t>(shape.tasks.size()),
          .observation = shape.observation(),
          .action = shape.action()};
}

double target_entropy(const BrcSettings& settings, std::int64_t action) {
  return settings.target_entropy * static_cast<double>(action);
}

TrainingBatch with_scaled_rewards(const TrainingBatch& raw, const at::Tensor& divisors) {
  TrainingBatch seen = raw;
  seen.reward = raw.reward / divisors.index_select(0, raw.task);
  return seen;
}

// The deterministic policy in TorchScript, layer by layer as in brc/networks.cpp.
std::string policy_source(const Actor& actor, bool several_tasks) {
  std::string text = several_tasks ? "def forward(self, observation, task):\n"
                                     "    x = torch.cat([observation, self.embedding[task]], -1)\n"
                                   : "def forward(self, observation):\n    x = observation\n";
  const auto layer = [&](const std::string& to, const std::string& from, const std::string& name) {
    text += concat("    ", to, " = torch.layer_norm(torch.linear(", from, ", self.", name,
                   "_weight, self.", name, "_bias), [", actor.mean.weight.size(1), "], self.", name,
                   "_scale, self.", name, "_shift, 1e-6)\n");
  };
  layer("x", "x", "trunk_stem");
  text += "    x = torch.relu(x)\n";
  for (std::size_t k = 0; k < actor.trunk.blocks.size(); ++k) {
    const std::string block = concat("trunk_block", k);
    layer("y", "x", block + "_first");
    layer("y", "torch.relu(y)", block + "_second");
    text += "    x = x + y\n";
  }
  return text + "    return torch.tanh(torch.linear(x, self.mean_weight, self.mean_bias))\n";
}

}  // namespace

Temperature::Temperature(const BrcSettings& settings, at::TensorOptions options)
    : parameters_(options),
      logarithm_(parameters_.add("log_temperature",
                                 at::full({}, std::log(settings.temperature), at::kDouble))),
      adam_(parameters_, {.beta1 = settings.temperature_beta1}),
      rate_(settings.temperature_learning_rate) {
  parameters_.learn(false);
}

void Temperature::step(double surplus) { adam_.step({logarithm_.exp() * surplus}, rate_); }

void Temperature::save(StateWriter& out) const {
  parameters_.save(out);
  adam_.save(out);
}

void Temperature::load(StateReader& in) {
  parameters_.load(in);
  adam_.load(in);
}

Networks::Networks(const BrcSettings& settings, const Sizes& sizes, at::TensorOptions options,
                   at::Generator& generator)
    : actor(settings, sizes, options, &generator),
      critic(settings, sizes, options, &generator),
      target(settings, sizes, options, nullptr),
      temperature(settings, options),
      settings_(settings),
      target_entropy_(target_entropy(settings, sizes.action)),
      support_(-settings.v_max, settings.v_max, settings.num_atoms, options),
      actor_adam_(actor.parameters, {.decay = settings.weight_decay}),
      critic_adam_(critic.parameters, {.decay = settings.weight_decay}) {
  target.parameters.copy_from(critic.parameters);
  target.parameters.learn(false);
}

void Networks::update_critic(const TrainingBatch& batch, const at::Tensor& noise,
                             UpdateReport& report) {
  // What the critics should say: the mean of the target critics' distributions, moved.
  at::Tensor wanted;
  {
    const at::NoGradGuard no_grad;
    const nn::PolicySample next =
        actor.sample(actor_input(critic, batch.next_observation, batch.task), noise);
    const at::Tensor p = target(batch.next_observation, next.action, batch.task).softmax(-1);
    const at::Tensor shift = batch.reward - batch.discount * temperature.value() * next.log_prob;
    wanted = nn::project(support_, p.mean(0), shift, batch.discount);
  }
  const nn::CrossEntropy found =
      nn::cross_entropy(critic(batch.observation, batch.action, batch.task), wanted.unsqueeze(0));
  const at::Tensor loss = (found.rows * batch.weight).mean();
  critic_adam_.step(torch::autograd::grad({loss}, critic.parameters.values()),
                    settings_.learning_rate, &target.parameters, settings_.tau);
  report.critic_loss = loss.item<double>();
  if (settings_.priority == "value")
    report.td_error = nn::mean_of(support_, wanted - found.probabilities.mean(0));
  else
    report.td_error = found.rows.detach();
}

void Networks::update_actor(const TrainingBatch& batch, const at::Tensor& noise,
                            UpdateReport& report) {
  // The critic passes gradients on and records none of its own.
  const nn::Frozen frozen(critic.parameters);
  const nn::PolicySample policy =
      actor.sample(actor_input(critic, batch.observation, batch.task), noise);
  const at::Tensor value =
      nn::expectation(support_, critic(batch.observation, policy.action, batch.task)).mean(0);
  const at::Tensor loss = (temperature.value() * policy.log_prob - value).mean();
  actor_adam_.step(torch::autograd::grad({loss}, actor.parameters.values()),
                   settings_.learning_rate);
  report.acted = true;
  report.actor_loss = loss.item<double>();
  report.entropy = -policy.log_prob.mean().item<double>();
  temperature.step(report.entropy - target_entropy_);
  report.temperature = temperature.value();
}

UpdateReport Networks::update(const TrainingBatch& critic_batch, const TrainingBatch& actor_batch,
                              const at::Tensor& next_noise, const at::Tensor& noise) {
  UpdateReport report;
  update_critic(critic_batch, next_noise, report);
  ++updates_;
  if (updates_ % settings_.policy_delay == 0) update_actor(actor_batch, noise, report);
  return report;
}

void Networks::save(StateWriter& out) const {
  for (const nn::Parameters* list : {&actor.parameters, &critic.parameters, &target.parameters})
    list->save(out);
  for (const nn::Adam* adam : {&actor_adam_, &critic_adam_}) adam->save(out);
  temperature.save(out);
  out.put(updates_);
}

void Networks::load(StateReader& in) {
  for (nn::Parameters* list : {&actor.parameters, &critic.parameters, &target.parameters})
    list->load(in);
  for (nn::Adam* adam : {&actor_adam_, &critic_adam_}) adam->load(in);
  temperature.load(in);
  updates_ = in.get<std::int64_t>();
}

Learner::Learner(const BrcConfig& config, const AgentShape& shape, const AgentReaders& readers,
                 const ComputeOptions& compute)
    : LearnerBase(config.run, shape, readers, compute),
      config_(config),
      networks_([&] {
        at::Generator initial = initial_weights(compute);
        return Networks(config.own, sizes_of(shape), options(), initial);
      }()),
      rewards_(shape.tasks.size(), static_cast<std::size_t>(shape.environments),
               {.kind = config.own.reward_normalizer,
                .discount = config.run.discount,
                .bound = config.own.v_max,
                .target_entropy = target_entropy(config.own, shape.action())}) {}

at::Tensor Learner::choose_actions(const at::Tensor& observations, const ActRows& rows,
                                   Acting how) {
  const at::Tensor input =
      actor_input(networks_.critic, observations, tasks_of(rows, shape(), device()));
  return how == Acting::evaluate ? networks_.actor.best(input)
                                 : networks_.actor.sample(input, noise(input.size(0))).action;
}

void Learner::end_step(const StepOutcome& outcome) {
  rewards_.update(outcome.rewards, outcome.terminated, outcome.truncated);
}

at::Tensor Learner::divisors() const {
  const double temperature = networks_.temperature.value();
  std::vector<double> all;
  for (std::size_t task = 0; task < shape().tasks.size(); ++task)
    all.push_back(rewards_.divisor(task, temperature));
  return at::tensor(all, at::kDouble).to(device(), at::kFloat);
}

void Learner::run_updates(Index updates) {
  const auto count = static_cast<std::size_t>(updates);
  batches().draw(count);
  const at::Tensor divisors = this->divisors();
  for (std::size_t k = 0; k < count; ++k) {
    const TrainingBatch batch = with_scaled_rewards(batches().critic(k), divisors);
    const std::int64_t rows = batch.reward.size(0);
    const at::Tensor next_noise = noise(rows), actor_noise = noise(rows);
    const UpdateReport report =
        networks_.update(batch, batches().actor(k), next_noise, actor_noise);
    const Index at = networks_.updates();
    metrics().add("critic_loss", report.critic_loss, at);
    if (report.acted) {
      metrics().add("actor_loss", report.actor_loss, at);
      metrics().add("entropy", report.entropy, at);
      metrics().add("temperature", report.temperature, at);
    }
    batches().feed_back(k, report.td_error);
  }
}

std::vector<const nn::Parameters*> Learner::learned() const {
  return {&networks_.actor.parameters, &networks_.critic.parameters,
          &networks_.temperature.parameters()};
}

LearnerBase::Policy Learner::policy() const {
  nn::NamedTensors tensors = named(networks_.actor.parameters);
  const bool several = networks_.critic.embedding.defined();
  if (several) {
    const at::NoGradGuard no_grad;
    tensors.emplace_back("embedding", networks_.critic.embedded(at::arange(
                                          networks_.critic.embedding.size(0),
                                          at::TensorOptions(device()).dtype(at::kLong))));
  }
  return {tensors, policy_source(networks_.actor, several)};
}

}  // namespace mneme::brc
