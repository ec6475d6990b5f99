// suites/task_lookup.h - tasks by the names studies use, also those that do not run here.
#pragma once

#include <string>
#include <vector>

namespace mneme::lab {

/// The tasks of a set, or the task itself. Throws NotFound for a set nobody knows.
std::vector<std::string> tasks_named(const std::string& name);

/// What is missing for this task here; empty if it can be made. Starts no process. Throws NotFound
/// for a name nobody knows, InvalidArgument for a spec that is none.
std::string missing_for(const std::string& task);

}  // namespace mneme::lab
