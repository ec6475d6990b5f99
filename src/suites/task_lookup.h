// suites/task_lookup.h - tasks and task sets by name, installed here or not.
#pragma once

#include <string>
#include <vector>

namespace mneme::lab {

/// The tasks of a set, or the task itself. Throws NotFound for an unknown set.
std::vector<std::string> tasks_named(const std::string& name);

/// What has to be installed to make this task here; empty if nothing has. Starts no process. Throws
/// NotFound for an unknown task, InvalidArgument for a malformed spec.
std::string missing_for(const std::string& task);

}  // namespace mneme::lab
