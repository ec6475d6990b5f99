// lab/envs_command.cpp - `mneme envs`: every task, and whether it runs here.
#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "envs/libraries.h"
#include "lab/commands.h"
#include "lab/envs_play.h"
#include "lab/table.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"

namespace mneme::lab {
namespace {

void list_json(std::ostream& out, const std::vector<TaskInfo>& tasks) {
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
        .field("available", task.available)
        .field("install", task.install);
    json.key("keys").begin_array();
    if (task.available) {
      for (const ObservationKey& key : make_vec_env(task.name)->keys(0))
        json.begin_object().field("name", key.name).field("size", key.size).end_object();
    }
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

void list_text(std::ostream& out, const std::vector<TaskInfo>& tasks) {
  Table table(
      {"task", "observation", "action", "steps", "score 0", "score 1", "runs here", "success"});
  std::vector<std::string> missing;
  for (const TaskInfo& task : tasks) {
    table.add({std::string(task.name), number(static_cast<double>(task.observation)),
               number(static_cast<double>(task.action)), number(static_cast<double>(task.horizon)),
               number(task.score_low), number(task.score_high), task.available ? "yes" : "no",
               std::string(task.success)});
    const std::string install(task.install);
    if (!task.available && std::find(missing.begin(), missing.end(), install) == missing.end())
      missing.push_back(install);
  }
  out << table << '\n';
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
    if (std::find(suites.begin(), suites.end(), suite) == suites.end())
      throw NotFound(unknown_name("suite", suite, suites));
    std::erase_if(tasks, [&](const TaskInfo& task) { return task.suite() != suite; });
  }
  json ? list_json(out, tasks) : list_text(out, tasks);
}

}  // namespace

void add_envs_command(CLI::App& app, std::ostream& out) {
  CLI::App* command =
      app.add_subcommand("envs", "every task, what it returns and how fast it runs");
  command->require_subcommand(0, 1);
  auto suite = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  const auto add_list = [&](CLI::App* at) {
    at->add_option("--suite", *suite, "only the tasks of one: dmc, hb, dummy")->type_name("NAME");
    at->add_flag("--json", *json, "for machines; also the parts of every observation");
  };
  add_list(command);
  command->footer("Example: mneme envs --suite dmc");
  CLI::App* list = command->add_subcommand("list", "the same as mneme envs");
  add_list(list);
  command->callback([=, &out] {
    const auto chosen = command->get_subcommands();
    if (chosen.empty() || chosen.front() == list) run_list(out, *suite, *json);
  });

  add_envs_bench(command, out);
  add_envs_play(command, out);
  add_envs_trace(command, out);
}

}  // namespace mneme::lab
