// diagnostics/exposure.cpp - how often a transition is replayed in a run that starts with an empty
// buffer.
//
// At step t the buffer holds n = min(t, capacity) transitions and the one inserted at step s has
// age t - s. The exposure is the sum over t of its probability, taken as an integral over each
// smooth piece: while the buffer fills (the distribution changes with n) and once it is full (only
// the age changes). Windows end abruptly, so the rule refines itself where the integrand is not
// smooth.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"

namespace mneme {
namespace {

template <class F>
class AdaptiveIntegral {
 public:
  explicit AdaptiveIntegral(const F& f) : f_(f) {}

  double operator()(double from, double to, double tolerance) {
    pieces_ = 0;
    const double fa = f_(from), fm = f_((from + to) / 2), fb = f_(to);
    return refine(from, to, fa, fm, fb, simpson(from, to, fa, fm, fb), tolerance, 30);
  }

 private:
  static double simpson(double from, double to, double fa, double fm, double fb) {
    return (to - from) / 6 * (fa + 4 * fm + fb);
  }
  double refine(double a, double b, double fa, double fm, double fb, double whole, double tolerance,
                int depth) {
    const double m = (a + b) / 2, fl = f_((a + m) / 2), fr = f_((m + b) / 2);
    const double left = simpson(a, m, fa, fl, fm), right = simpson(m, b, fm, fr, fb);
    // More evaluations would take longer than the answer is worth: stop refining a step function
    // there.
    if (++pieces_ > 500 || depth == 0 || b - a < 2 ||
        std::abs(left + right - whole) <= 15 * tolerance)
      return left + right + (left + right - whole) / 15;
    return refine(a, m, fa, fl, fm, left, tolerance / 2, depth - 1) +
           refine(m, b, fm, fr, fb, right, tolerance / 2, depth - 1);
  }

  const F& f_;
  int pieces_ = 0;
};

}  // namespace

double lifetime_exposure(const Sampler& sampler, Index capacity, Index steps, double inserted) {
  if (!(inserted >= 0 && inserted < 1))
    throw InvalidArgument(
        concat("inserted is ", inserted, "; pass the share of the run at insertion, in [0, 1)"));
  if (steps < 1 || steps > kMaxCapacity)
    throw InvalidArgument(concat("steps is ", steps, "; allowed: 1 to ", kMaxCapacity));
  const double born = std::max(1.0, inserted * static_cast<double>(steps));
  const double full_at = static_cast<double>(capacity),
               end = std::min(static_cast<double>(steps), born + full_at);

  const auto probability = [&](double time) {
    const auto size = static_cast<Index>(std::clamp(std::floor(time), 1.0, full_at));
    const auto age =
        static_cast<Index>(std::clamp(std::floor(time - born), 0.0, static_cast<double>(size - 1)));
    double p = 0;
    sampler.probabilities({.size = size, .capacity = capacity}, size - 1 - age, {&p, 1});
    return p;
  };
  AdaptiveIntegral integral(probability);
  double sum = 0;
  // Pieces that grow with the time since the start: the distribution of a small buffer changes
  // quickly.
  const double filled = std::min(end, full_at);
  for (double from = born; from < filled;) {
    const double to = std::min(filled, from * 1.07 + 1);
    sum += integral(from, to, 2e-8);
    from = to;
  }
  if (end > full_at) {
    // Full: ages first .. last-1 of one fixed distribution.
    const AgeDistribution distribution =
        sampler.age_distribution({.size = capacity, .capacity = capacity});
    const double first = std::max(0.0, full_at - born), last = std::min(end - born, full_at);
    double age = 0;
    for (const Segment& segment : distribution.segments) {
      const double next = age + static_cast<double>(segment.length);
      sum += segment.probability * std::max(0.0, std::min(next, last) - std::max(age, first));
      age = next;
    }
  }
  return sum;
}

}  // namespace mneme
