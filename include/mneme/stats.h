// mneme/stats.h - what a set of scores says: aggregates, comparisons, attribution. Point estimates;
// the intervals are in bootstrap.h, reading and normalizing scores in scores.h.
//
// The definitions are those of google-research/rliable 1.2.0 (Agarwal et al. 2021), sums are taken
// in NumPy's order: mean, median and optimality gap are the same bits as there, iqm the same up to
// the order of its sum. A score is a normalized number where 1 is the reference performance;
// nothing is clipped unless a metric says so.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mneme::stats {

/// Scores of one method: runs (seeds) by tasks. Tasks may have different numbers of runs, every
/// task has at least one.
class ScoreMatrix {
 public:
  /// `values` row by row: all tasks of run 0, then of run 1, ...
  /// Throws InvalidArgument if a size is 0, does not fit, or a value is not finite.
  ScoreMatrix(std::size_t runs, std::size_t tasks, std::span<const double> values);

  /// One list of runs for each task, not necessarily of equal length. Throws as above.
  explicit ScoreMatrix(const std::vector<std::vector<double>>& runs_of_task);

  std::size_t tasks() const { return offsets_.size() - 1; }
  std::size_t runs(std::size_t task) const { return offsets_[task + 1] - offsets_[task]; }
  /// The fewest and the most runs any task has; equal if the matrix is rectangular.
  std::size_t fewest_runs() const;
  std::size_t most_runs() const;
  bool rectangular() const { return fewest_runs() == most_runs(); }
  std::size_t size() const { return values_.size(); }

  /// The scores of a task, one for each run.
  std::span<const double> task(std::size_t task) const {
    return std::span(values_).subspan(offsets_[task], runs(task));
  }
  /// All scores, task after task.
  std::span<const double> values() const { return values_; }
  /// The same shape with other values. Throws InvalidArgument if their number differs.
  void assign(std::span<const double> values);

 private:
  std::vector<double> values_;
  std::vector<std::size_t> offsets_;
};

// Aggregates of one method ----------

/// Mean over tasks of the mean over runs: every task weighs the same, however many runs it has.
double mean(const ScoreMatrix& scores);

/// Median over tasks of the mean over runs; with an even number of tasks the average of the two in
/// the middle.
double median(const ScoreMatrix& scores);

/// Interquartile mean: all scores sorted, floor(n / 4) dropped at each end, plain mean of the rest.
double iqm(const ScoreMatrix& scores);

/// gamma - mean of min(score, gamma): how far from gamma, with no credit beyond it.
double optimality_gap(const ScoreMatrix& scores, double gamma = 1);

/// For each tau the fraction of all scores strictly above it.
std::vector<double> score_profile(const ScoreMatrix& scores, std::span<const double> taus);

/// For each tau the fraction of tasks whose mean is strictly above it.
std::vector<double> average_score_profile(const ScoreMatrix& scores, std::span<const double> taus);

// Two methods. Throws InvalidArgument unless both have the same number of tasks ----------

/// Mean over tasks of the probability that a run of x scores higher than a run of y, ties counting
/// one half.
double probability_of_improvement(const ScoreMatrix& x, const ScoreMatrix& y);

/// The same for each task.
std::vector<double> probability_of_improvement_by_task(const ScoreMatrix& x, const ScoreMatrix& y);

/// 100 (mean(x) / mean(baseline) - 1). NaN if the baseline is not above 0: a percentage of it has
/// no meaning.
double gain(const ScoreMatrix& x, const ScoreMatrix& baseline);

/// 100 (1 - optimality_gap(x) / optimality_gap(baseline)): the share of the remaining distance that
/// x covers. Unlike `gain` it does not shrink merely because scores saturate. NaN if the baseline
/// leaves no gap.
double optimality_gap_reduction(const ScoreMatrix& x, const ScoreMatrix& baseline);

// Attribution ----------

/// Two-player Shapley values, in % of gain: critic + actor = the gain of both together.
struct Shapley {
  double critic = 0;
  double actor = 0;
  double both = 0;
};

/// From the gains (%) of changing only the critic, only the actor, and both, over changing neither.
Shapley shapley(double gain_critic, double gain_actor, double gain_both);

/// From the scores of the four arms; the baseline is the arm that changes neither.
Shapley shapley(const ScoreMatrix& baseline, const ScoreMatrix& critic, const ScoreMatrix& actor,
                const ScoreMatrix& both);

// Time to a level ----------

/// The first step at which the running maximum of `curve` reaches `level`, linear between
/// checkpoints; the first checkpoint if it starts there; NaN if it never does. REQUIRES: steps
/// ascending, as many as curve has points, at least one. Throws InvalidArgument otherwise.
double time_to_reach(std::span<const double> steps, std::span<const double> curve, double level);

/// How much sooner a curve reaches what the baseline reaches. NaN stands for "undefined": a level
/// is never reached, or the baseline never rises above its first checkpoint.
struct SpeedUp {
  double level = 0;                 // the best the baseline ever has
  double at_final = 0;              // time of the baseline over time of the curve, both to `level`
  double fraction_of_training = 0;  // time of the curve to `level`, over the last step
  double up_to =
      0;  // the largest ratio over all levels both reach above the baseline's first checkpoint
  double up_to_level = 0;  // where
};

/// Throws InvalidArgument as time_to_reach does.
SpeedUp speed_up(std::span<const double> steps, std::span<const double> baseline,
                 std::span<const double> curve);

}  // namespace mneme::stats
