// agents/sac_td3/learner.cpp - updates of SAC and TD3.
#include "agents/sac_td3/learner.h"

#include <torch/csrc/autograd/autograd.h>

#include <cmath>

namespace mneme::sac_td3 {
namespace {

using torch::autograd::grad;

Sizes sizes_of(const AgentShape& shape) { return {shape.observation(), shape.action()}; }

// Numbers of tensors with one element each, by one transfer from the device.
std::vector<double> numbers_of(const std::vector<at::Tensor>& scalars) {
  std::vector<at::Tensor> plain;
  for (const at::Tensor& one : scalars) plain.push_back(one.detach());
  const at::Tensor together = at::stack(plain).to(at::kCPU, at::kDouble);
  const auto* first = together.const_data_ptr<double>();
  return {first, first + together.numel()};
}

// The deterministic policy in TorchScript.
std::string policy_source(const Actor& actor) {
  std::string text = "def forward(self, observation):\n    x = observation\n";
  const std::size_t layers = actor.network.layers.size() / 2;
  for (std::size_t k = 0; k < layers; ++k) {
    const std::string name = concat("self.layer", k);
    const std::string input = k == 0 ? "x" : "torch.relu(x)";
    text += concat("    x = torch.linear(", input, ", ", name, "_weight[0], ", name, "_bias[0])\n");
  }
  return text + concat("    return torch.tanh(x[:, :", actor.action, "])\n");
}

}  // namespace

Networks::Networks(const SacTd3Settings& settings, const Sizes& sizes, at::TensorOptions options,
                   at::Generator& generator)
    : actor(settings, sizes, options, &generator),
      target_actor(settings, sizes, options, nullptr),
      critic(settings, sizes, options, &generator),
      target(settings, sizes, options, nullptr),
      log_temperature(options),
      settings_(settings),
      target_entropy_(settings.target_entropy * static_cast<double>(sizes.action)),
      temperature_(log_temperature.add("log_temperature",
                                       at::full({}, std::log(settings.temperature), at::kDouble))),
      actor_adam_(actor.parameters),
      critic_adam_(critic.parameters),
      temperature_adam_(log_temperature) {
  target.parameters.copy_from(critic.parameters);
  target_actor.parameters.copy_from(actor.parameters);
  for (nn::Parameters* list : {&target.parameters, &target_actor.parameters, &log_temperature})
    list->learn(false);
}

double Networks::temperature() const { return temperature_.exp().item<double>(); }

at::Tensor Networks::update_critic(const TrainingBatch& batch, const at::Tensor& wanted,
                                   double factor, bool move_target, UpdateReport& report) {
  const at::Tensor values = critic(batch.observation, batch.action);
  const at::Tensor errors = wanted - values;
  const at::Tensor loss =
      (errors.square() * batch.weight).sum() * (factor / static_cast<double>(wanted.size(0)));
  critic_adam_.step(grad({loss}, critic.parameters.values()), settings_.learning_rate,
                    move_target ? &target.parameters : nullptr, settings_.tau);
  report.td_error = errors.detach().mean(0);
  return loss;
}

UpdateReport Networks::update_sac(const TrainingBatch& batch, const TrainingBatch& actor_batch,
                                  const at::Tensor& noise, const at::Tensor& next_noise) {
  UpdateReport report;
  const at::Tensor temperature = temperature_.exp();

  // 1. and 2. The policy, and the temperature.
  const nn::PolicySample policy = actor.sample(actor_batch.observation, noise);
  const at::Tensor entropy = -policy.log_prob.detach().mean();
  if (settings_.learn_temperature)
    temperature_adam_.step({entropy - target_entropy_}, settings_.learning_rate);

  // 3. and 4. The critics.
  at::Tensor wanted;
  {
    const at::NoGradGuard no_grad;
    const nn::PolicySample next = actor.sample(batch.next_observation, next_noise);
    const at::Tensor value = target(batch.next_observation, next.action).amin(0);
    wanted = batch.reward + batch.discount * (value - temperature * next.log_prob);
  }
  const at::Tensor critic_loss = update_critic(batch, wanted, 0.5, true, report);

  // 5. The actor. The critics pass gradients on and record none of their own.
  const nn::Frozen frozen(critic.parameters);
  const std::vector<at::Tensor> values = critic(actor_batch.observation, policy.action).unbind(0);
  const at::Tensor actor_loss =
      (temperature * policy.log_prob - at::minimum(values[0], values[1])).mean();
  actor_adam_.step(grad({actor_loss}, actor.parameters.values()), settings_.learning_rate);

  const std::vector<double> found = numbers_of({critic_loss, actor_loss, entropy, temperature});
  report.critic_loss = found[0];
  report.acted = true;
  report.actor_loss = found[1];
  report.entropy = found[2];
  report.temperature = found[3];
  return report;
}

UpdateReport Networks::update_td3(const TrainingBatch& batch, const TrainingBatch& actor_batch,
                                  const at::Tensor& next_noise) {
  UpdateReport report;
  report.acted = updates_ % settings_.policy_delay == 0;

  // 1. and 2. The critics.
  at::Tensor wanted;
  {
    const at::NoGradGuard no_grad;
    const double bound = settings_.noise_clip;
    const at::Tensor noise = (next_noise * settings_.policy_noise).clamp(-bound, bound);
    const at::Tensor action = (target_actor.best(batch.next_observation) + noise).clamp(-1, 1);
    wanted = batch.reward + batch.discount * target(batch.next_observation, action).amin(0);
  }
  const at::Tensor critic_loss = update_critic(batch, wanted, 1, report.acted, report);
  if (!report.acted) {
    report.critic_loss = critic_loss.item<double>();
    return report;
  }

  // 3. The actor. The first critic passes gradients on and records none of its own.
  const nn::Frozen frozen(critic.parameters);
  const at::Tensor& observation = actor_batch.observation;
  const at::Tensor actor_loss = -critic.first(observation, actor.best(observation)).mean();
  actor_adam_.step(grad({actor_loss}, actor.parameters.values()), settings_.learning_rate,
                   &target_actor.parameters, settings_.tau);
  const std::vector<double> found = numbers_of({critic_loss, actor_loss});
  report.critic_loss = found[0];
  report.actor_loss = found[1];
  return report;
}

UpdateReport Networks::update(const TrainingBatch& critic_batch, const TrainingBatch& actor_batch,
                              const at::Tensor& noise, const at::Tensor& next_noise) {
  ++updates_;
  return settings_.sac() ? update_sac(critic_batch, actor_batch, noise, next_noise)
                         : update_td3(critic_batch, actor_batch, next_noise);
}

void Networks::save(StateWriter& out) const {
  for (const nn::Parameters* list : {&actor.parameters, &target_actor.parameters,
                                     &critic.parameters, &target.parameters, &log_temperature})
    list->save(out);
  for (const nn::Adam* adam : {&actor_adam_, &critic_adam_, &temperature_adam_}) adam->save(out);
  out.put(updates_);
}

void Networks::load(StateReader& in) {
  for (nn::Parameters* list : {&actor.parameters, &target_actor.parameters, &critic.parameters,
                               &target.parameters, &log_temperature})
    list->load(in);
  for (nn::Adam* adam : {&actor_adam_, &critic_adam_, &temperature_adam_}) adam->load(in);
  updates_ = in.get<std::int64_t>();
}

Learner::Learner(const SacTd3Config& config, const AgentShape& shape, const AgentReaders& readers,
                 const ComputeOptions& compute)
    : LearnerBase(config.run, shape, readers, compute), config_(config), networks_([&] {
        at::Generator initial = initial_weights(compute);
        return Networks(config.own, sizes_of(shape), options(), initial);
      }()) {}

at::Tensor Learner::choose_actions(const at::Tensor& observations, const ActRows&, Acting how) {
  if (how == Acting::evaluate) return networks_.actor.best(observations);
  const at::Tensor normal = noise(observations.size(0));
  if (config_.own.sac()) return networks_.actor.sample(observations, normal).action;
  return (networks_.actor.best(observations) + config_.own.exploration_noise * normal).clamp(-1, 1);
}

void Learner::run_updates(Index updates) {
  for (Index k = 0; k < updates; ++k) {
    batches().draw(1);
    const TrainingBatch& batch = batches().critic(0);
    const std::int64_t rows = batch.reward.size(0);
    const at::Tensor next_noise = noise(rows);
    const at::Tensor actor_noise = config_.own.sac() ? noise(rows) : at::Tensor();
    const UpdateReport report =
        networks_.update(batch, batches().actor(0), actor_noise, next_noise);
    const Index at = networks_.updates();
    metrics().add("critic_loss", report.critic_loss, at);
    if (report.acted) metrics().add("actor_loss", report.actor_loss, at);
    if (config_.own.sac()) {
      metrics().add("entropy", report.entropy, at);
      metrics().add("temperature", report.temperature, at);
    }
    batches().feed_back(0, report.td_error);
  }
}

std::vector<const nn::Parameters*> Learner::learned() const {
  std::vector<const nn::Parameters*> list{&networks_.actor.parameters,
                                          &networks_.critic.parameters};
  if (config_.own.sac() && config_.own.learn_temperature)
    list.push_back(&networks_.log_temperature);
  return list;
}

LearnerBase::Policy Learner::policy() const {
  return {named(networks_.actor.parameters), policy_source(networks_.actor)};
}

}  // namespace mneme::sac_td3
