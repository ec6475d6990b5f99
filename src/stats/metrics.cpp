// stats/metrics.cpp - the aggregates and comparisons of RLiable, in its order of summation.
//
// NumPy adds the runs of a task one after the other when there are several tasks (the sum runs
// along the slow axis) and pairwise when there is one; sums over tasks, and over all scores, are
// pairwise.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/stats.h"
#include "stats/sum.h"

namespace mneme::stats {
namespace {

double task_mean(const ScoreMatrix& scores, std::size_t task) {
  const std::span<const double> runs = scores.task(task);
  if (scores.tasks() == 1) return detail::mean_of(runs);
  double sum = 0;
  for (const double value : runs) sum += value;
  return sum / static_cast<double>(runs.size());
}

std::vector<double> task_means(const ScoreMatrix& scores) {
  std::vector<double> means(scores.tasks());
  for (std::size_t m = 0; m < means.size(); ++m) means[m] = task_mean(scores, m);
  return means;
}

void check_same_tasks(const ScoreMatrix& x, const ScoreMatrix& y) {
  if (x.tasks() != y.tasks())
    throw InvalidArgument(concat("scores: one method has ", x.tasks(), " tasks, the other ",
                                 y.tasks(), "; compare methods on the same tasks"));
}

void check_taus(std::span<const double> taus) {
  for (const double tau : taus) {
    if (std::isnan(tau)) throw InvalidArgument("profile: a tau is nan; pass numbers");
  }
}

// The share of `values` strictly above each tau.
std::vector<double> shares_above(std::span<const double> values, std::span<const double> taus) {
  check_taus(taus);
  std::vector<double> shares;
  for (const double tau : taus) {
    const auto above =
        std::count_if(values.begin(), values.end(), [&](double v) { return v > tau; });
    shares.push_back(static_cast<double>(above) / static_cast<double>(values.size()));
  }
  return shares;
}

}  // namespace

double mean(const ScoreMatrix& scores) { return detail::mean_of(task_means(scores)); }

double median(const ScoreMatrix& scores) {
  std::vector<double> means = task_means(scores);
  std::sort(means.begin(), means.end());
  const std::size_t half = means.size() / 2;
  return means.size() % 2 == 1 ? means[half] : (means[half - 1] + means[half]) / 2;
}

double iqm(const ScoreMatrix& scores) {
  std::vector<double> sorted(scores.values().begin(), scores.values().end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t cut = sorted.size() / 4;
  return detail::mean_of(std::span(sorted).subspan(cut, sorted.size() - 2 * cut));
}

double optimality_gap(const ScoreMatrix& scores, double gamma) {
  if (!std::isfinite(gamma))
    throw InvalidArgument(concat("optimality_gap: gamma is ", gamma, "; pass a finite number"));
  // Equal numbers of runs: the mean over all scores, run by run as they lie in NumPy's matrix.
  if (scores.rectangular()) {
    std::vector<double> clipped;
    clipped.reserve(scores.size());
    for (std::size_t r = 0; r < scores.runs(0); ++r)
      for (std::size_t m = 0; m < scores.tasks(); ++m)
        clipped.push_back(std::min(scores.task(m)[r], gamma));
    return gamma - detail::mean_of(clipped);
  }
  // Otherwise every task weighs the same, as in mean().
  ScoreMatrix clipped = scores;
  std::vector<double> values(scores.values().begin(), scores.values().end());
  for (double& value : values) value = std::min(value, gamma);
  clipped.assign(values);
  return gamma - mean(clipped);
}

std::vector<double> score_profile(const ScoreMatrix& scores, std::span<const double> taus) {
  return shares_above(scores.values(), taus);
}

std::vector<double> average_score_profile(const ScoreMatrix& scores, std::span<const double> taus) {
  return shares_above(task_means(scores), taus);
}

std::vector<double> probability_of_improvement_by_task(const ScoreMatrix& x, const ScoreMatrix& y) {
  check_same_tasks(x, y);
  std::vector<double> probabilities;
  for (std::size_t m = 0; m < x.tasks(); ++m) {
    // Twice the number of pairs won, a tie counting once.
    std::size_t won = 0;
    for (const double a : x.task(m))
      for (const double b : y.task(m))
        won += static_cast<std::size_t>(a > b) + static_cast<std::size_t>(a >= b);
    probabilities.push_back(static_cast<double>(won) / 2 /
                            static_cast<double>(x.runs(m) * y.runs(m)));
  }
  return probabilities;
}

double probability_of_improvement(const ScoreMatrix& x, const ScoreMatrix& y) {
  return detail::mean_of(probability_of_improvement_by_task(x, y));
}

double gain(const ScoreMatrix& x, const ScoreMatrix& baseline) {
  check_same_tasks(x, baseline);
  const double reference = mean(baseline);
  if (!(reference > 0)) return std::numeric_limits<double>::quiet_NaN();
  return 100 * (mean(x) / reference - 1);
}

double optimality_gap_reduction(const ScoreMatrix& x, const ScoreMatrix& baseline) {
  check_same_tasks(x, baseline);
  const double gap = optimality_gap(baseline);
  if (!(gap > 0)) return std::numeric_limits<double>::quiet_NaN();
  return 100 * (1 - optimality_gap(x) / gap);
}

}  // namespace mneme::stats
