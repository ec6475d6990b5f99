// stats/resampler.h - which runs a repetition of the bootstrap consists of.
//
// A cell is a (run slot, task) of the resampled matrix. Cells go run slot by run slot, tasks
// inside: the order in which NumPy fills its index matrix. Tasks with fewer runs drop out of the
// later slots.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "mneme/bootstrap.h"
#include "mneme/rng.h"

namespace mneme::stats::detail {

/// Uniform integers, from mneme's own generator or as numpy.random.randint draws them after
/// numpy.random.seed.
class IndexSource {
 public:
  /// Throws InvalidArgument if Generator::rliable gets a seed of more than 32 bits.
  IndexSource(Generator generator, std::uint64_t seed);

  /// out[i] uniform on 0 .. bounds[i]-1, one after the other.
  void draw(std::span<const std::uint32_t> bounds, std::span<std::uint32_t> out);

 private:
  void draw_like_numpy(std::span<const std::uint32_t> bounds, std::span<std::uint32_t> out);

  Generator generator_;
  Rng rng_;
  std::mt19937 twister_;  // the standard fixes its seeding and output: NumPy's legacy generator
  std::vector<std::uint64_t> words_;
};

class Resampler {
 public:
  /// Throws InvalidArgument if the options need equal numbers of runs and the tasks differ.
  Resampler(const ScoreMatrix& scores, const BootstrapOptions& options);

  /// The next repetition: for each cell, where its score stands in scores.values().
  std::span<const std::uint32_t> draw(IndexSource& source);

  /// For each cell, where it stands in the values() of the resampled matrix, and its task.
  std::span<const std::uint32_t> places() const { return places_; }
  std::span<const std::uint32_t> tasks() const { return tasks_; }

 private:
  bool cluster_, task_bootstrap_;
  std::uint32_t runs_, task_count_;
  std::vector<std::uint32_t> tasks_, places_,
      offsets_;  // of each cell; offsets_: of its task in values()
  std::vector<std::uint32_t> run_bounds_, task_bounds_;
  std::vector<std::uint32_t> run_draws_, task_draws_, sources_;
};

/// Throws InvalidArgument if a number is out of range.
void check_options(const BootstrapOptions& options);

/// The intervals of statistics whose repetitions are in `values`, one row per statistic. Reorders
/// `values`. Undefined throughout if `runs`, the fewest of any task, is 1.
std::vector<Interval> percentile_intervals(std::span<const double> estimates,
                                           std::vector<std::vector<double>>& values,
                                           std::size_t runs, const BootstrapOptions& options);

}  // namespace mneme::stats::detail
