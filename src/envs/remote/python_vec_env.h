// envs/remote/python_vec_env.h - VecEnv of tasks of Python suites.
#pragma once

#include <memory>
#include <vector>

#include "envs/spec.h"
#include "mneme/vec_env.h"

namespace mneme::envs {

/// `options.count` environments of every spec, in at most `options.threads` workers of each suite.
/// Throws NotFound for a suite that is not installed, InvalidArgument for options that the suite
/// does not have, IoError with the worker's message if it cannot make them.
std::unique_ptr<VecEnv> make_python_vec_env(const std::vector<EnvSpec>& specs,
                                            const VecEnvOptions& options);

}  // namespace mneme::envs
