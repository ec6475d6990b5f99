// lab/study/suites.cpp - a study's matrix can be shown where its suites are not.
#include "lab/study/suites.h"

#include <algorithm>

#include "base/text.h"
#include "envs/spec.h"
#include "lab/task_list.h"
#include "mneme/error.h"

namespace mneme::lab {

std::vector<std::string> tasks_named(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name};
  return task_set(name);
}

std::string missing_for(const std::string& task) {
  const std::string name = envs::parse_env_spec(task).name;
  std::vector<std::string> near;
  for (const TaskInfo& info : listed_tasks()) {
    if (info.name == name) return info.available ? std::string() : concat("needs ", info.install);
    near.emplace_back(info.name);
  }
  const envs::PythonSuite* suite = envs::find_python_suite(name);
  if (suite != nullptr && suite->open)  // whether it has that task, only its package knows
    return envs::interpreter_of(name).empty() ? concat("needs ", remedy_for(*suite))
                                              : std::string();
  throw NotFound(concat("unknown task '", name.substr(0, 60), "'; nearest: ",
                        join(nearest_names(name, near, 4)), "; `mneme envs` lists all"));
}

}  // namespace mneme::lab
