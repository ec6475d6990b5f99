// stats/bootstrap.cpp - any statistic of resampled matrices, and the intervals of stats.h made of
// it.
#include "mneme/bootstrap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "mneme/error.h"
#include "stats/resampler.h"

namespace mneme::stats {
namespace {

constexpr std::size_t kReportEvery = 1024;  // repetitions between two calls of progress

void check_samples(std::span<const ScoreMatrix> samples, const BootstrapOptions& options) {
  if (samples.empty()) throw InvalidArgument("bootstrap: no scores; pass at least one matrix");
  for (const ScoreMatrix& sample : samples) {
    if (sample.tasks() != samples[0].tasks())
      throw InvalidArgument(concat("bootstrap: one method has ", samples[0].tasks(),
                                   " tasks, another ", sample.tasks(),
                                   "; compare methods on the same tasks"));
  }
  if (samples.size() > 1 && options.task_bootstrap)
    throw InvalidArgument(
        "bootstrap: task_bootstrap is set for several methods; it is defined for one alone");
}

// Probabilities stay probabilities, also after the small-sample correction.
Interval within_unit(Interval interval) {
  if (!std::isnan(interval.low)) interval.low = std::clamp(interval.low, 0.0, 1.0);
  if (!std::isnan(interval.high)) interval.high = std::clamp(interval.high, 0.0, 1.0);
  return interval;
}

// A ratio that is undefined in some repetitions has no interval: its denominator cannot be told
// from 0.
Interval all_or_nothing(Interval interval) {
  if (interval.undefined > 0)
    interval.low = interval.high = std::numeric_limits<double>::quiet_NaN();
  return interval;
}

std::vector<Interval> bootstrap_profile(const ScoreMatrix& scores, std::span<const double> taus,
                                        const BootstrapOptions& options, auto profile) {
  std::vector<Interval> intervals = bootstrap(
      {&scores, 1}, taus.size(),
      [&](std::span<const ScoreMatrix> samples, std::span<double> out) {
        const std::vector<double> shares = profile(samples[0], taus);
        std::copy(shares.begin(), shares.end(), out.begin());
      },
      options);
  for (Interval& interval : intervals) interval = within_unit(interval);
  return intervals;
}

// A statistic of two matrices with one number.
template <class F>
Interval bootstrap_pair(const ScoreMatrix& x, const ScoreMatrix& y, const BootstrapOptions& options,
                        F f) {
  const std::array<ScoreMatrix, 2> samples{x, y};
  return bootstrap(
      samples, 1,
      [&](std::span<const ScoreMatrix> s, std::span<double> out) { out[0] = f(s[0], s[1]); },
      options)[0];
}

}  // namespace

std::vector<Interval> bootstrap(std::span<const ScoreMatrix> samples, std::size_t outputs,
                                const Statistic& statistic, const BootstrapOptions& options) {
  detail::check_options(options);
  check_samples(samples, options);
  std::vector<detail::Resampler> resamplers;
  for (const ScoreMatrix& sample : samples) resamplers.emplace_back(sample, options);
  detail::IndexSource source(options.generator, options.seed);

  std::vector<double> result(outputs);
  statistic(samples, result);
  const std::vector<double> estimates = result;

  // Each repetition draws every matrix in turn from the one source.
  std::vector<ScoreMatrix> resampled(samples.begin(), samples.end());
  std::vector<std::vector<double>> values(outputs, std::vector<double>(options.repetitions));
  std::vector<double> buffer;
  for (std::size_t repetition = 0; repetition < options.repetitions; ++repetition) {
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const std::span<const std::uint32_t> sources = resamplers[s].draw(source);
      const std::span<const std::uint32_t> places = resamplers[s].places();
      buffer.resize(sources.size());
      for (std::size_t c = 0; c < sources.size(); ++c)
        buffer[places[c]] = samples[s].values()[sources[c]];
      resampled[s].assign(buffer);
    }
    statistic(resampled, result);
    for (std::size_t k = 0; k < outputs; ++k) values[k][repetition] = result[k];
    if (options.progress && repetition % kReportEvery == 0)
      options.progress(static_cast<double>(repetition) / static_cast<double>(options.repetitions));
  }

  std::size_t runs = samples[0].fewest_runs();
  for (const ScoreMatrix& sample : samples) runs = std::min(runs, sample.fewest_runs());
  return detail::percentile_intervals(estimates, values, runs, options);
}

