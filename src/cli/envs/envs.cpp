// cli/envs/envs.cpp - `mneme envs`: the suites, and the tasks of one.
//
// Listing starts no process: the facts of Python suites are compiled in.
#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/envs/install.h"
#include "cli/envs/play.h"
#include "envs/mujoco/version.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"
#include "suites/names.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNativeSuites{
    {{"dmc", "DeepMind Control, in C++"},
     {"hb", "HumanoidBench, in C++"},
     {"dummy", "a counter, for tests"}}};

bool in_python(const TaskInfo& task) { return envs::find_python_suite(task.name) != nullptr; }

// Without a name, all but the scripted one, which is for tests.
std::vector<const envs::PythonSuite*> shown_suites(const std::string& only) {
  std::vector<const envs::PythonSuite*> shown;
  for (const envs::PythonSuite& suite : envs::python_suites())
    if (only.empty() ? suite.name != "synthetic" : suite.name == only) shown.push_back(&suite);
  return shown;
}

void list_json(std::ostream& out, const std::vector<TaskInfo>& tasks, const std::string& only) {
  Json json;
  json.begin_object().field("mujoco", envs::mujoco_version()).key("notes").begin_array();
  for (const std::string& note : env_notes()) json.value(note);
  json.end_array().key("tasks").begin_array();
  for (const TaskInfo& task : tasks) {
    json.begin_object()
        .field("name", task.name)
        .field("suite", task.suite())
        .field("observation", task.observation)
        .field("action", task.action)
        .field("horizon", task.horizon)
        .field("score_low", task.score_low)
        .field("score_high", task.score_high)
        .field("success", task.success)
        .field("score_is_success", task.score_is_success)
        .field("available", task.available)
        .field("install", task.install);
    json.key("keys").begin_array();
    if (task.available && !in_python(task)) {
      for (const ObservationKey& key : make_vec_env(task.name)->keys(0))
        json.begin_object().field("name", key.name).field("size", key.size).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("python_suites").begin_array();
  for (const envs::PythonSuite* suite : shown_suites(only)) {
    json.begin_object()
        .field("name", suite->name)
        .field("title", suite->title)
        .field("summary", suite->summary)
        .field("open", suite->open)
        .field("python", envs::interpreter_of(suite->name).string())
        .field("install", remedy_for(*suite))
        .key("notes")
        .begin_array();
    for (const std::string& note : suite->notes) json.value(note);
    json.end_array().end_object();
  }
  json.end_array().key("sets").begin_object();
  for (const std::string& set : task_set_names()) {
    json.key(set).begin_array();
    for (const std::string& task : task_set(set)) json.value(task);
    json.end_array();
  }
  out << std::move(json.end_object().end_object()).text() << '\n';
}

bool has_tasks_of(const std::string& set, const std::string& suite) {
  const std::vector<std::string> tasks = task_set(set);
  return std::any_of(tasks.begin(), tasks.end(),
                     [&](const std::string& task) { return task.starts_with(suite + "/"); });
}

// "yes", "58 of 62", or how to install it.
std::string state_of_suite(std::string_view suite, Index listed, Index available) {
  if (const envs::PythonSuite* python = envs::find_python_suite(suite)) {
    if (!envs::interpreter_of(suite).empty()) return "yes";
    if (python->installable) return concat("no: mneme envs install ", suite);
    return concat("no: mneme envs --suite ", suite, " says how");
  }
  if (available == listed) return "yes";
  return available == 0 ? "no: mneme envs doctor says why" : concat(available, " of ", listed);
}

// One line per suite.
void list_suites(std::ostream& out, const std::vector<TaskInfo>& tasks) {
  Table table({"suite", "", "tasks", "runs here"});
  const auto add = [&](std::string_view suite, const std::string& what, bool open) {
    Index listed = 0, available = 0;
    for (const TaskInfo& task : tasks) {
      if (task.suite() != suite) continue;
      ++listed;
      available += task.available ? 1 : 0;
    }
    table.add({concat(suite, '/'), what,
               listed == 0 ? "any id" : concat(listed, open ? " and any id" : ""),
               state_of_suite(suite, listed, available)});
  };
  for (const auto& [suite, what] : kNativeSuites) add(suite, std::string(what), false);
  for (const envs::PythonSuite* suite : shown_suites(""))
    add(suite->name, suite->title, suite->open);
  out << table << "\nsets: ";
  std::vector<std::string> sets;
  for (const std::string& set : task_set_names())
    sets.push_back(concat(set, " (", task_set(set).size(), ')'));
  out << wrapped(join(sets), 6) << "\n\n";
  out << "mneme envs --suite dmc lists the tasks of a suite\n";
  const std::string version = envs::mujoco_version();
  if (!version.empty()) out << "MuJoCo " << version << '\n';
  for (const std::string& note : env_notes()) out << wrapped("note: " + note, 2) << '\n';
}

// The tasks of one suite.
void list_tasks(std::ostream& out, const std::vector<TaskInfo>& tasks, const std::string& suite) {
  Table table(
      {"task", "observation", "action", "steps", "score 0", "score 1", "runs here", "success"});
  std::vector<std::string> missing;
  for (const TaskInfo& task : tasks) {
    table.add({std::string(task.name), number(static_cast<double>(task.observation)),
               number(static_cast<double>(task.action)), number(static_cast<double>(task.horizon)),
               number(task.score_low), number(task.score_high), task.available ? "yes" : "no",
               std::string(task.success)});
    const std::string install(task.install);
    if (!task.available && !in_python(task) &&
        std::find(missing.begin(), missing.end(), install) == missing.end())
      missing.push_back(install);
  }
  if (!tasks.empty()) out << table << '\n';
  for (const envs::PythonSuite* one : shown_suites(suite)) {
    out << wrapped(concat(one->title, ": ", one->summary, one->open ? "; any other id, too" : ""),
                   2)
        << '\n';
    const std::string python = envs::interpreter_of(one->name).string();
    out << wrapped(python.empty() ? concat("not installed. ", remedy_for(*one))
                                  : concat("runs in ", python),
                   2)
        << '\n';
    for (const std::string& note : one->notes) out << wrapped("note: " + note, 2) << '\n';
  }
  for (const std::string& set : task_set_names())
    if (has_tasks_of(set, suite))
      out << wrapped(concat("set ", set, ": ", join(task_set(set))), 4) << '\n';
  for (const std::string& install : missing)
    out << wrapped("tasks that do not run here: " + install, 2) << '\n';
}

void run_list(std::ostream& out, const std::string& suite, bool json) {
  std::vector<TaskInfo> tasks = registered_tasks();
  if (!suite.empty()) {
    std::vector<std::string> suites;
    for (const TaskInfo& task : tasks)
      if (suites.empty() || suites.back() != task.suite()) suites.emplace_back(task.suite());
    for (const envs::PythonSuite& one : envs::python_suites())
      if (one.tasks.empty()) suites.emplace_back(one.name);
    if (std::find(suites.begin(), suites.end(), suite) == suites.end())
      throw NotFound(unknown_name("suite", suite, suites));
    std::erase_if(tasks, [&](const TaskInfo& task) { return task.suite() != suite; });
  }
  if (json) return list_json(out, tasks, suite);
  suite.empty() ? list_suites(out, tasks) : list_tasks(out, tasks, suite);
}

}  // namespace

void add_envs_command(CLI::App& app, std::ostream& out) {
  CLI::App* command =
      app.add_subcommand("envs", "list environments; install, play and measure them");
  command->require_subcommand(0, 1);
  auto suite = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  const auto add_list = [&](CLI::App* at) {
    at->add_option("--suite", *suite, "list the tasks of one suite: dmc, hb, metaworld, ...")
        ->type_name("NAME");
    at->add_flag("--json", *json, "print JSON, with the parts of every observation");
  };
  add_list(command);
  command->footer(
      "  mneme envs --suite dmc           the tasks of a suite\n"
      "  mneme envs install metaworld     install a Python suite\n"
      "  mneme envs doctor                what works here");
  CLI::App* list = command->add_subcommand("list", "same as mneme envs");
  add_list(list);
  command->callback([=, &out] {
    const auto chosen = command->get_subcommands();
    if (chosen.empty() || chosen.front() == list) run_list(out, *suite, *json);
  });

  add_envs_bench(command, out);
  add_envs_play(command, out);
  add_envs_trace(command, out);
  add_envs_install(command, out);
  add_envs_doctor(command, out);
}

}  // namespace mneme::lab
