// suites/task_lookup.cpp - tasks of installed and of missing suites, by name.
#include "suites/task_lookup.h"

#include "base/text.h"
#include "envs/registry.h"
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
  bool listed = false;
  for (const TaskInfo& info : registered_tasks()) {
    if (info.name != name) continue;
    if (info.available) return {};
    if (suite == nullptr) return concat("needs ", info.install);
    listed = true;
  }
  if (suite == nullptr || !(listed || suite->open))
    throw NotFound(concat("unknown task '", name.substr(0, 60),
                          "'; nearest: ", join(envs::nearest_tasks(name, 4)),
                          "; `mneme envs --suite NAME` lists tasks"));
  // Only its package knows whether an open suite has a task of that name.
  return envs::interpreter_of(name).empty() ? concat("needs ", remedy_for(*suite)) : std::string();
}

}  // namespace mneme::lab
