// lab/task_list.cpp - the registry and the table of suites in Python, one after the other.
#include "lab/task_list.h"

#include <map>

#include "base/text.h"

namespace mneme::lab {

std::string_view title_of(const envs::PythonSuite& suite) {
  const std::string_view title = suite.summary.substr(0, suite.summary.find(':'));
  return title.size() < suite.summary.size() ? title : suite.name;
}

const std::string& remedy_for(const envs::PythonSuite& suite) {
  // Kept for good: TaskInfo points at it.
  static const std::map<std::string_view, std::string> kRemedies = [] {
    std::map<std::string_view, std::string> all;
    for (const envs::PythonSuite& one : envs::python_suites()) {
      std::string text = concat(title_of(one), ": ");
      if (one.installable) {
        text += concat("mneme envs install ", one.name);
        if (!one.note.empty()) text += concat(" --checkout DIR (", one.note, ")");
      } else {
        text += one.note;
      }
      all.emplace(one.name, std::move(text));
    }
    return all;
  }();
  return kRemedies.at(suite.name);
}

std::vector<TaskInfo> listed_tasks() {
  std::vector<TaskInfo> tasks;
  for (const TaskInfo& task : registered_tasks())
    if (envs::find_python_suite(task.name) == nullptr) tasks.push_back(task);
  for (const envs::PythonSuite& suite : envs::python_suites()) {
    const bool here = !envs::interpreter_of(suite.name).empty();
    for (TaskInfo task : suite.tasks) {
      task.available = here;
      task.install = here ? std::string_view() : std::string_view(remedy_for(suite));
      tasks.push_back(task);
    }
  }
  return tasks;
}

}  // namespace mneme::lab
