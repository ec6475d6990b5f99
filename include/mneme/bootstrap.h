// mneme/bootstrap.h - intervals around the estimates of stats.h, by resampling runs.
//
// A repetition draws, for every (run slot, task), one of the runs of that task with equal
// probability (stratified), or one run for a whole row of tasks (run_cluster: right when one run
// trains all tasks together). Tasks are kept unless task_bootstrap is set. The interval is the
// percentile interval, linear between order statistics.
//
// What an interval means: how the number would move had other seeds been drawn, on the same tasks.
// It is too narrow with few runs; true_coverage() says by how much, correct_small_sample repairs
// the width.
//
// Cost: O(repetitions * runs * tasks). One thread; the answer depends on the seed alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mneme/scores.h"
#include "mneme/stats.h"

namespace mneme::stats {

enum class Resampling { stratified, run_cluster };

/// rliable: the draws of RLiable after numpy.random.seed(seed), number for number (every call
/// starts at the seed).
enum class Generator { mneme, rliable };

struct BootstrapOptions {
  std::size_t repetitions = 50'000;  // 1 to 10,000,000
  double confidence = 0.95;          // in (0, 1)
  std::uint64_t seed = 0;            // below 2^32 for Generator::rliable
  Resampling resampling = Resampling::stratified;
  Generator generator = Generator::mneme;
  bool task_bootstrap = false;        // also draw tasks; one matrix only
  bool correct_small_sample = false;  // widen by sqrt(R / (R - 1)), R the fewest runs of any task
  // Called now and then with the share of repetitions done.
  std::function<void(double fraction)> progress = nullptr;
};

/// NaN bounds mean "undefined": a single run, or a statistic that is undefined in too many
/// repetitions.
struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
  std::size_t undefined =
      0;  // repetitions in which the statistic was undefined; they count as below all others
};

/// Every function below throws InvalidArgument if an option is out of range, if run_cluster,
/// task_bootstrap or Generator::rliable meets tasks with different numbers of runs, or if matrices
/// differ in their number of tasks.

struct Aggregates {
  Interval mean, median, iqm, optimality_gap;
};
/// All four from the same resamples.
Aggregates bootstrap_aggregates(const ScoreMatrix& scores, const BootstrapOptions& options = {});

/// Any statistic of one or more matrices, each resampled independently: `statistic` reads the
/// resampled matrices and writes `outputs` numbers (NaN for "undefined").
using Statistic = std::function<void(std::span<const ScoreMatrix> samples, std::span<double> out)>;
std::vector<Interval> bootstrap(std::span<const ScoreMatrix> samples, std::size_t outputs,
                                const Statistic& statistic, const BootstrapOptions& options = {});

/// both_resampled: method and baseline drawn anew in each repetition. scaled: the method's own
/// interval over the baseline's point estimate, as some papers do; it ignores the baseline's
/// spread.
enum class GainInterval { both_resampled, scaled };
Interval bootstrap_gain(const ScoreMatrix& x, const ScoreMatrix& baseline,
                        const BootstrapOptions& options = {},
                        GainInterval kind = GainInterval::both_resampled);
/// Kept inside [0, 1].
Interval bootstrap_probability_of_improvement(const ScoreMatrix& x, const ScoreMatrix& y,
                                              const BootstrapOptions& options = {});

/// x against a baseline; difference is mean(x) - mean(baseline). All from the same resamples.
struct Comparison {
  Interval gain, difference, optimality_gap_reduction, probability_of_improvement;
};
Comparison bootstrap_comparison(const ScoreMatrix& x, const ScoreMatrix& baseline,
                                const BootstrapOptions& options = {});

/// Two methods whose runs come in pairs: run r of a task of x and run r of that task of the
/// baseline share a seed. A repetition draws pairs, so what both runs of a pair share cancels.
struct PairedComparison {
  std::size_t pairs = 0;  // over all tasks
  std::size_t won = 0;    // pairs in which x scores higher; ties count for neither
  Interval gain, difference;
};
/// Throws InvalidArgument unless both have the same number of runs on every task.
PairedComparison bootstrap_paired_comparison(const ScoreMatrix& x, const ScoreMatrix& baseline,
                                             const BootstrapOptions& options = {});

/// One interval for each tau, pointwise, kept inside [0, 1].
std::vector<Interval> bootstrap_score_profile(const ScoreMatrix& scores,
                                              std::span<const double> taus,
                                              const BootstrapOptions& options = {});
std::vector<Interval> bootstrap_average_score_profile(const ScoreMatrix& scores,
                                                      std::span<const double> taus,
                                                      const BootstrapOptions& options = {});

struct ShapleyIntervals {
  Interval critic, actor, both;
};
ShapleyIntervals bootstrap_shapley(const ScoreMatrix& baseline, const ScoreMatrix& critic,
                                   const ScoreMatrix& actor, const ScoreMatrix& both,
                                   const BootstrapOptions& options = {});

struct SpeedUpIntervals {
  Interval at_final, fraction_of_training, up_to;
};
/// A drawn run keeps its whole curve. Throws InvalidArgument if the two differ in tasks or
/// checkpoints.
SpeedUpIntervals bootstrap_speed_up(const Curves& baseline, const Curves& x,
                                    const BootstrapOptions& options = {});

/// How often a nominal interval of normal data really holds the truth, with this many runs and
/// tasks: the chance that a t variable of tasks * (runs - 1) degrees of freedom (runs - 1 for
/// run_cluster) stays within z sqrt((R - 1) / R). NaN for one run. As tasks grow it tends to 0.8905
/// (R = 3), 0.9204 (5), 0.9370 (10), 0.9439 (20) at nominal 0.95.
double true_coverage(std::size_t runs, std::size_t tasks, const BootstrapOptions& options = {});

/// How many times wider the two sides of a nominal interval must be, so that by the same reckoning
/// all of `comparisons` intervals hold the truth together as often as one nominal interval promises
/// (Bonferroni). At least 1 with one comparison and many runs; NaN for one run. REQUIRES:
/// comparisons >= 1.
double simultaneous_widening(std::size_t runs, std::size_t tasks, std::size_t comparisons,
                             const BootstrapOptions& options = {});

/// The value below which a share q of `values` lies, linear between order statistics (position (n -
/// 1) q). NaNs count as lowest. Reorders `values`. Throws InvalidArgument if it is empty or q is
/// outside [0, 1]. O(n).
double percentile(std::span<double> values, double q);

}  // namespace mneme::stats
