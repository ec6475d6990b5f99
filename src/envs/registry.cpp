// envs/registry.cpp - tasks by name.
//
// An explicit table: the linker drops self-registering objects of static libraries silently, while a
// file missing here is a link error.
#include "envs/registry.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "envs/mujoco/version.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"

namespace mneme::envs {

// The functions that make tasks, declared from the same lines.
#define MNEME_TASK(suite, file, ...)                        \
  namespace suite {                                         \
  std::unique_ptr<Task> make_##file(std::string_view name); \
  }
#define MNEME_MUJOCO_TASK MNEME_TASK
#define MNEME_DOG_TASK MNEME_TASK
#include "envs/registry.def"
#undef MNEME_TASK
#undef MNEME_MUJOCO_TASK
#undef MNEME_DOG_TASK

namespace {

enum class Needs { nothing, mujoco, dog };

struct Line {
  TaskEntry entry;
  Needs needs;
};

#define MNEME_LINE(needs, make, name, observation, action, horizon, low, high, success) \
  Line{{{name, observation, action, horizon, low, high, success, false, ""}, make}, needs},
#define MNEME_TASK(suite, file, task, ...) \
  MNEME_LINE(Needs::nothing, suite::make_##file, #suite "/" task, __VA_ARGS__)
#if MNEME_MUJOCO
#define MNEME_WITH_MUJOCO(maker) maker
#else
#define MNEME_WITH_MUJOCO(maker) nullptr
#endif
#define MNEME_MUJOCO_TASK(suite, file, task, ...) \
  MNEME_LINE(Needs::mujoco, MNEME_WITH_MUJOCO(suite::make_##file), #suite "/" task, __VA_ARGS__)
#define MNEME_DOG_TASK(suite, file, task, ...) \
  MNEME_LINE(Needs::dog, MNEME_WITH_MUJOCO(suite::make_##file), #suite "/" task, __VA_ARGS__)

constexpr std::string_view kInstallMujoco =
    "mneme was built without MuJoCo; pip install mujoco==3.17.0 into .venv (scripts/demo and "
    "scripts/test do), then configure and build again";
constexpr std::string_view kInstallDog =
    "the dog's meshes are in the dm_control package: pip install dm_control==1.0.50 beside mujoco, "
    "or name its folder in MNEME_DM_CONTROL";

const std::vector<Line>& lines() {
  static const std::vector<Line> kLines = [] {
    std::vector<Line> all{
#include "envs/registry.def"
    };
    for (Line& line : all) {
      TaskInfo& info = line.entry.info;
      info.available = line.entry.make != nullptr;
      if (!info.available) info.install = kInstallMujoco;
      if (info.available && line.needs != Needs::nothing && !mujoco_mismatch().empty()) {
        info.available = false;
        info.install = mujoco_mismatch();
      }
      if (info.available && line.needs == Needs::dog && dm_control_suite().empty()) {
        info.available = false;
        info.install = kInstallDog;
      }
    }
    return all;
  }();
  return kLines;
}

#undef MNEME_LINE
#undef MNEME_WITH_MUJOCO
#undef MNEME_TASK
#undef MNEME_MUJOCO_TASK
#undef MNEME_DOG_TASK

// How to install a suite. The texts are kept: TaskInfo points at them.
std::string_view install_hint(const PythonSuite& suite) {
  static const std::map<std::string_view, std::string> kTexts = [] {
    std::map<std::string_view, std::string> texts;
    for (const PythonSuite& one : python_suites())
      texts[one.name] = one.installable ? concat("run `mneme envs install ", one.name, "`",
                                                 one.needs.empty() ? "" : "; it needs ", one.needs)
                                        : concat("it needs ", one.needs);
    return texts;
  }();
  return kTexts.at(suite.name);
}

TaskInfo with_presence(TaskInfo info, const PythonSuite& suite, bool present) {
  info.available = present;
  info.install = present ? std::string_view() : install_hint(suite);
  return info;
}

// Listed tasks of Python suites, for lookups by name.
const std::vector<TaskEntry>& python_entries() {
  static const std::vector<TaskEntry> kEntries = [] {
    std::vector<TaskEntry> entries;
    for (const PythonSuite& suite : python_suites())
      for (const TaskInfo& info : suite.tasks)
        entries.push_back({with_presence(info, suite, !interpreter_of(suite.name).empty())});
    return entries;
  }();
  return kEntries;
}

[[noreturn]] void unknown_task(std::string_view name) {
  throw NotFound(concat("unknown task '", std::string(name.substr(0, 60)), "'; nearest: ",
                        join(nearest_tasks(name, 4)), "; `mneme envs --suite NAME` lists tasks"));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Edit distance from a name, or from its beginning up to a hyphen or underscore (plus one half):
// dmc/cartpole is near dmc/cartpole-balance.
double distance_to(std::string_view given, std::string_view known) {
  double least = static_cast<double>(edit_distance(given, known));
  for (std::size_t at = 1; at < known.size(); ++at)
    if (known[at] == '-' || known[at] == '_')
      least = std::min(least, 0.5 + static_cast<double>(edit_distance(given, known.substr(0, at))));
  return least;
}

}  // namespace

std::vector<std::string> nearest_tasks(std::string_view name, std::size_t count) {
  const std::string_view given = name.substr(0, 60);
  const bool with_suite = given.find('/') != std::string_view::npos;
  std::vector<std::pair<double, std::string>> known;
  const auto add = [&](std::string_view full) {
    const std::string_view task = with_suite ? full : full.substr(full.find('/') + 1);
    known.emplace_back(distance_to(given, task), full);
  };
  for (const Line& line : lines()) add(line.entry.info.name);
  for (const TaskEntry& entry : python_entries()) add(entry.info.name);
  for (const std::string& set : task_set_names()) add(set);
  std::stable_sort(known.begin(), known.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(count, known.size()); ++i) names.push_back(known[i].second);
  return names;
}

TaskInfo python_task_info(std::string_view name) {
  const PythonSuite* suite = find_python_suite(name);
  const std::size_t slash = name.find('/');
  if (suite == nullptr || slash + 1 >= name.size()) unknown_task(name);
  const bool present = !interpreter_of(suite->name).empty();
  for (const TaskInfo& info : suite->tasks)
    if (info.name == name) return with_presence(info, *suite, present);
  if (!suite->open) unknown_task(name);
  TaskInfo unlisted;
  unlisted.score_high = 1;  // the score is the return
  return with_presence(unlisted, *suite, present);
}

const TaskEntry& find_task(std::string_view name) {
  for (const Line& line : lines())
    if (line.entry.info.name == name) return line.entry;
  for (const TaskEntry& entry : python_entries())
    if (entry.info.name == name) return entry;
  unknown_task(name);
}

std::unique_ptr<Task> make_task(const EnvSpec& spec) {
  if (const PythonSuite* suite = find_python_suite(spec.name))
    throw NotFound(concat(spec.name,
                          " is a task of a Python suite, which does not expose its physics; ",
                          "`mneme envs bench --suite ", suite->name, "` measures its speed"));
  const TaskEntry& entry = find_task(spec.name);
  if (!entry.info.available)
    throw NotFound(concat(spec.name, " cannot run here: ", entry.info.install));
  if (spec.model == "shapes") return entry.make(entry.info.name);
  if (entry.info.suite() != "hb")
    throw InvalidArgument(concat("task spec: model=", spec.model, " is for the robots of hb/...; ",
                                 spec.name, " has one model"));
  return entry.make(concat(spec.name, ":model=", spec.model));
}

}  // namespace mneme::envs

namespace mneme {

std::vector<TaskInfo> registered_tasks() {
  std::vector<TaskInfo> infos;
  for (const envs::Line& line : envs::lines()) infos.push_back(line.entry.info);
  for (const envs::PythonSuite& suite : envs::python_suites()) {
    const bool present = !envs::interpreter_of(suite.name).empty();
    for (const TaskInfo& info : suite.tasks)
      infos.push_back(envs::with_presence(info, suite, present));
  }
  return infos;
}

}  // namespace mneme
