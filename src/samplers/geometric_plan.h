// samplers/geometric_plan.h - the truncated geometric distribution by age: q(a) proportional to
// e^(-rate * a), a = 0 .. n-1.
//
// Counted in age, never in index: e^(rate * n) would overflow and lose the newest end. With tail =
// e^(-rate * n) the fraction of the untruncated distribution that lies beyond the buffer, the
// inverse solves e^(-rate * a) = 1 - u (1 - tail).
//   rate * n >= 1 (SteepPlan)   the right side is formed as tail + (1 - u)(1 - tail): no
//                               cancellation at the old end
//   rate * n <  1 (GentlePlan)  the right side is near 1: log1p keeps the digits that 1 - x would
//                               drop
//   rate = 0                    uniform
// In both the age is right to about 1e-3 of a step at n = 10^12 and 1e-9 at 10^6, so that every
// index with a probability above the grid of the uniforms, 2^-53, is reached.
#pragma once

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/elementary.h"
#include "mneme/sampler.h"
#include "samplers/window_plan.h"

namespace mneme {

/// What both regimes share: the probability, and the way from a real age to an index.
struct GeometricDistribution {
  double rate;   // log-weight lost per step of age
  double last;   // n - 1
  double first;  // probability of age 0

  /// reach = e^(-rate * size) - 1
  GeometricDistribution(double rate_, Index size, double reach)
      : rate(rate_), last(static_cast<double>(size - 1)), first(detail::expm1_of(-rate_) / reach) {}

  Index index_at(double age) const {
    return detail::whole_to_int(last - std::floor(std::min(age, last)));
  }
  double p(Index i) const {
    return first * detail::exp_of(-rate * (last - static_cast<double>(i)));
  }
};

struct SteepPlan : GeometricDistribution {
  double tail, reach, scale;

  SteepPlan(double rate_, Index size)
      : SteepPlan(rate_, size, detail::exp_of(-rate_ * static_cast<double>(size))) {}

  Index operator()(double u) const {  // in age order: u = 0 is the newest
    return index_at(detail::log_of(tail + (1.0 - u) * reach) * scale);
  }

 private:
  SteepPlan(double rate_, Index size, double tail_)
      : GeometricDistribution(rate_, size, tail_ - 1.0),
        tail(tail_),
        reach(1.0 - tail_),
        scale(-1.0 / rate_) {}
};

struct GentlePlan : GeometricDistribution {
  double reach, scale;

  GentlePlan(double rate_, Index size)
      : GentlePlan(rate_, size, detail::expm1_of(-rate_ * static_cast<double>(size))) {}

  Index operator()(double u) const { return index_at(detail::log1p_of(u * reach) * scale); }

 private:
  GentlePlan(double rate_, Index size, double reach_)
      : GeometricDistribution(rate_, size, reach_), reach(reach_), scale(-1.0 / rate_) {}
};

using GeometricPlan = std::variant<SteepPlan, GentlePlan, WindowPlan>;

inline GeometricPlan geometric_plan(double rate, Index size) {
  // Below this the smallest weight is 1 to the last bit of a double: uniform, exactly.
  if (rate * static_cast<double>(size) < 0x1p-60) return WindowPlan{size, size};
  if (rate * static_cast<double>(size) < 1.0) return GentlePlan(rate, size);
  return SteepPlan(rate, size);
}

/// alpha * ln 2 per `steps`: the log-weight lost per step of age.
inline double geometric_rate(double alpha, Index anchor) {
  return alpha * detail::kLn2 / static_cast<double>(std::max<Index>(1, anchor - 1));
}

/// Mean age of the truncated geometric distribution.
inline double geometric_mean_age(double rate, Index size) {
  const double n = static_cast<double>(size), x = rate * n;
  if (x < 1e-2) {
    const double n2 = n * n, l2 = rate * rate;
    return (n - 1) / 2 -
           rate * ((n2 - 1) / 12 - l2 * ((n2 * n2 - 1) / 720 - l2 * (n2 * n2 * n2 - 1) / 30240));
  }
  const double beyond = x > 700 ? 0.0 : n / detail::expm1_of(x);
  return 1.0 / detail::expm1_of(rate) - beyond;
}

/// Variance of the age; also minus the derivative of the mean age by the rate.
inline double geometric_age_variance(double rate, Index size) {
  const double n = static_cast<double>(size), x = rate * n;
  if (x < 1e-2) {
    const double n2 = n * n, l2 = rate * rate;
    return (n2 - 1) / 12 - 3 * l2 * (n2 * n2 - 1) / 720 + 5 * l2 * l2 * (n2 * n2 * n2 - 1) / 30240;
  }
  const double one = detail::expm1_of(rate), all = x > 350 ? HUGE_VAL : detail::expm1_of(x);
  return (one + 1) / (one * one) - (std::isinf(all) ? 0.0 : n * n * (all + 1) / (all * all));
}

/// Entropy in nats: ln Z + rate * E[age].
inline double geometric_entropy(double rate, Index size) {
  if (rate * static_cast<double>(size) < 0x1p-60) return detail::log_of(static_cast<double>(size));
  const double normaliser =
      detail::expm1_of(-rate * static_cast<double>(size)) / detail::expm1_of(-rate);
  return detail::log_of(normaliser) + rate * geometric_mean_age(rate, size);
}

}  // namespace mneme
