// agents/fasttd3/learner.cpp - updates of FastTD3.
#include "agents/fasttd3/learner.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "agents/common/tensor_io.h"
#include "agents/fasttd3/policy_source.h"
#include "agents/nn/io/tensors.h"
#include "agents/nn/optim/schedules.h"

namespace mneme::fasttd3 {
namespace {

// Gradients of all parameters together brought down to this length; 0: left as they are.
std::vector<at::Tensor> shortened(std::vector<at::Tensor> gradients, double longest) {
  if (longest <= 0) return gradients;
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> squares;
  for (const at::Tensor& one : gradients) squares.push_back(one.square().sum());
  const double length = std::sqrt(at::stack(squares).sum().item<double>());
  const double factor = std::min(1.0, longest / (length + 1e-6));
  for (at::Tensor& one : gradients) one = one * factor;
  return gradients;
}

nn::Merge merge_of(const FastTD3Settings& settings) {
  return settings.merge == "reference" ? nn::Merge::fasttd3 : nn::Merge::exact;
}

}  // namespace

Networks::Networks(const FastTD3Settings& settings, const NetworkShape& shape,
                   at::TensorOptions options, at::Generator& generator)
    : actor(settings, shape, options, &generator),
      critics(settings, shape, options, &generator),
      target(settings, shape, options, nullptr),
      settings_(settings),
      support_(settings.v_min, settings.v_max, settings.num_atoms, options),
      actor_adam_(actor.parameters, {.decay = settings.weight_decay}),
      critic_adam_(critics.parameters, {.decay = settings.weight_decay}) {
  target.parameters.copy_from(critics.parameters);
  target.parameters.learn(false);
}

CriticReport Networks::update_critics(const TrainingBatch& batch, const at::Tensor& noise,
                                      double rate) {
  // The targets. They use the online actor: there is no target actor.
  Targets targets;
  {
    const at::NoGradGuard no_grad;
    actor.tasks.shorten(batch.task);
    target.tasks.shorten(batch.task);
    const double clip = settings_.noise_clip;
    const at::Tensor shake = (noise * settings_.policy_noise).clamp_(-clip, clip);
    const at::Tensor action = (actor(batch.next_observation, batch.task) + shake).clamp_(-1.0, 1.0);
    targets = targets_of(support_, target(batch.next_observation, batch.task, action), batch.reward,
                         batch.discount, settings_.clipped_double_q);
  }

  critics.tasks.shorten(batch.task);
  const CriticLoss found =
      critic_loss(support_, critics(batch.observation, batch.task, batch.action), targets.wanted);
  const at::Tensor loss = (found.rows * batch.weight).mean();
  critic_adam_.step(shortened(torch::autograd::grad({loss}, critics.parameters.values()),
                              settings_.max_grad_norm),
                    rate, &target.parameters, settings_.tau);
  return {.loss = loss.item<double>(),
          .lowest_target = targets.values[0].min().item<double>(),
          .highest_target = targets.values[0].max().item<double>(),
          .td_error =
              settings_.priority == "value" ? targets.value - found.value : found.rows.detach()};
}

double Networks::update_actor(const TrainingBatch& batch, double rate) {
  // The critics pass gradients on and record none of their own.
  const nn::Frozen frozen(critics.parameters);
  actor.tasks.shorten(batch.task);
  critics.tasks.shorten(batch.task);
  const at::Tensor action = actor(batch.observation, batch.task);
  const at::Tensor loss = -policy_value(support_, critics(batch.observation, batch.task, action),
                                        settings_.clipped_double_q)
                               .mean();
  actor_adam_.step(
      shortened(torch::autograd::grad({loss}, actor.parameters.values()), settings_.max_grad_norm),
      rate);
  return loss.item<double>();
}

void Networks::save(StateWriter& out) const {
  for (const nn::Parameters* list : {&actor.parameters, &critics.parameters, &target.parameters})
    list->save(out);
  for (const nn::Adam* adam : {&actor_adam_, &critic_adam_}) adam->save(out);
}

void Networks::load(StateReader& in) {
  for (nn::Parameters* list : {&actor.parameters, &critics.parameters, &target.parameters})
    list->load(in);
  for (nn::Adam* adam : {&actor_adam_, &critic_adam_}) adam->load(in);
}

Learner::Learner(const FastTD3Config& config, const AgentShape& shape, const AgentReaders& readers,
                 const ComputeOptions& compute)
    : LearnerBase(config.run, shape, readers, compute),
      config_(config),
      networks_([&] {
        at::Generator initial = initial_weights(compute);
        return Networks(config.own,
                        {.observation = shape.observation(),
                         .action = shape.action(),
                         .tasks = static_cast<std::int64_t>(shape.tasks.size())},
                        options(), initial);
      }()),
      observations_(shape.observation(), merge_of(config.own), device()),
      rewards_({.tasks = shape.tasks.size(),
                .environments = static_cast<std::size_t>(shape.environments),
                .discount = config.run.discount,
                .bound = std::min(std::abs(config.own.v_min), std::abs(config.own.v_max)),
                .merge = merge_of(config.own)}),
      scales_(fresh_scales()),
      done_(static_cast<std::size_t>(shape.streams()), 0) {}

at::Tensor Learner::fresh_scales() {
  const double low = config_.own.std_min, range = config_.own.std_max - low;
  return at::rand({shape().streams(), 1}, generator(), options()) * range + low;
}

void Learner::begin_step(std::span<const float> observations) {
  if (config_.own.normalize_observations)
    observations_.count(nn::rows_of(observations, shape().observation()).to(device()));
}

at::Tensor Learner::choose_actions(const at::Tensor& observations, const ActRows& rows,
                                   Acting how) {
  const at::Tensor seen =
      config_.own.normalize_observations ? observations_(observations) : observations;
  at::Tensor action = networks_.actor(seen, tasks_of(rows, shape(), device()));

  if (how == Acting::explore) {
    // Episodes that ended in the last step: new ones draw a new noise scale.
    if (std::any_of(done_.begin(), done_.end(), [](std::uint8_t one) { return one != 0; })) {
      const at::Tensor ended =
          at::from_blob(done_.data(), {shape().streams(), 1}, at::kByte).to(device(), at::kBool);
      scales_ = at::where(ended, fresh_scales(), scales_);
      std::fill(done_.begin(), done_.end(), std::uint8_t{0});
    }
    action = action + scales_ * noise(seen.size(0));
    if (config_.own.clamp_actions) action.clamp_(-1.0, 1.0);
  }
  return action;
}

void Learner::end_step(const StepOutcome& outcome) {
  for (std::size_t e = 0; e < done_.size(); ++e)
    done_[e] = static_cast<std::uint8_t>(outcome.terminated[e] != 0 || outcome.truncated[e] != 0);
  if (config_.own.normalize_rewards) rewards_.count(outcome.rewards, done_);
  ++steps_;
}

void Learner::on_episodes_interrupted() {
  std::fill(done_.begin(), done_.end(), std::uint8_t{1});  // new noise scales
  rewards_.on_episodes_interrupted();
}

TrainingBatch Learner::as_seen(const TrainingBatch& raw, bool count) {
  TrainingBatch seen = raw;
  if (config_.own.normalize_observations) {
    count = count && config_.own.normalize_from_replay;
    if (count) observations_.count(raw.observation);
    seen.observation = observations_(raw.observation);
    if (count) observations_.count(raw.next_observation);
    seen.next_observation = observations_(raw.next_observation);
  }
  if (config_.own.normalize_rewards) seen.reward = rewards_(raw.reward, raw.task);
  return seen;
}

// A lone update per step goes by the step, several by their place among them; where that would
// leave the actor out (fewer updates per step than policy_delay) by their number in the run.
bool Learner::policy_is_due(Index update, Index updates) const {
  const Index every = config_.own.policy_delay;
  if (updates == 1 && config_.run.utd == 1) return std::max(steps_ - 1, Index{0}) % every == 0;
  return (updates < every ? updates_ : update) % every == every - 1;
}

void Learner::run_updates(Index updates) {
  const FastTD3Settings& own = config_.own;
  const auto step = static_cast<double>(std::max<std::int64_t>(0, steps_ - 1));
  const auto steps = static_cast<double>(config_.run.steps);
  const double critic_rate =
      nn::cosine(own.critic_learning_rate, own.critic_learning_rate_end, step, steps);
  const double actor_rate =
      nn::cosine(own.actor_learning_rate, own.actor_learning_rate_end, step, steps);
  for (Index k = 0; k < updates; ++k) {
    batches().draw(1);
    const TrainingBatch batch = as_seen(batches().critic(0), true);
    const CriticReport report =
        networks_.update_critics(batch, noise(batch.reward.size(0)), critic_rate);
    metrics().add("critic_loss", report.loss, updates_ + 1);
    metrics().add("lowest_target", report.lowest_target, updates_ + 1);
    metrics().add("highest_target", report.highest_target, updates_ + 1);
    batches().feed_back(0, report.td_error);
    if (policy_is_due(k, updates)) {
      const bool shared = &batches().actor(0) == &batches().critic(0);
      const double loss =
          networks_.update_actor(shared ? batch : as_seen(batches().actor(0), false), actor_rate);
      metrics().add("actor_loss", loss, updates_ + 1);
    }
    ++updates_;
  }
}

void Learner::save_statistics(StateWriter& out) const {
  observations_.save(out);
  nn::put_tensor(out, scales_);
  rewards_.save(out);
  out.put_all(std::span<const std::uint8_t>(done_));
  out.put(steps_);
  out.put(updates_);
}

void Learner::load_statistics(StateReader& in) {
  observations_.load(in);
  nn::get_tensor(in, scales_);  // its shape tells of another number of environments
  rewards_.load(in);
  in.get_all(std::span<std::uint8_t>(done_));
  steps_ = in.get<std::int64_t>();
  updates_ = in.get<std::int64_t>();
}

std::vector<const nn::Parameters*> Learner::learned() const {
  return {&networks_.actor.parameters, &networks_.critics.parameters};
}

LearnerBase::Policy Learner::policy() const {
  const Actor& actor = networks_.actor;
  nn::NamedTensors tensors = named(actor.parameters);
  for (auto& [name, value] : tensors)
    if (name == "tasks") value = actor.tasks.seen();
  const bool normalize = config_.own.normalize_observations;
  const at::Tensor mean = observations_.moments().mean();
  tensors.emplace_back("mean_seen", normalize ? mean : at::zeros_like(mean));
  tensors.emplace_back("factor", normalize ? observations_.factor() : at::ones_like(mean));
  return {tensors, policy_source(actor)};
}

}  // namespace mneme::fasttd3
