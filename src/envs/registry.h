// envs/registry.h - lookup of tasks by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "envs/spec.h"
#include "envs/task.h"

namespace mneme::envs {

struct TaskEntry {
  TaskInfo info;
  MakeTask make = nullptr;  ///< null where the library it needs was not found when mneme was built
};

/// The entry of that name. Throws NotFound with the nearest names.
const TaskEntry& find_task(std::string_view name);

/// The `count` tasks and task sets that a misspelt or incomplete name may mean, nearest first.
std::vector<std::string> nearest_tasks(std::string_view name, std::size_t count);

/// Facts of a task of a Python suite; sizes are 0 for one that is not listed. `available` and
/// `install` say whether its suite is installed now. Throws NotFound unless a Python suite may have
/// a task of this name.
TaskInfo python_task_info(std::string_view name);

/// One environment of the task that a spec names, with its model.
/// Throws NotFound for an unknown name, InvalidArgument for a model that the task does not have.
std::unique_ptr<Task> make_task(const EnvSpec& spec);

}  // namespace mneme::envs