Interval bootstrap_gain(const ScoreMatrix& x, const ScoreMatrix& baseline,
                        const BootstrapOptions& options, GainInterval kind) {
  if (kind == GainInterval::both_resampled)
    return all_or_nothing(bootstrap_pair(x, baseline, options, gain));
  // Scaled: only the method is drawn.
  return bootstrap(
      {&x, 1}, 1,
      [&](std::span<const ScoreMatrix> s, std::span<double> out) { out[0] = gain(s[0], baseline); },
      options)[0];
}

Interval bootstrap_probability_of_improvement(const ScoreMatrix& x, const ScoreMatrix& y,
                                              const BootstrapOptions& options) {
  return within_unit(bootstrap_pair(x, y, options, probability_of_improvement));
}

Comparison bootstrap_comparison(const ScoreMatrix& x, const ScoreMatrix& baseline,
                                const BootstrapOptions& options) {
  const std::array<ScoreMatrix, 2> samples{x, baseline};
  const std::vector<Interval> all = bootstrap(
      samples, 4,
      [](std::span<const ScoreMatrix> s, std::span<double> out) {
        out[0] = gain(s[0], s[1]);
        out[1] = mean(s[0]) - mean(s[1]);
        out[2] = optimality_gap_reduction(s[0], s[1]);
        out[3] = probability_of_improvement(s[0], s[1]);
      },
      options);
  return {all_or_nothing(all[0]), all[1], all_or_nothing(all[2]), within_unit(all[3])};
}

PairedComparison bootstrap_paired_comparison(const ScoreMatrix& x, const ScoreMatrix& baseline,
                                             const BootstrapOptions& options) {
  const std::array<ScoreMatrix, 2> both{x, baseline};
  check_samples(both, options);
  // A matrix of pair numbers is what is drawn; the statistic looks both scores of a pair up.
  PairedComparison result;
  std::vector<std::vector<double>> numbers(x.tasks());
  for (std::size_t m = 0; m < x.tasks(); ++m) {
    if (x.runs(m) != baseline.runs(m))
      throw InvalidArgument(concat("paired comparison: task ", m, " has ", x.runs(m), " and ",
                                   baseline.runs(m), " runs; pass pairs only"));
    for (std::size_t r = 0; r < x.runs(m); ++r) {
      numbers[m].push_back(static_cast<double>(r));
      if (x.task(m)[r] > baseline.task(m)[r]) ++result.won;
    }
    result.pairs += x.runs(m);
  }
  const ScoreMatrix pairs(numbers);
  const std::vector<Interval> intervals = bootstrap(
      {&pairs, 1}, 2,
      [&](std::span<const ScoreMatrix> drawn, std::span<double> out) {
        double of_x = 0, of_baseline = 0;
        for (std::size_t m = 0; m < x.tasks(); ++m) {
          double sum_x = 0, sum_baseline = 0;
          for (const double pair : drawn[0].task(m)) {
            sum_x += x.task(m)[static_cast<std::size_t>(pair)];
            sum_baseline += baseline.task(m)[static_cast<std::size_t>(pair)];
          }
          const double runs = static_cast<double>(x.runs(m));
          of_x += sum_x / runs;
          of_baseline += sum_baseline / runs;
        }
        out[0] = of_baseline > 0 ? 100 * (of_x / of_baseline - 1)
                                 : std::numeric_limits<double>::quiet_NaN();
        out[1] = (of_x - of_baseline) / static_cast<double>(x.tasks());
      },
      options);
  result.gain = all_or_nothing(intervals[0]);
  result.difference = intervals[1];
  return result;
}

std::vector<Interval> bootstrap_score_profile(const ScoreMatrix& scores,
                                              std::span<const double> taus,
                                              const BootstrapOptions& options) {
  return bootstrap_profile(scores, taus, options, score_profile);
}

std::vector<Interval> bootstrap_average_score_profile(const ScoreMatrix& scores,
                                                      std::span<const double> taus,
                                                      const BootstrapOptions& options) {
  return bootstrap_profile(scores, taus, options, average_score_profile);
}

ShapleyIntervals bootstrap_shapley(const ScoreMatrix& baseline, const ScoreMatrix& critic,
                                   const ScoreMatrix& actor, const ScoreMatrix& both,
                                   const BootstrapOptions& options) {
  const std::array<ScoreMatrix, 4> samples{baseline, critic, actor, both};
  const std::vector<Interval> intervals = bootstrap(
      samples, 3,
      [](std::span<const ScoreMatrix> s, std::span<double> out) {
        const Shapley shares = shapley(s[0], s[1], s[2], s[3]);
        out[0] = shares.critic;
        out[1] = shares.actor;
        out[2] = shares.both;
      },
      options);
  return {all_or_nothing(intervals[0]), all_or_nothing(intervals[1]), all_or_nothing(intervals[2])};
}

}  // namespace mneme::stats
