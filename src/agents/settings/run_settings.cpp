// agents/settings/run_settings.cpp - checks of the training loop's settings.
#include "agents/settings/run_settings.h"

#include "agents/settings/checks.h"

namespace mneme {

void check(const RunSettings& s) {
  at_least("steps", s.steps, 1);
  at_least("num_envs", s.num_envs, 1);
  at_least("action_repeat", s.action_repeat, 1);
  at_least("batch_size", s.batch_size, 1);
  at_least("random_steps", s.random_steps, 0);
  at_least("learning_starts", s.learning_starts, 1);
  at_least("eval_every", s.eval_every, 1);
  at_least("eval_episodes", s.eval_episodes, 1);
  if (!(s.utd > 0) || s.utd > 1024)
    throw InvalidArgument(concat("utd must be above 0 and at most 1024, got ", s.utd));
  one_of("horizon", s.horizon, {"full", "clip"});
  one_of("storage", s.storage, {"f32", "f16", "bf16"});
  if (s.learning_starts < s.n_step)
    throw InvalidArgument(concat("learning_starts must be at least n_step, ", s.n_step, ", got ",
                                 s.learning_starts, ": before that no transition can be sampled"));
}

void check_warm_up(const RunSettings& s, Index streams) {
  if (streams > 0 && s.batch_size > s.learning_starts * streams)
    throw InvalidArgument(concat("batch_size must be at most ", s.learning_starts * streams,
                                 ", the transitions stored when updates begin, got ", s.batch_size,
                                 "; lower batch_size or raise learning_starts to at least ",
                                 (s.batch_size + streams - 1) / streams));
}

}  // namespace mneme
