// bench/bootstrap/bench_bootstrap.cpp - times the bootstrap of all four aggregates and prints JSON.
//
//   bench_bootstrap RUNS TASKS REPETITIONS mneme|rliable [SEED [TIMES]]
//
// The scores are numpy.random.RandomState(7).randint(0, 1200, (RUNS, TASKS)) / 1000, so that
// compare_rliable.py can give the same ones to the other contestant. One warm-up, then TIMES timed
// calls; the clock covers one whole call.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "mneme/bootstrap.h"

namespace {

mneme::stats::ScoreMatrix scores(std::size_t runs, std::size_t tasks) {
  std::mt19937 twister(7);
  std::vector<double> values(runs * tasks);
  for (double& value : values) {
    std::uint32_t draw = 0;
    do draw = static_cast<std::uint32_t>(twister()) & 2047u;
    while (draw >= 1200);
    value = draw / 1000.0;
  }
  return {runs, tasks, values};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mneme::stats;
  if (argc < 5) {
    std::cerr << "usage: bench_bootstrap RUNS TASKS REPETITIONS mneme|rliable [SEED [TIMES]]\n";
    return 2;
  }
  const ScoreMatrix matrix =
      scores(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10));
  BootstrapOptions options;
  options.repetitions = std::strtoull(argv[3], nullptr, 10);
  options.generator = std::string(argv[4]) == "rliable" ? Generator::rliable : Generator::mneme;
  options.seed = argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 42;
  const int times = argc > 6 ? std::atoi(argv[6]) : 1;

  Aggregates answer = bootstrap_aggregates(matrix, options);
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    answer = bootstrap_aggregates(matrix, options);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

  // In RLiable's order: median, IQM, mean, optimality gap.
  mneme::Json json;
  json.begin_object().key("seconds").values(seconds).key("low").values(
      std::vector{answer.median.low, answer.iqm.low, answer.mean.low, answer.optimality_gap.low});
  json.key("high").values(std::vector{answer.median.high, answer.iqm.high, answer.mean.high,
                                      answer.optimality_gap.high});
  json.field("compiler", MNEME_COMPILER);
  json.end_object();
  std::cout << std::move(json).text() << '\n';
}
