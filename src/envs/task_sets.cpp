// envs/task_sets.cpp - named sets of tasks, from task_sets.def.
#include <sstream>

#include "base/text.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"

namespace mneme {
namespace {

struct TaskSet {
  std::string_view name;
  std::vector<std::string> tasks;
};

using TaskSets = std::vector<TaskSet>;

std::vector<std::string> words(const char* text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

void add_set(TaskSets& sets, std::string_view name, const char* prefix, const char* tasks) {
  sets.push_back({name, {}});
  for (const std::string& task : words(tasks)) sets.back().tasks.push_back(prefix + task);
}

void add_suite(TaskSets& sets, std::string_view name, std::string_view suite) {
  sets.push_back({name, {}});
  for (const TaskInfo& task : envs::find_python_suite(suite)->tasks)
    sets.back().tasks.emplace_back(task.name);
}

void add_union(TaskSets& sets, std::string_view name, const char* parts) {
  std::vector<std::string> tasks;
  for (const std::string& part : words(parts))
    for (const TaskSet& set : sets)
      if (set.name == part) tasks.insert(tasks.end(), set.tasks.begin(), set.tasks.end());
  sets.push_back({name, std::move(tasks)});
}

const TaskSets& task_sets() {
  static const TaskSets kSets = [] {
    TaskSets sets;
#define MNEME_TASK_SET(name, prefix, tasks) add_set(sets, name, prefix, tasks);
#define MNEME_TASK_SET_ALL(name, suite) add_suite(sets, name, suite);
#define MNEME_TASK_SET_OF(name, parts) add_union(sets, name, parts);
#include "envs/task_sets.def"
#undef MNEME_TASK_SET
#undef MNEME_TASK_SET_ALL
#undef MNEME_TASK_SET_OF
    return sets;
  }();
  return kSets;
}

}  // namespace

std::vector<std::string> task_set_names() {
  std::vector<std::string> names;
  for (const TaskSet& set : task_sets()) names.emplace_back(set.name);
  return names;
}

std::vector<std::string> task_set(std::string_view name) {
  for (const TaskSet& set : task_sets())
    if (set.name == name) return set.tasks;
  throw NotFound(unknown_name("task set", name, task_set_names()));
}

}  // namespace mneme
