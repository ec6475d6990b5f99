// run/run_config.cpp - from names to settings, and to a file and back.
#include "run/run_config.h"

#include <toml++/toml.h>
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "agents/settings/old_names.h"
#include "envs/remote/suites.h"
#include "envs/spec.h"
#include "mneme/replay_buffer.h"
#include "mneme/sampler.h"
#include "mneme/vec_env.h"
#include "os/toml_limits.h"

namespace mneme::lab {
namespace {

// Version 1 had other names of settings (agents/settings/old_names.h).
constexpr std::int64_t kVersion = 2;

// A spec such as dmc/walker-run:keys=native, or a set such as dmc-dogs.
std::vector<std::string> task_specs(const std::vector<std::string>& names) {
  std::vector<std::string> specs;
  const std::vector<std::string> sets = task_set_names();
  for (const std::string& name : names) {
    if (std::find(sets.begin(), sets.end(), name) == sets.end()) {
      specs.push_back(name);
    } else {
      for (std::string& task : task_set(name)) specs.push_back(std::move(task));
    }
  }
  return specs;
}

// A listed task of a suite in Python, without the seconds it takes to make one; nothing if only
// an environment tells its sizes.
std::optional<AgentTask> from_table(const std::string& spec) {
  const envs::PythonSuite* suite = envs::find_python_suite(spec);
  if (suite == nullptr) return std::nullopt;
  const envs::EnvSpec parsed = envs::parse_env_spec(spec);
  for (const TaskInfo& task : suite->tasks) {
    if (task.name != parsed.name || task.observation == 0 || task.action == 0) continue;
    if (parsed.dtype != DType::f32)
      throw InvalidArgument(concat(spec, ": agents take dtype=f32, the default"));
    return AgentTask{.name = std::string(task.name),
                     .observation = task.observation,
                     .action = task.action,
                     .horizon = task.horizon};
  }
  return std::nullopt;
}

// Each once: a study resolves hundreds of runs of the same few tasks, and some models take a while
// to make.
AgentTask task_of(const std::string& spec) {
  static std::map<std::string, AgentTask> known;
  static std::mutex lock;
  const std::scoped_lock guard(lock);
  if (const auto at = known.find(spec); at != known.end()) return at->second;
  if (const auto listed = from_table(spec)) return known[spec] = *listed;
  const auto probe = make_vec_env(spec);
  if (probe->dtype() != DType::f32)
    throw InvalidArgument(concat(spec, ": agents take dtype=f32, the default"));
  return known[spec] = {.name = std::string(probe->task(0).name),
                        .observation = probe->observation_size(),
                        .action = probe->action_size(),
                        .horizon = probe->task(0).horizon};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

bool is_text(const std::string& value) {
  return value != "true" && value != "false" && !parse_number(value);
}

std::string as_text(const toml::node& node) {
  if (const auto text = node.value<std::string>(); node.is_string()) return *text;
  if (node.is_boolean()) return *node.value<bool>() ? "true" : "false";
  if (node.is_integer()) return std::to_string(*node.value<std::int64_t>());
  if (node.is_floating_point()) return shortest_number(*node.value<double>());
  throw CorruptData("a setting must be text or a number");
}

void finish(RunConfig& run) {
  run.shape.environments = run.settings->run.num_envs;
  run.settings->check(run.shape);
  check_samplers(run.settings->run.sampler, run.settings->run.actor_sampler);
}

bool needs_feedback(const std::string& spec) {
  return !spec.empty() && sampler_info(spec).needs_feedback;
}

void check_sampler(const std::string& spec) {
  if (spec.empty()) return;
  if (needs_feedback(spec))  // priorities are kept with a buffer, so make one
    ReplayBuffer({.observation = {1}, .action = {1}, .capacity = 2, .streams = 1, .sampler = spec});
  else
    make_sampler(spec);
}

}  // namespace

std::string with_repeat(const std::string& task, Index repeat) {
  if (repeat == 1) return task;
  return concat(task, task.find(':') == std::string::npos ? ':' : ',', "repeat=", repeat);
}

std::vector<std::string> RunConfig::env_specs() const {
  std::vector<std::string> specs;
  for (const std::string& task : tasks)
    specs.push_back(with_repeat(task, settings->run.action_repeat));
  return specs;
}

RunConfig resolve_run(const std::string& agent, const std::string& preset,
                      const std::vector<std::string>& tasks,
                      const std::vector<std::string>& overrides) {
  RunConfig run;
  run.agent = agent;
  run.preset = preset;
  const AgentInfo& info = agent_info(agent);
  if (tasks.empty()) throw InvalidArgument("no task given; mneme envs lists them");
  run.tasks = task_specs(tasks);
  for (const std::string& task : run.tasks) {
    if (task.find("repeat=") != std::string::npos)
      throw InvalidArgument(
          concat(task, ": here action repeat is a setting of the run, --set action_repeat=N"));
    run.shape.tasks.push_back(task_of(task));
  }
  run.settings = info.config(preset, run.shape);
  for (const std::string& text : overrides) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw InvalidArgument(concat("--set ", text, ": name=value is expected"));
    run.settings->set(text.substr(0, equals), text.substr(equals + 1));
  }
  finish(run);
  return run;
}

void check_samplers(const std::string& sampler, const std::string& actor_sampler) {
  check_sampler(sampler);
  if (needs_feedback(actor_sampler))
    throw InvalidArgument(concat("actor_sampler is ", actor_sampler, ": agents give TD errors to ",
                                 "the critic's sampler only, so that the actor's priorities would ",
                                 "never change; choose a sampler without priorities"));
  check_sampler(actor_sampler);
}

std::string to_toml(const RunConfig& run) {
  std::string text = "# A run of mneme: everything that decides it.\n";
  text += concat("version = ", kVersion, "\nagent = ", quoted(run.agent),
                 "\npreset = ", quoted(run.preset), "\ntasks = [");
  for (std::size_t k = 0; k < run.tasks.size(); ++k)
    text += concat(k == 0 ? "" : ", ", quoted(run.tasks[k]));
  text +=
      concat("]\nseed = ", run.seed, "\ndevice = ", quoted(run.device), "\nthreads = ", run.threads,
             "\nreplay = ", quoted(run.replay), "\n\n[settings]\n");
  for (const Field& field : run.settings->list())
    text += concat(field.name, " = ", is_text(field.value) ? quoted(field.value) : field.value,
                   "  # ", field.help, "\n");
  return text;
}

namespace {

toml::table parsed(const std::string& text) {
  check_toml_limits(text);
  toml::table table = toml::parse(text);
  const auto version = table["version"].value_or(std::int64_t{0});
  if (version < 1 || version > kVersion)
    throw CorruptData(
        concat("version must be from 1 to ", kVersion, " for this program, got ", version));
  return table;
}

// What `read` makes of the text; errors name where it came from.
template <class Read>
auto read_toml(const std::string& text, const std::string& origin, const Read& read) {
  try {
    return read(parsed(text));
  } catch (const toml::parse_error& error) {
    throw CorruptData(concat(origin, ": ", error.description()));
  } catch (const Error& error) {
    throw CorruptData(concat(origin, ": ", error.what()));
  }
}

// A key of a type that must be right where it is there.
template <class T>
T value_of(const toml::table& table, const char* key, T otherwise, const char* wanted) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  const auto value = node->value_exact<T>();
  if (!value) throw CorruptData(concat(key, " must be ", wanted));
  return *value;
}

}  // namespace

