// lab/task_list.h - every task there is, native or in Python, and whether it runs on this machine.
// No process is started to find out.
#pragma once

#include <string>
#include <vector>

#include "envs/worker/suites.h"
#include "mneme/vec_env.h"

namespace mneme::lab {

/// Native tasks, then the listed ones of suites in Python; `available` and `install` filled in.
std::vector<TaskInfo> listed_tasks();

/// "Meta-World" of the suite metaworld.
std::string_view title_of(const envs::PythonSuite& suite);

/// What to do so that the tasks of a suite run here: a command, or what to bring for it.
const std::string& remedy_for(const envs::PythonSuite& suite);

}  // namespace mneme::lab
