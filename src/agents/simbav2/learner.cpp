// agents/simbav2/learner.cpp - updates of SimbaV2.
#include "agents/simbav2/learner.h"

#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "agents/nn/io/tensors.h"
#include "agents/nn/optim/schedules.h"

namespace mneme::simbav2 {
namespace {

// For each row the distribution of the critic whose mean is smaller; the first of equals.
at::Tensor pessimistic(const nn::Support& support, const at::Tensor& probabilities) {
  if (probabilities.size(0) == 1) return probabilities[0];
  const at::Tensor means = nn::mean_of(support, probabilities);
  return at::where((means[1] < means[0]).unsqueeze(-1), probabilities[1], probabilities[0]);
}

at::Tensor smallest(const at::Tensor& values) {
  return values.size(0) == 1 ? values[0] : at::minimum(values[0], values[1]);
}

// The deterministic policy in TorchScript, layer by layer as in nn/hypersphere.cpp.
std::string policy_source(const Actor& actor, const SimbaV2Settings& settings) {
  std::string text = concat(R"(
def l2(self, x):
    return x / x.norm(2, [-1], True).clamp_min(1e-8)

def forward(self, observation):
    x = ((observation.double() - self.mean_seen) * self.factor).float()
    x = self.l2(torch.cat([x, x.new_full([x.size(0), 1], )",
                            settings.shift, R"()], -1))
    x = self.l2(torch.linear(x, self.encoder_embedder_dense) * (self.encoder_embedder_scaler * )",
                            shortest_number(actor.encoder.embedder.scaler.gain), "))\n");
  for (std::size_t k = 0; k < actor.encoder.blocks.size(); ++k) {
    const nn::LerpBlock& block = actor.encoder.blocks[k];
    const std::string name = concat("self.encoder_block", k, "_");
    text += concat("    y = torch.linear(x, ", name, "first) * (", name, "scaler * ",
                   shortest_number(block.scaler.gain), ")\n",
                   "    y = self.l2(torch.linear(torch.relu(y) + 1e-8, ", name, "second))\n",
                   "    x = self.l2(x + ", name, "alpha * ", shortest_number(block.alpha.gain),
                   " * (y - x))\n");
  }
  return text + R"(
    x = torch.linear(x, self.mean_first) * self.mean_scaler
    return torch.tanh(torch.linear(x, self.mean_second) + self.mean_bias)
)";
}

}  // namespace

Networks::Networks(const SimbaV2Settings& settings, std::int64_t observation, std::int64_t action,
                   double horizon, at::TensorOptions options, at::Generator& generator)
    : actor(settings, observation, action, options, &generator),
      critic(settings, observation, action, options, &generator),
      target(settings, observation, action, options, nullptr),
      log_temperature(options),
      settings_(settings),
      horizon_(horizon),
      target_entropy_(settings.target_entropy * static_cast<double>(action)),
      support_(-settings.v_max, settings.v_max, settings.num_atoms, options),
      temperature_(log_temperature.add("log_temperature",
                                       at::full({}, std::log(settings.temperature), at::kDouble))),
      actor_adam_(actor.parameters),
      critic_adam_(critic.parameters),
      temperature_adam_(log_temperature) {
  target.parameters.copy_from(critic.parameters);
  target.parameters.learn(false);
}

double Networks::rate() const {
  return nn::linear(settings_.learning_rate, settings_.learning_rate_end,
                    static_cast<double>(updates_), horizon_);
}

UpdateReport Networks::update(const TrainingBatch& batch, const TrainingBatch& actor_batch,
                              const at::Tensor& noise, const at::Tensor& next_noise) {
  using torch::autograd::grad;
  UpdateReport report;
  const double rate = this->rate();

  // 1. The actor. The critic passes gradients on and records none of its own.
  at::Tensor entropy;
  {
    const nn::Frozen frozen(critic.parameters);
    const double temperature = temperature_.exp().item<double>();
    const nn::PolicySample policy = actor.sample(actor_batch.observation, noise);
    const at::Tensor value =
        nn::expectation(support_, critic(actor_batch.observation, policy.action));
    const at::Tensor loss = (temperature * policy.log_prob - smallest(value)).mean();
    actor_adam_.step(grad({loss}, actor.parameters.values()), rate);
    report.actor_loss = loss.item<double>();
    entropy = -policy.log_prob.detach().mean();
    report.entropy = entropy.item<double>();
  }

  // 2. The temperature.
  {
    const at::Tensor loss = temperature_.exp() * (entropy - target_entropy_);
    temperature_adam_.step(grad({loss}, log_temperature.values()), rate);
    report.temperature_loss = loss.item<double>();
    report.temperature = temperature_.exp().item<double>();
  }

  // 3. The target distribution: r + discount (z - T log pi(a')).
  at::Tensor wanted;
  {
    const at::NoGradGuard no_grad;
    const nn::PolicySample next = actor.sample(batch.next_observation, next_noise);
    const at::Tensor p = target(batch.next_observation, next.action).softmax(-1);
    const at::Tensor shift = batch.reward - batch.discount * report.temperature * next.log_prob;
    wanted = nn::project(support_, pessimistic(support_, p), shift, batch.discount);
  }

  // 4. and 5. The critic, and the target critic after it.
  const at::Tensor logits = critic(batch.observation, batch.action);
  const nn::CrossEntropy found = nn::cross_entropy(logits, wanted.unsqueeze(0));
  const at::Tensor loss = (found.rows * batch.weight).mean();
  critic_adam_.step(grad({loss}, critic.parameters.values()), rate, &target.parameters,
                    settings_.tau);
  report.critic_loss = loss.item<double>();
  if (settings_.priority == "value") {
    const at::Tensor predicted = nn::mean_of(support_, found.probabilities).mean(0);
    report.td_error = nn::mean_of(support_, wanted) - predicted;
  } else {
    report.td_error = found.rows.detach();
  }
  ++updates_;
  return report;
}

void Networks::save(StateWriter& out) const {
  for (const nn::Parameters* list :
       {&actor.parameters, &critic.parameters, &target.parameters, &log_temperature})
    list->save(out);
  for (const nn::Adam* adam : {&actor_adam_, &critic_adam_, &temperature_adam_}) adam->save(out);
  out.put(updates_);
}

void Networks::load(StateReader& in) {
  for (nn::Parameters* list :
       {&actor.parameters, &critic.parameters, &target.parameters, &log_temperature})
    list->load(in);
  for (nn::Adam* adam : {&actor_adam_, &critic_adam_, &temperature_adam_}) adam->load(in);
  updates_ = in.get<std::int64_t>();
}

Learner::Learner(const SimbaV2Config& config, const AgentShape& shape, const AgentReaders& readers,
                 const ComputeOptions& compute)
    : LearnerBase(config.run, shape, readers, compute),
      config_(config),
      networks_([&] {
        at::Generator initial = initial_weights(compute);
        return Networks(config.own, shape.observation(), shape.action(),
                        static_cast<double>(config.run.steps) * config.run.utd, options(), initial);
      }()),
      observations_(shape.observation(), 1e-4, nn::Merge::exact, device()),
      returns_(static_cast<std::size_t>(shape.streams()), {.discount = config.run.discount}) {}

void Learner::begin_step(std::span<const float> observations) {
  if (rewards_.empty()) return;  // the first observation of a run is not counted
  returns_.update(rewards_, done_);
  observations_.update(nn::rows_of(observations, shape().observation()).to(device()));
}

void Learner::end_step(const StepOutcome& outcome) {
  rewards_.assign(outcome.rewards.begin(), outcome.rewards.end());
  done_.assign(outcome.terminated.begin(), outcome.terminated.end());
  if (!config_.own.return_ends_at_truncation) return;
  for (std::size_t e = 0; e < done_.size(); ++e) done_[e] |= outcome.truncated[e];
}

void Learner::on_episodes_interrupted() {
  // The last rewards are still counted; after that every return restarts.
  std::fill(done_.begin(), done_.end(), std::uint8_t{1});
}

at::Tensor Learner::normalized(const at::Tensor& observations) const {
  if (!config_.own.normalize_observations) return observations;
  return nn::normalized(observations, observations_.mean(),
                        (observations_.variance() + 1e-8).rsqrt());
}

double Learner::reward_divisor() const {
  if (!config_.own.normalize_rewards) return 1;
  return std::max(std::sqrt(returns_.variance() + 1e-8), returns_.largest() / config_.own.v_max);
}

TrainingBatch Learner::as_seen(const TrainingBatch& raw) const {
  TrainingBatch seen = raw;
  seen.observation = normalized(raw.observation);
  seen.next_observation = normalized(raw.next_observation);
  seen.reward = raw.reward / reward_divisor();
  return seen;
}

at::Tensor Learner::choose_actions(const at::Tensor& observations, const ActRows&, Acting how) {
  const at::Tensor seen = normalized(observations);
  return how == Acting::evaluate ? networks_.actor.best(seen)
                                 : networks_.actor.sample(seen, noise(seen.size(0))).action;
}

void Learner::run_updates(Index updates) {
  for (Index k = 0; k < updates; ++k) {
    batches().draw(1);
    const TrainingBatch batch = as_seen(batches().critic(0));
    const TrainingBatch actor_batch =
        &batches().actor(0) == &batches().critic(0) ? batch : as_seen(batches().actor(0));
    const std::int64_t rows = batch.reward.size(0);
    const at::Tensor first = noise(rows), second = noise(rows);
    const UpdateReport report = networks_.update(batch, actor_batch, first, second);
    const Index at = networks_.updates();
    metrics().add("critic_loss", report.critic_loss, at);
    metrics().add("actor_loss", report.actor_loss, at);
    metrics().add("entropy", report.entropy, at);
    metrics().add("temperature", report.temperature, at);
    batches().feed_back(0, report.td_error);
  }
}

void Learner::save_statistics(StateWriter& out) const {
  observations_.save(out);
  returns_.save(out);
  out.put(static_cast<std::uint64_t>(rewards_.size()));
  out.put_all(std::span<const float>(rewards_));
  out.put_all(std::span<const std::uint8_t>(done_));
}

void Learner::load_statistics(StateReader& in) {
  observations_.load(in);
  returns_.load(in);
  const auto rows = in.get<std::uint64_t>();
  if (rows != 0 && rows != static_cast<std::uint64_t>(shape().streams()))
    throw CorruptData(concat("rewards of ", rows, " environments, expected ", shape().streams()));
  rewards_.resize(rows);
  done_.resize(rows);
  in.get_all(std::span<float>(rewards_));
  in.get_all(std::span<std::uint8_t>(done_));
}

std::vector<const nn::Parameters*> Learner::learned() const {
  return {&networks_.actor.parameters, &networks_.critic.parameters, &networks_.log_temperature};
}

LearnerBase::Policy Learner::policy() const {
  nn::NamedTensors tensors = named(networks_.actor.parameters);
  const bool normalize = config_.own.normalize_observations;
  const at::Tensor mean = observations_.mean();
  tensors.emplace_back("mean_seen", normalize ? mean : at::zeros_like(mean));
  tensors.emplace_back("factor",
                       normalize ? (observations_.variance() + 1e-8).rsqrt() : at::ones_like(mean));
  return {tensors, policy_source(networks_.actor, config_.own)};
}

}  // namespace mneme::simbav2
