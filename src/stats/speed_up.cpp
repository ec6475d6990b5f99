// stats/speed_up.cpp - how much sooner a learning curve reaches a level than the baseline does.
//
// With t_c(L) the first time the running maximum of curve c reaches L, the speed-up at L is t_b(L)
// / t_x(L). Both times are piecewise linear in L, so their ratio is monotone between the levels of
// the checkpoints and its supremum lies at one of these, on the level or just above it (where a
// plateau makes a time jump).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/stats.h"

namespace mneme::stats {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

void check_curve(std::span<const double> steps, std::span<const double> curve) {
  if (steps.empty() || steps.size() != curve.size())
    throw InvalidArgument(concat("speed_up: ", curve.size(), " scores for ", steps.size(),
                                 " steps; pass one score for each step, at least one"));
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (!std::isfinite(steps[k]) || !std::isfinite(curve[k]) || (k > 0 && steps[k] <= steps[k - 1]))
      throw InvalidArgument(concat("speed_up: checkpoint ", k, " has step ", steps[k],
                                   " and score ", curve[k],
                                   "; steps must ascend and all numbers be finite"));
  }
}

// The running maximum of a curve and the two times that belong to a level.
class Climb {
 public:
  Climb(std::span<const double> steps, std::span<const double> curve) : steps_(steps) {
    for (const double score : curve)
      best_.push_back(best_.empty() ? score : std::max(best_.back(), score));
  }
  double first() const { return best_.front(); }
  double last() const { return best_.back(); }
  std::span<const double> levels() const { return best_; }

  /// The first time at `level`; NaN if never.
  double reaches(double level) const {
    return at(std::lower_bound(best_.begin(), best_.end(), level), level);
  }
  /// The limit of reaches() from above: the last time not above `level`.
  double passes(double level) const {
    return at(std::upper_bound(best_.begin(), best_.end(), level), level);
  }

 private:
  double at(std::vector<double>::const_iterator next, double level) const {
    if (next == best_.end()) return kUndefined;
    const auto k = static_cast<std::size_t>(next - best_.begin());
    if (k == 0) return steps_[0];
    const double share = (level - best_[k - 1]) / (best_[k] - best_[k - 1]);
    return steps_[k - 1] + share * (steps_[k] - steps_[k - 1]);
  }

  std::span<const double> steps_;
  std::vector<double> best_;
};

// A ratio of times; undefined where one is, and where the curve is there at step 0.
double ratio(double baseline, double curve) { return curve > 0 ? baseline / curve : kUndefined; }

}  // namespace

double time_to_reach(std::span<const double> steps, std::span<const double> curve, double level) {
  check_curve(steps, curve);
  if (std::isnan(level)) throw InvalidArgument("time_to_reach: the level is nan; pass a number");
  return Climb(steps, curve).reaches(level);
}

SpeedUp speed_up(std::span<const double> steps, std::span<const double> baseline,
                 std::span<const double> curve) {
  check_curve(steps, baseline);
  check_curve(steps, curve);
  const Climb b(steps, baseline), x(steps, curve);

  // A baseline that never rises above its first checkpoint was there at an unknown time before.
  SpeedUp result;
  result.level = b.last();
  result.at_final = result.fraction_of_training = result.up_to = result.up_to_level = kUndefined;
  if (b.first() == b.last()) return result;

  // At the best the baseline ever has.
  const double there = x.reaches(result.level);
  result.at_final = ratio(b.reaches(result.level), there);
  result.fraction_of_training = steps.back() > 0 ? there / steps.back() : kUndefined;

  // Up to: over all levels above the baseline's first checkpoint.
  const auto consider = [&](double candidate, double level) {
    if (std::isnan(candidate) || candidate <= result.up_to) return;
    result.up_to = candidate;
    result.up_to_level = level;
  };
  for (const Climb* climb : {&b, &x}) {
    for (const double level : climb->levels()) {
      if (level > b.first() && level <= b.last())
        consider(ratio(b.reaches(level), x.reaches(level)), level);
      if (level >= b.first() && level < b.last())
        consider(ratio(b.passes(level), x.passes(level)), level);
    }
  }
  return result;
}

}  // namespace mneme::stats
