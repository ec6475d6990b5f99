// lab/envs_command.cpp - `mneme envs`: every task, whether it runs here, what it returns, how fast
// it is.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <numeric>

#include "base/json.h"
#include "base/text.h"
#include "envs/libraries.h"
#include "envs/measure.h"
#include "lab/commands.h"
#include "lab/envs_play.h"
#include "lab/table.h"
#include "mneme/error.h"
#include "mneme/rng.h"
#include "mneme/vec_env.h"

namespace mneme::lab {
namespace {

// ---------------------------------------------------------------- list

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

// ---------------------------------------------------------------- bench

struct BenchOptions {
  std::vector<std::string> tasks;
  Index threads = 2, count = 16, pairs = 15;
  double seconds = 0.1;
  bool json = false;
};

struct BenchRow {
  std::string task;
  double one = 0, many = 0, raw = 0;  // control steps per second, medians
  double to_raw = 0, to_raw_low = 0, to_raw_high = 0, speedup = 0;  // medians of paired ratios
};

double quantile(std::vector<double> numbers, double q) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[static_cast<std::size_t>(q * static_cast<double>(numbers.size() - 1) + 0.5)];
}

// One thread against one thread is a matter of its own processor time, whatever else the machine
// does; several threads against one of the wall clock, which wants as many free cores.
double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double thread_clock() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Seconds {
  double wall, thread;
};
template <class F>
Seconds seconds_of(F&& work) {
  const double wall = wall_clock(), thread = thread_clock();
  work();
  return {wall_clock() - wall, thread_clock() - thread};
}

BenchRow measure(const std::string& task, const BenchOptions& o) {
  BenchRow row{.task = task};
  const auto raw = envs::make_raw_physics(task, o.count);
  struct Loop {
    std::unique_ptr<VecEnv> envs;
    EnvMemory memory;
    std::vector<float> actions;
    Rng rng{3};
    explicit Loop(const std::string& name, const VecEnvOptions& options)
        : envs(make_vec_env(name, options)),
          memory(*envs),
          actions(static_cast<std::size_t>(envs->count() * envs->action_size())) {
      envs->reset(memory.rows());
    }
    void run(Index steps) {
      for (Index step = 0; step < steps; ++step) {
        for (float& action : actions) action = static_cast<float>(2 * rng.uniform() - 1);
        envs->step(actions, memory.rows());
      }
    }
  };
  Loop one(task, {.count = o.count, .threads = 1, .seed = 1});
  Loop many(task, {.count = o.count, .threads = o.threads, .seed = 1});

  // How many steps fill the time asked for.
  Index steps = 1;
  while (seconds_of([&] { one.run(steps); }).thread < o.seconds) steps *= 2;

  std::vector<double> ones, manys, raws, to_raw, speedup;
  const double total = static_cast<double>(steps * o.count);
  for (Index pair = 0; pair < o.pairs; ++pair) {
    Seconds a{}, b{}, c{};
    // In turns, so that each contestant goes first as often as the others.
    for (Index turn = 0; turn < 3; ++turn) {
      switch ((pair + turn) % 3) {
        case 0:
          a = seconds_of([&] { one.run(steps); });
          break;
        case 1:
          b = seconds_of([&] { many.run(steps); });
          break;
        default:
          if (raw) c = seconds_of([&] { raw->run(steps); });
      }
    }
    ones.push_back(total / a.thread);
    manys.push_back(total / b.wall);
    speedup.push_back(a.wall / b.wall);
    if (raw) {
      raws.push_back(total / c.thread);
      to_raw.push_back(c.thread / a.thread);
    }
  }
  row.one = quantile(ones, 0.5);
  row.many = quantile(manys, 0.5);
  row.speedup = quantile(speedup, 0.5);
  row.raw = raw ? quantile(raws, 0.5) : std::nan("");
  row.to_raw = raw ? quantile(to_raw, 0.5) : std::nan("");
  row.to_raw_low = raw ? quantile(to_raw, 0.25) : std::nan("");
  row.to_raw_high = raw ? quantile(to_raw, 0.75) : std::nan("");
  return row;
}

void run_bench(std::ostream& out, const BenchOptions& o) {
  if (o.threads < 1 || o.count < 1 || o.pairs < 1 || !(o.seconds > 0))
    throw InvalidArgument("--threads, --count, --pairs and --seconds must be positive");
  std::vector<BenchRow> rows;
  for (const std::string& task : o.tasks) rows.push_back(measure(task, o));
  if (o.json) {
    Json json;
    json.begin_object()
        .field("mujoco", envs::mujoco_version())
        .field("threads", o.threads)
        .field("count", o.count)
        .field("pairs", o.pairs)
        .key("tasks")
        .begin_array();
    for (const BenchRow& row : rows)
      json.begin_object()
          .field("task", row.task)
          .field("steps_per_second", row.one)
          .field("steps_per_second_threads", row.many)
          .field("raw_steps_per_second", row.raw)
          .field("to_raw", row.to_raw)
          .field("to_raw_low", row.to_raw_low)
          .field("to_raw_high", row.to_raw_high)
          .field("speedup", row.speedup)
          .end_object();
    out << std::move(json.end_array().end_object()).text() << '\n';
    return;
  }
  Table table({"task", "steps/s", "raw mj_step", "of raw", "quartiles",
               concat(o.threads, " threads"), "speed-up"});
  for (const BenchRow& row : rows)
    table.add({row.task, count(std::round(row.one)), count(std::round(row.raw)),
               number(row.to_raw, 3),
               concat(number(row.to_raw_low, 3), " to ", number(row.to_raw_high, 3)),
               count(std::round(row.many)), number(row.speedup, 3)});
  out << table << '\n'
      << "Control steps per second of processor time, with threads of wall time; " << o.count
      << " environments, medians of " << o.pairs << " interleaved rounds.\n";
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

  CLI::App* bench = command->add_subcommand("bench", "steps per second against bare mj_step");
  auto o = std::make_shared<BenchOptions>();
  bench->add_option("tasks", o->tasks, "tasks to measure")->required()->type_name("TASK");
  bench->add_option("--threads", o->threads, "of the second contestant (2)")->type_name("N");
  bench->add_option("--count", o->count, "environments (16)")->type_name("N");
  bench->add_option("--pairs", o->pairs, "interleaved rounds (15)")->type_name("N");
  bench->add_option("--seconds", o->seconds, "of each measurement (0.1)")->type_name("S");
  bench->add_flag("--json", o->json, "for machines");
  bench->footer("Example: mneme envs bench dmc/cheetah-run dmc/humanoid-run");
  bench->callback([o, &out] { run_bench(out, *o); });

  add_envs_play(command, out);
  add_envs_trace(command, out);
}

}  // namespace mneme::lab
