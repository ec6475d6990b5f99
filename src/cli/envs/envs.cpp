// cli/envs/envs.cpp - `mneme envs`: every task, and whether it runs here.
//
// Listing starts no process: what suites in Python say of themselves is in their table.
#include <algorithm>

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

bool in_python(const TaskInfo& task) { return envs::find_python_suite(task.name) != nullptr; }

// Suites in Python that a list for people shows; the scripted one is for tests.
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
  for (const envs::PythonSuite* suite : shown_suites(only))
    json.begin_object()
        .field("name", suite->name)
        .field("summary", suite->summary)
        .field("open", suite->open)
        .field("python", envs::interpreter_of(suite->name).string())
        .field("install", remedy_for(*suite))
        .end_object();
  json.end_array().key("sets").begin_object();
  for (const std::string& set : task_set_names()) {
    json.key(set).begin_array();
    for (const std::string& task : task_set(set)) json.value(task);
    json.end_array();
  }
  out << std::move(json.end_object().end_object()).text() << '\n';
}

void list_text(std::ostream& out, const std::vector<TaskInfo>& tasks, const std::string& only) {
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
  if (!shown_suites(only).empty()) out << "in Python, in processes of their own:\n";
  for (const envs::PythonSuite* suite : shown_suites(only)) {
    const bool here = !envs::interpreter_of(suite->name).empty();
    out << wrapped(concat("  ", suite->name, "/", suite->open ? "ANY" : "", "  ", suite->summary,
                          ". ", here ? "Runs here" : concat("Not here; ", remedy_for(*suite))),
                   6)
        << '\n';
  }
  out << '\n';
  for (const std::string& set : task_set_names()) {
    const auto names = task_set(set);
    out << wrapped(concat("set ", set, ": ", join(names)), 4) << '\n';
  }
  const std::string version = envs::mujoco_version();
  if (!version.empty()) out << "\nMuJoCo " << version << '\n';
  for (const std::string& note : env_notes()) out << wrapped("note: " + note, 2) << '\n';
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
  json ? list_json(out, tasks, suite) : list_text(out, tasks, suite);
}

}  // namespace

void add_envs_command(CLI::App& app, std::ostream& out) {
  CLI::App* command =
      app.add_subcommand("envs", "every task, what it returns and how fast it runs");
  command->require_subcommand(0, 1);
  auto suite = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  const auto add_list = [&](CLI::App* at) {
    at->add_option("--suite", *suite, "only the tasks of one: dmc, hb, metaworld, gym")
        ->type_name("NAME");
    at->add_flag("--json", *json, "for machines; also the parts of every observation");
  };
  add_list(command);
  command->footer(
      "  mneme envs --suite dmc\n"
      "  mneme envs install metaworld     a suite in Python\n"
      "  mneme envs doctor                what works here");
  CLI::App* list = command->add_subcommand("list", "the same as mneme envs");
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
