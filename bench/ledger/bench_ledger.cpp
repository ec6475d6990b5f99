// bench/ledger/bench_ledger.cpp - how long a large ledger takes to list, to show and to report
// from.
//
//   bench_ledger [FILE] [RUNS] [ROWS]      default: ledger-bench.db, 10000 runs, 10 million metric
//   rows
//
// A file that is there already is measured as it is. Then: time mneme runs ls --ledger FILE
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "base/text.h"
#include "ledger/curves.h"
#include "ledger/ledger.h"

namespace {

using namespace mneme;
using namespace mneme::lab;

// A thousand rows per run at the usual ten names, through the statements a reader of CSV files
// uses.
void make(const std::string& file, std::int64_t runs, std::int64_t rows) {
  Ledger ledger(file, Ledger::Mode::create);
  const Database& db = ledger.database();
  constexpr std::int64_t kNames = 10, kPerTransaction = 100;
  const std::int64_t steps = rows / runs / kNames;
  for (std::int64_t first = 0; first < runs; first += kPerTransaction) {
    Transaction all(db);
    StudyRow study = ledger.find_study(concat("study", first / 1000));
    if (study.id == 0) study.id = ledger.add_study(concat("study", first / 1000), "text");
    for (std::int64_t n = first; n < std::min(runs, first + kPerTransaction); ++n) {
      const Id run = ledger.add_run(
          study.id,
          {.key = concat("dmc-walker-run,utd=1-16,uniform,s", n),
           .agent = "simbav2",
           .method = n % 2 == 0 ? "uniform" : "truncated_geometric:alpha=10",
           .task = "dmc/walker-run",
           .seed = n,
           .steps = 250'000,
           .directory = concat("runs/study/", n)},
          std::string(3000, 'x'), {{"utd", "0.0625"}, {"batch", "128"}}, {{"utd", "1/16"}});
      Statement metric =
          db.prepare("INSERT INTO metric (run, name, step, value) VALUES (?, ?, ?, ?)");
      for (std::int64_t name = 0; name < kNames; ++name) {
        const Id id = ledger.name_id(concat("metric", name));
        for (std::int64_t step = 0; step < steps; ++step)
          metric.bind(run).bind(id).bind(1250 * step).bind(0.1 * static_cast<double>(step)).run();
      }
      Statement evaluation = db.prepare(
          "INSERT INTO evaluation (run, task, step, frame, seconds, episodes, mean_return, "
          "deviation, score, success, length) VALUES (?, ?, ?, ?, ?, 5, ?, 1, ?, NULL, 1000)");
      const Id task = ledger.name_id("dmc/walker-run");
      for (std::int64_t step = 1; step <= 10; ++step)
        evaluation.bind(run)
            .bind(task)
            .bind(25'000 * step)
            .bind(25'000 * step)
            .bind(10.0)
            .bind(500.0)
            .bind(0.5)
            .run();
      ledger.set_state(run, RunState::done);
    }
    all.commit();
  }
}

template <class Work>
void time(const char* what, const Work& work) {
  const auto begun = std::chrono::steady_clock::now();
  const std::size_t items = work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::cout << what << ": " << took.count() << " s, " << items << " items\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "ledger-bench.db";
  const std::int64_t runs = argc > 2 ? std::atoll(argv[2]) : 10'000;
  const std::int64_t rows = argc > 3 ? std::atoll(argv[3]) : 10'000'000;
  if (!std::filesystem::exists(file))
    time("make", [&] {
      make(file, runs, rows);
      return static_cast<std::size_t>(rows);
    });
  const Ledger ledger(file);
  std::cout << ledger.database().number("SELECT count(*) FROM metric") << " metric rows, "
            << static_cast<double>(std::filesystem::file_size(file)) / 1e6 << " MB\n";
  time("list all runs", [&] { return ledger.runs().size(); });
  time("list one study", [&] { return ledger.runs({.study = "study3"}).size(); });
  time("one curve of one run",
       [&] { return points(ledger, 77, Series::metric, "metric3").size(); });
  time("evaluations of a study of 1000 runs", [&] {
    std::size_t count = 0;
    for (const RunRow& run : ledger.runs({.study = "study3"}))
      count += evaluations(ledger, run.id).size();
    return count;
  });
  time("one curve of each of those runs", [&] {
    std::size_t count = 0;
    for (const RunRow& run : ledger.runs({.study = "study3"}))
      count += points(ledger, run.id, Series::metric, "metric3").size();
    return count;
  });
}
