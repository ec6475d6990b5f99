// agents/settings/run_settings.h - settings of the training loop, the same for every agent.
//
// A step is a vector step: one decision in every environment of the run. Each agent's presets fill
// in its own values.
#pragma once

#include "agents/settings/fields.h"

namespace mneme {

struct RunSettings {
  Index steps = 500'000;
  Index num_envs = 1;
  Index action_repeat = 1;

  Index batch_size = 256;
  double utd = 1;
  Index random_steps = 5'000;
  Index learning_starts = 5'000;

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
    visit("steps", self.steps, "vector steps: decisions in every environment");
    visit("num_envs", self.num_envs, "environments of each task, stepped together");
    visit("action_repeat", self.action_repeat, "simulation steps per decision");
    visit("batch_size", self.batch_size, "transitions per update, over all environments");
    visit("utd", self.utd, "updates per vector step; may be below 1");
    visit("random_steps", self.random_steps, "steps with uniformly random actions at the start");
    visit("learning_starts", self.learning_starts, "step after which updates begin");
    visit("capacity", self.capacity, "transitions kept per environment");
    visit("stream_policy", self.stream_policy, "how samples are shared out over environments");
    visit("sampler", self.sampler, "sampler spec; of the critic if the actor has its own");
    visit("actor_sampler", self.actor_sampler,
          "sampler spec of separate actor batches; empty: shared");
    visit("n_step", self.n_step, "rewards summed per transition");
    visit("horizon", self.horizon, "n-step windows at the newest end: full or clip");
    visit("discount", self.discount, "discount factor (gamma) per decision");
    visit("bootstrap_truncated", self.bootstrap_truncated,
          "bootstrap at time limits; false: store them as terminations");
    visit("storage", self.storage, "type of stored observations: f32, f16 or bf16");
    visit("truncation_wins", self.truncation_wins,
          "a step that terminates and truncates counts as truncated only");
    visit("eval_every", self.eval_every, "steps between evaluations");
    visit("eval_episodes", self.eval_episodes, "episodes per task and evaluation");
    visit("eval_at_start", self.eval_at_start, "also evaluate before the first step");
  }
};

/// Throws InvalidArgument for values that no run can have.
void check(const RunSettings& settings);

/// Throws InvalidArgument if batch_size exceeds what `streams` environments have stored when updates
/// begin: for agents that would otherwise learn the same rows over and over.
void check_warm_up(const RunSettings& settings, Index streams);

}  // namespace mneme
