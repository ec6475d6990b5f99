// run/trainer.cpp - the training loop, step by step.
#include "run/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace mneme::lab {
namespace {

// An observation beyond this counts as a fault of the simulation.
constexpr float kPlausible = 1e6F;

Index log_every(const RunSettings& settings) { return std::max<Index>(1, settings.steps / 200); }

}  // namespace

void Trainer::step() {
  timing_.begin();
  std::copy(rows_.observation.begin(), rows_.observation.end(), observation_.begin());
  agent_->begin_step(observation_);
  choose_actions();
  timing_.lap(Phase::acting);
  envs_->step(actions_, rows_);
  timing_.lap(Phase::environment);
  ++step_;
  apply_truncation_policy();
  add_to_replay();
  timing_.lap(Phase::storing);
  agent_->end_step({rows_.reward, rows_.terminated, rows_.truncated});
  timing_.lap(Phase::acting);
  episodes_.add(rows_);
  learn();
  if (step_ % settings().eval_every == 0 || done()) evaluate_now();
  if (step_ % log_every(settings()) == 0 || done()) write_metrics();
}

void Trainer::choose_actions() {
  if (step_ < settings().random_steps) {
    for (float& action : actions_) action = static_cast<float>(2 * random_.uniform() - 1);
  } else {
    agent_->act({observation_, tasks_}, actions_, Acting::explore);
  }
}

void Trainer::apply_truncation_policy() {
  for (std::size_t e = 0; e < tasks_.size(); ++e) {
    if (rows_.truncated[e] == 0) continue;
    if (settings().truncation_wins) rows_.terminated[e] = 0;
    if (!settings().bootstrap_truncated) rows_.terminated[e] = 1;
  }
}

void Trainer::add_to_replay() {
  const bool cut =
      std::any_of(rows_.cut.begin(), rows_.cut.end(), [](auto one) { return one != 0; });
  for (const float number : rows_.final_observation)
    out_of_range_ += !(std::abs(number) < kPlausible);
  if (!cut) {
    buffer_.add_all({.observation = observation_,
                     .action = actions_,
                     .reward = rows_.reward,
                     .next_observation = rows_.final_observation,
                     .terminated = rows_.terminated,
                     .truncated = rows_.truncated});
    return;
  }
  // A simulation failed: its row is not stored, and no window crosses it.
  const std::span<const float> observations(observation_), actions(actions_),
      next(rows_.final_observation);
  const std::size_t width = observation_.size() / tasks_.size();
  const std::size_t action_width = actions_.size() / tasks_.size();
  for (std::size_t e = 0; e < tasks_.size(); ++e) {
    const auto stream = static_cast<Index>(e);
    if (rows_.cut[e] != 0)
      buffer_.cut(stream);
    else
      buffer_.add({.stream = stream,
                   .observation = observations.subspan(e * width, width),
                   .action = actions.subspan(e * action_width, action_width),
                   .reward = rows_.reward[e],
                   .next_observation = next.subspan(e * width, width),
                   .terminated = rows_.terminated[e] != 0,
                   .truncated = rows_.truncated[e] != 0});
  }
}

void Trainer::learn() {
  if (step_ < settings().learning_starts) return;
  updates_owed_ += settings().utd;
  // A third of an update per step is due after three steps, whatever its sum rounds to.
  const auto due = static_cast<Index>(std::floor(updates_owed_ + 1e-9));
  updates_owed_ -= static_cast<double>(due);
  if (due == 0) return;
  const BatchSeconds before = agent_->batch_seconds();
  timing_.begin();
  agent_->learn(due, static_cast<double>(step_) / static_cast<double>(settings().steps));
  timing_.lap(Phase::update);
  const BatchSeconds after = agent_->batch_seconds();
  timing_.move(Phase::update, Phase::sampling, after.sampling - before.sampling);
  timing_.move(Phase::update, Phase::feedback, after.feedback - before.feedback);
  updates_ += due;
}

RowPlace Trainer::place() const {
  return {.step = step_, .frame = step_ * settings().action_repeat};
}

void Trainer::evaluate_now() {
  timing_.begin();
  last_evaluation_ = evaluator_(*agent_, settings().eval_episodes, evaluations_++);
  timing_.lap(Phase::evaluation);
  writer_.evaluations(place(), seconds(), last_evaluation_);
}

void Trainer::write_metrics() {
  const RowPlace at = place();
  for (const auto& [name, value] : agent_->take_metrics())
    writer_.metric(at, name, value, concat("train/", name));
  for (const EpisodeStats::Mean& mean : episodes_.take_means()) {
    const std::string& task = config_.shape.tasks[mean.task].name;
    writer_.metric(at, concat(mean.name, ':', task), mean.value, concat(mean.name, '/', task));
  }
  writer_.metric(at, "updates", updates_, "train/updates");
  if (out_of_range_ > 0) writer_.metric(at, "observations_out_of_range", out_of_range_);
  if (new_episode_resumes_ > 0)
    writer_.metric(at, "resumes_with_new_episodes", new_episode_resumes_);
  if (envs_->counts().cuts > 0) writer_.metric(at, "episodes_cut", envs_->counts().cuts);
  writer_.timing(at, seconds(), timing_);
  if (updates_ > 0) write_diagnostics();
  writer_.end_step(step_);
}

void Trainer::write_diagnostics() {
  std::vector<std::string> names{""};
  if (!settings().actor_sampler.empty()) names.push_back(kActorReader);
  for (const std::string& reader : names) {
    const LiveDiagnostics live = buffer_.reader(reader).diagnostics();
    const std::string of = reader.empty() ? "critic" : reader;
    for (const auto& [name, value] :
         {std::pair<const char*, double>{"replay_volume", live.replay_volume},
          {"expected_recency", live.expected_recency},
          {"reference_recency", live.reference_recency},
          {"sampling_entropy", live.sampling_entropy},
          {"mean_age", live.mean_age},
          {"never_replayed", live.never_replayed},
          {"replays_per_row", live.replays_per_row},
          {"unique_share", live.unique_share}})
      writer_.diagnostic(place(), of, name, value);
  }
}

double Trainer::seconds() const {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now() - begun_;
  return seconds_before_ + now.count();
}

}  // namespace mneme::lab
