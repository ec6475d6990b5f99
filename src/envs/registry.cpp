// envs/registry.cpp - tasks by name, and the named sets of the papers.
//
// An explicit table, not self-registering objects: those are silently dropped from static
// libraries, while a file missing here is a link error.
#include "envs/registry.h"

#include <algorithm>
#include <array>
#include <map>

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

struct Set {
  std::string_view name;
  std::vector<std::string> tasks;
};

std::vector<std::string> each(std::string_view prefix, std::initializer_list<const char*> tasks) {
  std::vector<std::string> names;
  for (const char* task : tasks) names.push_back(concat(prefix, task));
  return names;
}

// All listed tasks of a suite in Python.
std::vector<std::string> all_of(std::string_view suite) {
  std::vector<std::string> names;
  for (const TaskInfo& task : find_python_suite(suite)->tasks) names.emplace_back(task.name);
  return names;
}

const std::vector<Set>& sets() {
  static const std::vector<Set> kSets{
      {"dmc-dogs", each("dmc/dog-", {"stand", "walk", "trot", "run"})},
      {"dmc-humanoids", each("dmc/humanoid-", {"stand", "walk", "run"})},
      {"hb-nohands-13",
       each("hb/h1-", {"walk", "stand", "run", "hurdle", "crawl", "maze", "sit_simple", "sit_hard",
                       "balance_simple", "balance_hard", "stair", "slide", "pole"})},
      {"hb-hands-29",
       each("hb/h1hand-",
            {"walk",           "stand",      "run",          "hurdle",         "crawl",
             "maze",           "sit_simple", "sit_hard",     "balance_simple", "balance_hard",
             "stair",          "slide",      "pole",         "reach",          "push",
             "cabinet",        "door",       "truck",        "cube",           "bookshelf_simple",
             "bookshelf_hard", "basketball", "window",       "spoon",          "package",
             "powerlift",      "room",       "insert_small", "insert_normal"})},
      {"brc-hb-20", each("hb/h1hand-", {"walk",
                                        "stand",
                                        "run",
                                        "stair",
                                        "crawl",
                                        "pole",
                                        "slide",
                                        "hurdle",
                                        "maze",
                                        "sit_simple",
                                        "sit_hard",
                                        "balance_simple",
                                        "balance_hard",
                                        "reach",
                                        "spoon",
                                        "window",
                                        "insert_small",
                                        "insert_normal",
                                        "bookshelf_simple",
                                        "bookshelf_hard"})},
      {"brc-dmc-30", each("dmc/", {"walker-stand",
                                   "walker-walk",
                                   "walker-run",
                                   "cheetah-run",
                                   "reacher-easy",
                                   "reacher-hard",
                                   "acrobot-swingup",
                                   "pendulum-swingup",
                                   "cartpole-balance",
                                   "cartpole-balance_sparse",
                                   "cartpole-swingup",
                                   "cartpole-swingup_sparse",
                                   "ball_in_cup-catch",
                                   "finger-spin",
                                   "finger-turn_easy",
                                   "finger-turn_hard",
                                   "fish-swim",
                                   "hopper-stand",
                                   "hopper-hop",
                                   "cheetah-run_backwards",
                                   "cheetah-run_front",
                                   "cheetah-run_back",
                                   "cheetah-jump",
                                   "walker-walk_backwards",
                                   "walker-run_backwards",
                                   "hopper-hop_backwards",
                                   "reacher-three_easy",
                                   "reacher-three_hard",
                                   "ball_in_cup-spin",
                                   "pendulum-spin"})},
      {"mt50", all_of("metaworld")},
      {"myo-10", all_of("myo")},
      {"isaac-6", all_of("isaac")},
  };
  return kSets;
}

// What mends the absence of a suite. The texts stay: TaskInfo points at them.
std::string_view how_to_get(const PythonSuite& suite) {
  static const std::map<std::string_view, std::string> kTexts = [] {
    std::map<std::string_view, std::string> texts;
    for (const PythonSuite& one : python_suites())
      texts[one.name] = one.installable
                            ? concat("`mneme envs install ", one.name, "` brings its suite",
                                     one.note.empty() ? "" : "; it takes ", one.note)
                            : concat("it takes ", one.note);
    return texts;
  }();
  return kTexts.at(suite.name);
}

TaskInfo with_presence(TaskInfo info, const PythonSuite& suite, bool present) {
  info.available = present;
  info.install = present ? std::string_view() : how_to_get(suite);
  return info;
}

// Listed tasks of suites in Python as entries, for those who look up names.
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
  // Only the nearest: a message with every task would hide the one that was meant.
  std::vector<std::string> known;
  for (const Line& line : lines()) known.emplace_back(line.entry.info.name);
  for (const TaskEntry& entry : python_entries()) known.emplace_back(entry.info.name);
  for (const Set& set : sets()) known.emplace_back(set.name);
  throw NotFound(concat("unknown task '", std::string(name.substr(0, 60)), "'; nearest: ",
                        join(nearest_names(name, known, 4)), "; `mneme envs` lists all"));
}

}  // namespace

TaskInfo python_task_info(std::string_view name) {
  const PythonSuite* suite = find_python_suite(name);
  const std::size_t slash = name.find('/');
  if (suite == nullptr || slash + 1 >= name.size()) unknown_task(name);
  const bool present = !interpreter_of(suite->name).empty();
  for (const TaskInfo& info : suite->tasks)
    if (info.name == name) return with_presence(info, *suite, present);
  if (!suite->open) unknown_task(name);
  TaskInfo unlisted;
  unlisted.score_high = 1;  // nothing is published: the score is the return
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
                          " is of a suite in Python, which keeps its physics to itself; ",
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

std::vector<std::string> task_set_names() {
  std::vector<std::string> names;
  for (const envs::Set& set : envs::sets()) names.emplace_back(set.name);
  return names;
}

std::vector<std::string> task_set(std::string_view name) {
  for (const envs::Set& set : envs::sets())
    if (set.name == name) return set.tasks;
  throw NotFound(unknown_name("task set", name, task_set_names()));
}

}  // namespace mneme