RunOutline outline_of(const std::string& text, const std::string& origin) {
  return read_toml(text, origin, [](const toml::table& table) {
    RunOutline outline;
    outline.replay = value_of(table, "replay", std::string("disk"), "text");
    const toml::table* settings = table["settings"].as_table();
    if (settings == nullptr) throw CorruptData("[settings] is missing");
    outline.steps = value_of(*settings, "steps", std::int64_t{0}, "a whole number");
    if (outline.steps < 1)
      throw CorruptData(concat("steps must be at least 1, got ", outline.steps));
    return outline;
  });
}

RunConfig from_toml(const std::string& text, const std::string& origin) {
  return read_toml(text, origin, [](const toml::table& table) {
    RunConfig run;
    for (const auto& [key, node] : table) {
      static const std::vector<std::string> known{"version", "agent",   "preset", "tasks",   "seed",
                                                  "device",  "threads", "replay", "settings"};
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        throw CorruptData(unknown_name("key", key.str(), known));
    }
    run.agent = value_of(table, "agent", std::string(), "text");
    run.preset = value_of(table, "preset", std::string(), "text");
    if (const toml::array* tasks = table["tasks"].as_array())
      for (const toml::node& task : *tasks) run.tasks.push_back(as_text(task));
    const auto seed = value_of(table, "seed", std::int64_t{0}, "a whole number");
    if (seed < 0) throw CorruptData(concat("seed must be at least 0, got ", seed));
    run.seed = static_cast<std::uint64_t>(seed);
    run.device = value_of(table, "device", std::string("cpu"), "text");
    run.threads = value_of(table, "threads", std::int64_t{1}, "a whole number");
    if (run.threads < 1) throw CorruptData(concat("threads must be at least 1, got ", run.threads));
    run.replay = value_of(table, "replay", std::string("disk"), "text");
    if (run.replay != "disk" && run.replay != "memory")
      throw CorruptData(concat("replay must be disk or memory, got '", run.replay, "'"));
    if (run.tasks.empty()) throw CorruptData("tasks must not be empty");
    for (const std::string& task : run.tasks) run.shape.tasks.push_back(task_of(task));
    std::vector<std::pair<std::string, std::string>> settings;
    if (const toml::table* list = table["settings"].as_table())
      for (const auto& [name, value] : *list)
        settings.emplace_back(std::string(name.str()), as_text(value));
    if (table["version"].value_or(std::int64_t{0}) == 1)
      update_names(run.agent, run.preset, settings);
    run.settings = agent_info(run.agent).config(run.preset, run.shape);
    for (const auto& [name, value] : settings) run.settings->set(name, value);
    finish(run);
    return run;
  });
}

}  // namespace mneme::lab
