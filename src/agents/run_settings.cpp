// agents/run_settings.cpp - what no run can have.
#include "agents/run_settings.h"

#include "agents/checks.h"

namespace mneme {

void check(const RunSettings& s) {
  at_least("steps", s.steps, 1);
  at_least("environments", s.environments, 1);
  at_least("repeat", s.repeat, 1);
  at_least("batch", s.batch, 1);
  at_least("random_steps", s.random_steps, 0);
  at_least("first_update", s.first_update, 1);
  at_least("eval_every", s.eval_every, 1);
  at_least("eval_episodes", s.eval_episodes, 1);
  if (!(s.utd > 0) || s.utd > 1024)
    throw InvalidArgument(concat("utd is ", s.utd, "; it is above 0 and at most 1024"));
  one_of("horizon", s.horizon, {"full", "clip"});
  one_of("storage", s.storage, {"f32", "f16", "bf16"});
  if (s.first_update < s.n_step)
    throw InvalidArgument(concat("first_update is ", s.first_update, ", before ", s.n_step,
                                 " steps (n_step) there is nothing to draw; raise it"));
}

void check_warm_up(const RunSettings& s, Index streams) {
  if (streams > 0 && s.batch > s.first_update * streams)
    throw InvalidArgument(concat("a batch of ", s.batch, " is more than the ",
                                 s.first_update * streams, " transitions there are when updates ",
                                 "begin; lower batch or raise first_update to at least ",
                                 (s.batch + streams - 1) / streams));
}

}  // namespace mneme
