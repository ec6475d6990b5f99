// envs/registry.h - the list of tasks and task sets.
#pragma once

#include <string_view>

#include "envs/spec.h"
#include "envs/task.h"

namespace mneme::envs {

struct TaskEntry {
  TaskInfo info;
  MakeTask make = nullptr;  ///< null where the library it needs was not found when mneme was built
};

/// The entry of that name. Throws NotFound: nearest names first, then how to list all.
const TaskEntry& find_task(std::string_view name);

/// What is known of a task of a suite in Python; of one that is not listed, next to nothing.
/// `available` and `install` say whether its suite is installed now. Throws NotFound for a name
/// that no suite in Python can have.
TaskInfo python_task_info(std::string_view name);

/// One environment of what a spec names, as far as that is the task's business: name and model.
/// Throws NotFound for an unknown name, InvalidArgument for a model that the task does not have.
std::unique_ptr<Task> make_task(const EnvSpec& spec);

}  // namespace mneme::envs
