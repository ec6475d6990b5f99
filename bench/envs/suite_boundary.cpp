// bench/envs/suite_boundary.cpp - `mneme envs bench --suite`: a plain loop, one worker, two workers.
//
// The loop runs in the suite's interpreter (python/mneme/worker/bare.py) and steps the same
// environments; the extra time of a vector step through a worker is the cost of the boundary.
// Measurements are interleaved and compared by paired differences.
#include "bench/envs/suite_boundary.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "bench/harness/peer.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double quantile(std::vector<double> numbers, double q) {
  if (numbers.empty()) return std::nan("");
  std::sort(numbers.begin(), numbers.end());
  return numbers[static_cast<std::size_t>(q * static_cast<double>(numbers.size() - 1) + 0.5)];
}

// Environments in workers, stepped with the plain loop's actions: the middle of their range.
class Workers {
 public:
  Workers(const std::string& spec, Index count, Index threads)
      : envs_(make_vec_env(spec, {.count = count, .threads = threads, .seed = 1})),
        memory_(*envs_),
        rows_(memory_.rows()),
        actions_(static_cast<std::size_t>(envs_->count() * envs_->action_size())) {
    envs_->reset(rows_);
  }
  /// Seconds of one vector step.
  double run(Index steps) {
    const double begin = now();
    for (Index step = 0; step < steps; ++step) envs_->step(actions_, rows_);
    return (now() - begin) / static_cast<double>(steps);
  }

 private:
  std::unique_ptr<VecEnv> envs_;
  EnvMemory memory_;
  EnvRows<float> rows_;
  std::vector<float> actions_;
};

struct Row {
  std::string task, absent;
  Index count = 0;
  std::vector<double> bare, one, two;  // seconds of a vector step, one entry per round

  std::vector<double> boundary() const {
    std::vector<double> differences;
    for (std::size_t i = 0; i < bare.size(); ++i) differences.push_back(one[i] - bare[i]);
    return differences;
  }
  std::vector<double> speed_up() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < two.size(); ++i) ratios.push_back(one[i] / two[i]);
    return ratios;
  }
};

Row measure(const std::string& task, Index count, Peer& bare, const SuiteBenchOptions& o) {
  Row row{.task = task, .absent = {}, .count = count, .bare = {}, .one = {}, .two = {}};
  if (!bare.take(task.substr(task.find('/') + 1), count, 1, "-")) {
    row.absent = bare.why();
    return row;
  }
  Workers one(task, count, 1);
  const std::unique_ptr<Workers> two =
      count > 1 ? std::make_unique<Workers>(task, count, 2) : nullptr;
  Index steps = 1;
  while (one.run(steps) * static_cast<double>(steps) < o.seconds) steps *= 2;
  for (Index round = 0; round < o.pairs; ++round) {
    // Each of the three is first in a third of the rounds.
    for (Index turn = 0; turn < 3; ++turn) {
      const Index who = (round + turn) % 3;
      if (who == 0) row.bare.push_back(bare.run(steps).wall / static_cast<double>(steps));
      if (who == 1) row.one.push_back(one.run(steps));
      if (who == 2 && two) row.two.push_back(two->run(steps));
    }
  }
  return row;
}

std::string micro(double seconds) { return number(seconds * 1e6, 4); }

void report_text(std::ostream& out, const std::vector<Row>& rows, const std::string& packages) {
  Table table({"task", "environments", "own loop, us", "worker, us", "boundary, us", "quartiles",
               "two workers, times one"});
  for (const Row& row : rows) {
    if (!row.absent.empty()) {
      table.add({row.task, number(static_cast<double>(row.count)), row.absent, "", "", "", ""});
      continue;
    }
    const std::vector<double> boundary = row.boundary(), speed_up = row.speed_up();
    table.add({row.task, number(static_cast<double>(row.count)), micro(quantile(row.bare, 0.5)),
               micro(quantile(row.one, 0.5)), micro(quantile(boundary, 0.5)),
               concat(micro(quantile(boundary, 0.25)), " to ", micro(quantile(boundary, 0.75))),
               speed_up.empty() ? "" : number(quantile(speed_up, 0.5), 3)});
  }
  out << table
      << "\nMicroseconds of the clock for one vector step, medians; boundary: worker less "
         "own loop, paired.\n"
      << packages << '\n';
}

void report_json(std::ostream& out, const std::vector<Row>& rows, const std::string& suite,
                 const std::string& packages) {
  Json json;
  json.begin_object().field("suite", suite).field("packages", packages).key("rows").begin_array();
  for (const Row& row : rows) {
    const std::vector<double> boundary = row.boundary(), speed_up = row.speed_up();
    json.begin_object()
        .field("task", row.task)
        .field("environments", row.count)
        .field("absent", row.absent)
        .field("own_loop_us", quantile(row.bare, 0.5) * 1e6)
        .field("worker_us", quantile(row.one, 0.5) * 1e6)
        .field("boundary_us", quantile(boundary, 0.5) * 1e6)
        .field("boundary_lower_us", quantile(boundary, 0.25) * 1e6)
        .field("boundary_upper_us", quantile(boundary, 0.75) * 1e6)
        .field("two_workers_times_one", quantile(speed_up, 0.5))
        .end_object();
  }
  out << std::move(json.end_array().end_object()).text() << '\n';
}

// One word of a shell command.
std::string quoted(const std::filesystem::path& path) {
  std::string text = "'";
  for (const char c : path.string()) c == '\'' ? text += "'\\''" : text += c;
  return text + "'";
}

// Cheap ones first: the boundary can be measured only where steps are short.
std::vector<std::string> some_of(const envs::PythonSuite& suite) {
  if (suite.name == "synthetic") return {"synthetic/loop:lengths=200"};
  std::vector<std::string> names;
  for (const TaskInfo& task : suite.tasks) names.emplace_back(task.name);
  if (names.size() > 3) names = {names.front(), names[names.size() / 2], names.back()};
  return names;
}

}  // namespace

void bench_suite(std::ostream& out, const std::string& suite, std::vector<std::string> tasks,
                 const SuiteBenchOptions& o) {
  const envs::PythonSuite* known = envs::find_python_suite(suite);
  std::vector<std::string> names;
  for (const envs::PythonSuite& one : envs::python_suites()) names.emplace_back(one.name);
  if (known == nullptr || known->name != suite)
    throw NotFound(unknown_name("Python suite", suite, names));
  if (tasks.empty()) tasks = some_of(*known);
  if (tasks.empty())
    throw InvalidArgument(concat(suite, " lists no tasks; name some, such as ", suite, "/ID"));
  for (const std::string& task : tasks)
    if (envs::find_python_suite(task) != known)
      throw InvalidArgument(concat(task, " is not a task of ", suite));
  const std::filesystem::path python = envs::interpreter_of(suite);
  if (python.empty()) make_vec_env(tasks.front());  // says what to install
  // In "/": the interpreter finds no module in the user's working directory.
  Peer bare("its own loop", concat("cd / && exec ", quoted(std::filesystem::absolute(python)), ' ',
                                   quoted(envs::worker_folder()), " bare ", suite));
  std::vector<Row> rows;
  for (const std::string& task : tasks)
    for (const Index count : {1, 16}) rows.push_back(measure(task, count, bare, o));
  o.json ? report_json(out, rows, suite, bare.version()) : report_text(out, rows, bare.version());
}

}  // namespace mneme::lab
