// stats/speed_up_bootstrap.cpp - the interval of a speed-up: runs are drawn with their whole
// curves.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "mneme/bootstrap.h"
#include "mneme/error.h"
#include "stats/resampler.h"

namespace mneme::stats {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The mean curve of a resample: mean over runs, then over tasks, at each checkpoint.
class CurveResampler {
 public:
  CurveResampler(const Curves& curves, const BootstrapOptions& options)
      : shape_(final_scores(curves)), resampler_(shape_, options), points_(curves.steps.size()) {
    for (const auto& runs : curves.values)
      for (const auto& curve : runs) values_.insert(values_.end(), curve.begin(), curve.end());
    // A run weighs 1 / (its task's runs) / tasks.
    for (const std::uint32_t task : resampler_.tasks())
      weights_.push_back(1 / static_cast<double>(shape_.runs(task)) /
                         static_cast<double>(shape_.tasks()));
    mean_.resize(points_);
  }

  std::span<const double> draw(detail::IndexSource& source) {
    const std::span<const std::uint32_t> sources = resampler_.draw(source);
    std::fill(mean_.begin(), mean_.end(), 0.0);
    for (std::size_t c = 0; c < sources.size(); ++c) {
      const double* const curve = values_.data() + sources[c] * points_;
      for (std::size_t k = 0; k < points_; ++k) mean_[k] += weights_[c] * curve[k];
    }
    return mean_;
  }

  std::size_t fewest_runs() const { return shape_.fewest_runs(); }

 private:
  ScoreMatrix shape_;
  detail::Resampler resampler_;
  std::size_t points_;
  std::vector<double> values_;  // curve after curve, in the order of shape_.values()
  std::vector<double> weights_, mean_;
};

}  // namespace

SpeedUpIntervals bootstrap_speed_up(const Curves& baseline, const Curves& x,
                                    const BootstrapOptions& options) {
  detail::check_options(options);
  if (baseline.tasks != x.tasks || baseline.steps != x.steps)
    throw InvalidArgument(
        "speed_up: the two methods differ in tasks or checkpoints; compare like with like");
  if (options.task_bootstrap)
    throw InvalidArgument("speed_up: task_bootstrap is set; it is defined for one method alone");
  CurveResampler b(baseline, options), curve(x, options);
  detail::IndexSource source(options.generator, options.seed);

  std::vector<std::vector<double>> values(3, std::vector<double>(options.repetitions));
  for (std::size_t repetition = 0; repetition < options.repetitions; ++repetition) {
    const std::span<const double> drawn_baseline = b.draw(source);
    const SpeedUp drawn = speed_up(x.steps, drawn_baseline, curve.draw(source));
    values[0][repetition] = drawn.at_final;
    values[1][repetition] =
        std::isnan(drawn.fraction_of_training) ? kNever : drawn.fraction_of_training;
    values[2][repetition] = drawn.up_to;
    if (options.progress && repetition % 1024 == 0)
      options.progress(static_cast<double>(repetition) / static_cast<double>(options.repetitions));
  }
  const SpeedUp whole = speed_up(x.steps, mean_curve(baseline), mean_curve(x));
  const std::vector<double> estimates{whole.at_final, whole.fraction_of_training, whole.up_to};
  const std::vector<Interval> all = detail::percentile_intervals(
      estimates, values, std::min(b.fewest_runs(), curve.fewest_runs()), options);

  // A level never reached is a speed-up below all others, but a time beyond all others.
  SpeedUpIntervals result{all[0], all[1], all[2]};
  for (double* bound : {&result.fraction_of_training.low, &result.fraction_of_training.high})
    if (!std::isfinite(*bound)) *bound = std::numeric_limits<double>::quiet_NaN();
  result.fraction_of_training.undefined = result.at_final.undefined;
  return result;
}

}  // namespace mneme::stats
