// envs/rows.h - checks of the rows and actions that a caller passes to a VecEnv.
#pragma once

#include <cmath>
#include <type_traits>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"

namespace mneme::envs {

/// Throws InvalidArgument unless the rows have the type and sizes of `envs`.
template <class T>
void check_rows(const VecEnv& envs, const EnvRows<T>& rows) {
  const bool single = envs.dtype() == DType::f32;
  if (single != std::is_same_v<T, float>)
    throw InvalidArgument(concat("these environments have dtype ", single ? "f32" : "f64",
                                 "; pass rows of that type or make them with dtype=",
                                 std::is_same_v<T, float> ? "f32" : "f64"));
  const Index count = envs.count(), width = envs.observation_size();
  const auto check = [&](const char* what, std::size_t size, Index expected, bool optional) {
    if (size != static_cast<std::size_t>(expected) && !(optional && size == 0))
      throw InvalidArgument(concat(what, " has ", size, " numbers, ", expected, " are needed for ",
                                   count, " environments"));
  };
  check("observation", rows.observation.size(), count * width, false);
  check("final_observation", rows.final_observation.size(), count * width, false);
  check("reward", rows.reward.size(), count, false);
  check("terminated", rows.terminated.size(), count, false);
  check("truncated", rows.truncated.size(), count, false);
  check("success", rows.success.size(), count, true);
  check("cut", rows.cut.size(), count, true);
}

/// Throws InvalidArgument unless there are count x width actions and those that a task uses are
/// finite. `step_of(env)`: step of its episode, for the message.
template <class T, class StepOf>
void check_actions(const VecEnv& envs, std::span<const T> actions, StepOf&& step_of) {
  const Index count = envs.count(), width = envs.action_size();
  if (actions.size() != static_cast<std::size_t>(count * width))
    throw InvalidArgument(concat("actions have ", actions.size(), " numbers, ", count * width,
                                 " are needed: ", count, " environments x ", width));
  // Fast path: a sum of terms times zero is NaN if a term is NaN or infinite.
  T sum = 0;
  for (const T action : actions) sum += action * T{0};
  if (sum == T{0}) return;
  for (Index env = 0; env < count; ++env) {
    for (Index i = 0; i < envs.task(env).action; ++i) {
      const T action = actions[static_cast<std::size_t>(env * width + i)];
      if (!std::isfinite(action))
        throw InvalidArgument(concat(envs.spec(env), ": environment ", env, ", step ", step_of(env),
                                     " of the episode: action ", i, " is ", action,
                                     "; actions must be finite"));
    }
  }
}

}  // namespace mneme::envs
