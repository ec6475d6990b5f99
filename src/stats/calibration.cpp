// stats/calibration.cpp - how often a bootstrap interval really holds the truth.
//
// The bootstrap takes the variance with 1 / R instead of 1 / (R - 1), so its half-width is z s
// sqrt((R - 1) / R) with s the usual standard deviation: for normal data, coverage is that of a t
// variable with as many degrees of freedom as s has. Resampling whole runs leaves R - 1 of them,
// whatever the number of tasks.
#include <cmath>
#include <limits>
#include <numbers>

#include "base/text.h"
#include "mneme/bootstrap.h"
#include "mneme/error.h"
#include "stats/resampler.h"

namespace mneme::stats {
namespace {

// P(|z| < limit), and the limit for a given probability.
double normal_within(double limit) { return std::erf(limit / std::numbers::sqrt2); }
double normal_limit(double probability) {
  double low = 0, high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (normal_within(middle) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

// P(|t| < limit) with `degrees` degrees of freedom: the finite series of Abramowitz and
// Stegun 26.7.3 and 26.7.4.
double student_within(double limit, std::size_t degrees) {
  if (degrees > 100'000) return normal_within(limit);
  const double angle = std::atan(limit / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle), square = cosine * cosine;
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1, sum = degrees > 1 ? term : 0;
  for (std::size_t k = odd ? 2 : 1; k + 2 < degrees; k += 2) {
    term *= square * static_cast<double>(k) / static_cast<double>(k + 1);
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

}  // namespace

double true_coverage(std::size_t runs, std::size_t tasks, const BootstrapOptions& options) {
  detail::check_options(options);
  if (runs == 0 || tasks == 0)
    throw InvalidArgument(
        concat("true_coverage: ", runs, " runs and ", tasks, " tasks; pass at least one of each"));
  if (runs == 1) return std::numeric_limits<double>::quiet_NaN();
  const auto r = static_cast<double>(runs);
  const double narrow = options.correct_small_sample ? 1 : std::sqrt((r - 1) / r);
  const std::size_t blocks = options.resampling == Resampling::run_cluster ? 1 : tasks;
  return student_within(normal_limit(options.confidence) * narrow, blocks * (runs - 1));
}

double simultaneous_widening(std::size_t runs, std::size_t tasks, std::size_t comparisons,
                             const BootstrapOptions& options) {
  detail::check_options(options);
  if (runs == 0 || tasks == 0 || comparisons == 0)
    throw InvalidArgument(concat("simultaneous_widening: runs, tasks and comparisons must be at ",
                                 "least 1, got ", runs, ", ", tasks, " and ", comparisons));
  if (runs == 1) return std::numeric_limits<double>::quiet_NaN();
  const auto r = static_cast<double>(runs);
  const double narrow = options.correct_small_sample ? 1 : std::sqrt((r - 1) / r);
  const std::size_t blocks = options.resampling == Resampling::run_cluster ? 1 : tasks;
  const double wanted = 1 - (1 - options.confidence) / static_cast<double>(comparisons);
  double low = 0, high = 1;
  while (student_within(high, blocks * (runs - 1)) < wanted && high < 1e6) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (student_within(middle, blocks * (runs - 1)) < wanted ? low : high) = middle;
  }
  return high / (normal_limit(options.confidence) * narrow);
}

}  // namespace mneme::stats
