// envs/remote/worker_group.h - one worker process and the consecutive environments it steps.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "envs/remote/worker.h"
#include "envs/spec.h"
#include "mneme/vec_env.h"

namespace mneme::envs {

struct WorkerGroup {
  WorkerRequest request;
  std::unique_ptr<Worker> worker = nullptr;  ///< null: failed, and its environments were dropped
  Index first = 0, count = 0;                ///< environments [first, first + count) of the VecEnv
  int restarts = 0;                          ///< since the last step that succeeded
  std::optional<WorkerFault> fault = {};     ///< of the current command
};

/// Divides environments among worker processes; starts none. `specs` has one entry per environment.
/// A worker hosts neighbors of one suite with equal `fault` and `timeout`; at most `options.threads`
/// workers share such a run of environments, and only one where the suite has `worker_per_task`.
/// Throws NotFound for a suite that is not installed.
std::vector<WorkerGroup> plan_worker_groups(const std::vector<const EnvSpec*>& specs,
                                            const VecEnvOptions& options);

}  // namespace mneme::envs
