// stats/aggregates.cpp - the four aggregates of many resamples, with no sorting and no allocation
// per repetition.
//
// A resample holds the same values as the matrix, only in other numbers. So the values are ranked
// once; a repetition counts how often each rank was drawn, and the interquartile mean is a walk
// over these counts. Mean, median and optimality gap add up in the order of metrics.cpp.
#include <algorithm>

#include "mneme/bootstrap.h"
#include "stats/resampler.h"
#include "stats/sum.h"

namespace mneme::stats {
namespace {

constexpr std::size_t kReportEvery = 1024;

class AggregateKernel {
 public:
  AggregateKernel(const ScoreMatrix& scores, std::span<const std::uint32_t> task_of_cell)
      : scores_(scores),
        task_of_cell_(task_of_cell),
        rectangular_(scores.rectangular()),
        rank_(scores.size()),
        sorted_(scores.values().begin(), scores.values().end()),
        count_(scores.size()),
        cells_(scores.size()),
        clipped_(scores.size()),
        sums_(scores.tasks()),
        clipped_sums_(scores.tasks()) {
    std::vector<std::uint32_t> order(scores.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return scores.values()[a] < scores.values()[b];
    });
    for (std::uint32_t k = 0; k < order.size(); ++k) rank_[order[k]] = k;
    std::sort(sorted_.begin(), sorted_.end());
  }

  /// Reads in the resample: for each cell the position of its score in values().
  void load(std::span<const std::uint32_t> sources) {
    std::fill(count_.begin(), count_.end(), 0);
    const double* const values = scores_.values().data();
    for (std::size_t c = 0; c < sources.size(); ++c) {
      cells_[c] = values[sources[c]];
      ++count_[rank_[sources[c]]];
    }
    sum_tasks(cells_, sums_);
    for (std::size_t m = 0; m < sums_.size(); ++m) sums_[m] /= static_cast<double>(scores_.runs(m));
  }

  double mean() const { return detail::mean_of(sums_); }

  /// Reorders the task means: call after mean().
  double median() {
    const auto half = sums_.begin() + static_cast<std::ptrdiff_t>(sums_.size() / 2);
    std::nth_element(sums_.begin(), half, sums_.end());
    return sums_.size() % 2 == 1 ? *half : (*std::max_element(sums_.begin(), half) + *half) / 2;
  }

  double iqm() const {
    const auto size = static_cast<std::int64_t>(sorted_.size());
    const std::int64_t first = size / 4, last = size - first;
    std::int64_t seen = 0;
    double sum = 0;
    for (std::size_t k = 0; k < sorted_.size(); ++k) {
      const std::int64_t before = std::max(seen, first);
      seen += count_[k];
      sum += static_cast<double>(std::max<std::int64_t>(0, std::min(seen, last) - before)) *
             sorted_[k];
    }
    return sum / static_cast<double>(last - first);
  }

  double optimality_gap() {
    for (std::size_t c = 0; c < cells_.size(); ++c) clipped_[c] = std::min(cells_[c], 1.0);
    if (rectangular_) return 1 - detail::mean_of(clipped_);
    sum_tasks(clipped_, clipped_sums_);
    for (std::size_t m = 0; m < sums_.size(); ++m)
      clipped_sums_[m] /= static_cast<double>(scores_.runs(m));
    return 1 - detail::mean_of(clipped_sums_);
  }

 private:
  // The runs of each task added in their order; one task alone pairwise, as NumPy does.
  void sum_tasks(const std::vector<double>& cells, std::vector<double>& sums) const {
    if (sums.size() == 1) {
      sums[0] = detail::pairwise_sum(cells);
      return;
    }
    std::fill(sums.begin(), sums.end(), 0.0);
    if (!rectangular_) {
      for (std::size_t c = 0; c < cells.size(); ++c) sums[task_of_cell_[c]] += cells[c];
      return;
    }
    double* const sum = sums.data();
    const std::size_t tasks = sums.size();
    for (const double* row = cells.data(); row != cells.data() + cells.size(); row += tasks)
      for (std::size_t m = 0; m < tasks; ++m) sum[m] += row[m];
  }

  const ScoreMatrix& scores_;
  std::span<const std::uint32_t> task_of_cell_;
  bool rectangular_;
  std::vector<std::uint32_t> rank_;  // of each of values() among all
  std::vector<double> sorted_;
  std::vector<std::uint32_t> count_;  // of each rank in the resample
  std::vector<double> cells_, clipped_, sums_, clipped_sums_;
};

}  // namespace

Aggregates bootstrap_aggregates(const ScoreMatrix& scores, const BootstrapOptions& options) {
  detail::check_options(options);
  detail::Resampler resampler(scores, options);
  detail::IndexSource source(options.generator, options.seed);
  AggregateKernel kernel(scores, resampler.tasks());

  std::vector<std::vector<double>> values(4, std::vector<double>(options.repetitions));
  for (std::size_t repetition = 0; repetition < options.repetitions; ++repetition) {
    kernel.load(resampler.draw(source));
    values[0][repetition] = kernel.mean();
    values[1][repetition] = kernel.median();
    values[2][repetition] = kernel.iqm();
    values[3][repetition] = kernel.optimality_gap();
    if (options.progress && repetition % kReportEvery == 0)
      options.progress(static_cast<double>(repetition) / static_cast<double>(options.repetitions));
  }
  const std::vector<double> estimates{mean(scores), median(scores), iqm(scores),
                                      optimality_gap(scores)};
  const std::vector<Interval> all =
      detail::percentile_intervals(estimates, values, scores.fewest_runs(), options);
  return {all[0], all[1], all[2], all[3]};
}

}  // namespace mneme::stats
