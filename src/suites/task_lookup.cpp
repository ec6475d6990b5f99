// suites/task_lookup.cpp - a study's matrix can be shown where its suites are not.
#include "suites/task_lookup.h"

#include <algorithm>

#include "base/text.h"
#include "envs/spec.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"
#include "suites/names.h"

namespace mneme::lab {

std::vector<std::string> tasks_named(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name};
  return task_set(name);
}

std::string missing_for(const std::string& task) {
  const std::string name = envs::parse_env_spec(task).name;
  const envs::PythonSuite* suite = envs::find_python_suite(name);
  std::vector<std::string> near;
  bool listed = false;
  for (const TaskInfo& info : registered_tasks()) {
    near.emplace_back(info.name);
    if (info.name != name) continue;
    if (info.available) return {};
    if (suite == nullptr) return concat("needs ", info.install);
    listed = true;
  }
  if (suite == nullptr || !(listed || suite->open))
    throw NotFound(concat("unknown task '", name.substr(0, 60), "'; nearest: ",
                          join(nearest_names(name, near, 4)), "; `mneme envs` lists all"));
  // Whether an open suite has a task of that name, only its package knows.
  return envs::interpreter_of(name).empty() ? concat("needs ", remedy_for(*suite)) : std::string();
}

}  // namespace mneme::lab
