// agents/run_settings.h - what every agent's training loop needs to know, whoever the agent is.
//
// Steps are vector steps: one decision in every environment of the run. Each agent's presets fill
// these numbers with its own.
#pragma once

#include "agents/fields.h"

namespace mneme {

struct RunSettings {
  Index steps = 500'000;
  Index environments = 1;
  Index repeat = 1;

  Index batch = 256;
  double utd = 1;
  Index random_steps = 5'000;
  Index first_update = 5'000;

  Index capacity = 1'000'000;
  std::string stream_policy = "uniform";
  std::string sampler = "uniform";
  std::string actor_sampler;
  Index n_step = 1;
  std::string horizon = "full";
  double discount = 0.99;
  bool bootstrap_truncated = true;
  std::string storage = "f32";
  bool truncation_wins = false;

  Index eval_every = 50'000;
  Index eval_episodes = 10;
  bool eval_at_start = false;

  template <class Self, class Visit>
  static void fields(Self& self, const Visit& visit) {
    visit("steps", self.steps, "decisions in every environment");
    visit("environments", self.environments, "of each task, stepped together");
    visit("repeat", self.repeat, "simulation steps per decision");
    visit("batch", self.batch, "transitions per update, of all streams together");
    visit("utd", self.utd, "updates per vector step; below 1 too");
    visit("random_steps", self.random_steps, "steps with uniformly random actions at the start");
    visit("first_update", self.first_update, "the step after which updates begin");
    visit("capacity", self.capacity, "transitions kept per stream");
    visit("stream_policy", self.stream_policy, "which stream a draw comes from");
    visit("sampler", self.sampler, "spec of the sampler; the critic's, if the actor has its own");
    visit("actor_sampler", self.actor_sampler, "spec of the actor's own batches; none: shared");
    visit("n_step", self.n_step, "rewards summed per transition");
    visit("horizon", self.horizon, "full or clip: windows near the newest end");
    visit("discount", self.discount, "per decision");
    visit("bootstrap_truncated", self.bootstrap_truncated,
          "false: a time limit is stored as if it had ended the task");
    visit("storage", self.storage, "type observations are kept in: f32, f16 or bf16");
    visit("truncation_wins", self.truncation_wins,
          "a step that both ends the task and reaches the time limit goes on");
    visit("eval_every", self.eval_every, "steps between evaluations");
    visit("eval_episodes", self.eval_episodes, "of each task, per evaluation");
    visit("eval_at_start", self.eval_at_start, "also before the first step");
  }
};

/// Throws InvalidArgument for numbers no run can have.
void check(const RunSettings& settings);

/// Throws InvalidArgument if a batch is larger than what `streams` streams hold when updates begin:
/// for agents that would learn the same rows over and over.
void check_warm_up(const RunSettings& settings, Index streams);

}  // namespace mneme
