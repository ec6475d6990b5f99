// samplers/decay_table.cpp - building the segments and summing over them.
#include "samplers/decay_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace mneme {
namespace {

constexpr double kNegligible = 60;     // ages with a weight below e^-60 are left out
constexpr double kFall = 0.03;         // how far the exponent may move within a stretch
constexpr double kShortest = 8;        // stretches shorter than this are kept as single ages
constexpr std::size_t kGuides = 8192;  // so many that a share rarely spans two segments

// (1 - cos(k pi / 5)) / 2: the Chebyshev points of degree 5 on [0, 1].
constexpr std::array<double, 6> kChebyshev{0,
                                           0.09549150281252627437,
                                           0.34549150281252627437,
                                           0.65450849718747372563,
                                           0.90450849718747372563,
                                           1};
// Gauss-Legendre, 8 points on [-1, 1].
constexpr std::array<double, 4> kNodes{0.1834346424956498049395, 0.5255324099163289858177,
                                       0.7966664774136267395916, 0.9602898564975362316836};
constexpr std::array<double, 4> kWeights{0.3626837833783619829652, 0.3137066458778872873380,
                                         0.2223810344533744705444, 0.1012285362903762591525};

}  // namespace

double DecayTable::exponent(double age) const {
  return age <= 0 ? 0.0 : detail::exp_of(shape_ * detail::log_of(age / scale_));
}

double DecayTable::weight(double age) const { return detail::exp_of(-exponent(age)); }

namespace {

// A function and its first three derivatives at one point.
struct Jet {
  double value, first, second, third;
  double correction() const { return -first / 24 + 7.0 / 5760 * third; }
};

Jet weight_jet(double at, double exponent, double shape) {
  const double d1 = shape * exponent / at, d2 = d1 * (shape - 1) / at,
               d3 = d2 * (shape - 2) / at;  // of the exponent
  const double w = detail::exp_of(-exponent);
  return {w, -d1 * w, (d1 * d1 - d2) * w, (-d1 * d1 * d1 + 3 * d1 * d2 - d3) * w};
}

// Sum of f over the whole numbers from .. to-1: the integral between half-integers, by
// Gauss-Legendre, and corrections.
template <class F>
double smooth_sum(double from, double to, const F& f) {
  const double middle = (from + to - 1) / 2, half = (to - from) / 2;
  double integral = 0;
  for (std::size_t k = 0; k < kNodes.size(); ++k)
    integral +=
        kWeights[k] * (f(middle - half * kNodes[k]).value + f(middle + half * kNodes[k]).value);
  return half * integral + f(to - 0.5).correction() - f(from - 0.5).correction();
}

}  // namespace

// Weights of ages from .. to-1 within one stretch; `to` may be fractional.
double DecayTable::stretch_sum(double from, double to) const {
  return smooth_sum(from, to, [&](double x) { return weight_jet(x, exponent(x), shape_); });
}

// The same of age * weight.
double DecayTable::stretch_moment(double from, double to) const {
  return smooth_sum(from, to, [&](double x) {
    const Jet w = weight_jet(x, exponent(x), shape_);
    return Jet{x * w.value, w.value + x * w.first, 2 * w.first + x * w.second,
               3 * w.second + x * w.third};
  });
}

DecayTable::DecayTable(double scale, double shape, Index ages) : scale_(scale), shape_(shape) {
  const double end = static_cast<double>(ages);
  double total = 0;
  for (double first = 0; first < end && exponent(first) < kNegligible;) {
    // As long as the weight falls by no more than kFall and the power law is smooth across it.
    const double slope = first > 0 ? shape_ * exponent(first) / first : HUGE_VAL;
    double length = std::floor(std::min({first / 8, kFall / slope, end - first}));
    // The slope may grow along the stretch (shape above 1).
    while (length >= kShortest && exponent(first + length) - exponent(first) > kFall)
      length = std::floor(length / 2);
    if (length < kShortest) length = 1;

    Segment segment{static_cast<Index>(first), static_cast<Index>(length) - 1, 0, {}};
    const double mass = length == 1 ? weight(first) : stretch_sum(first, first + length);
    segment.inverse_mass = 1 / mass;
    if (length > 1) fit_inverse(segment, mass);
    before_.push_back(total);
    segments_.push_back(segment);
    total += mass;
    first += length;
  }
  before_.push_back(
      std::numeric_limits<double>::infinity());  // the last segment takes whatever rounding leaves

  guide_scale_ = static_cast<double>(kGuides) / total;
  MNEME_ASSERT(segments_.size() < 65536);
  std::uint16_t segment = 0;
  for (std::size_t k = 0; k <= kGuides; ++k) {
    // A product may round up into the next share: look from a hair's breadth below, never from
    // above.
    while (before_[segment + 1] <= static_cast<double>(k) / guide_scale_ * (1 - 1e-12)) ++segment;
    guide_.push_back(segment);
  }
}

void DecayTable::fit_inverse(Segment& segment, double mass) const {
  constexpr std::size_t kPoints = kDegree + 1;
  const std::array<double, kPoints>& v = kChebyshev;
  const auto first = static_cast<double>(segment.first),
             length = static_cast<double>(segment.last + 1);
  std::array<double, kPoints> t{};
  for (std::size_t k = 0; k < kPoints; ++k) {
    // Newton from the straight line; the sum is nearly straight, three steps reach the last digit.
    t[k] = length * v[k];
    if (k == 0 || k + 1 == kPoints) continue;
    for (int step = 0; step < 3; ++step) {
      t[k] -= (stretch_sum(first, first + t[k]) - v[k] * mass) / weight(first + t[k] - 0.5);
    }
  }
  // Newton's divided differences, then multiplied out into powers of v.
  for (std::size_t order = 1; order < kPoints; ++order)
    for (std::size_t k = kPoints - 1; k >= order; --k)
      t[k] = (t[k] - t[k - 1]) / (v[k] - v[k - order]);
  auto& powers = segment.inverse;
  for (std::size_t k = kPoints; k-- > 0;) {
    for (std::size_t j = kPoints - 1; j > 0; --j) powers[j] = powers[j - 1] - v[k] * powers[j];
    powers[0] = t[k] - v[k] * powers[0];
  }
}

double DecayTable::sum(Index count) const {
  // The last segment that starts before `count`.
  const auto after = std::partition_point(segments_.begin(), segments_.end(),
                                          [&](const Segment& s) { return s.first < count; });
  if (after == segments_.begin()) return 0;
  const auto k = static_cast<std::size_t>(after - segments_.begin()) - 1;
  const Segment& s = segments_[k];
  if (count > s.first + s.last) return before_[k] + 1 / s.inverse_mass;
  return before_[k] + stretch_sum(static_cast<double>(s.first), static_cast<double>(count));
}

double DecayTable::moment(Index count) const {
  double sum = 0;
  for (const Segment& s : segments_) {
    if (s.first >= count) break;
    const auto first = static_cast<double>(s.first);
    sum += s.last == 0
               ? first * weight(first)
               : stretch_moment(first, static_cast<double>(std::min(count, s.first + s.last + 1)));
  }
  return sum;
}

}  // namespace mneme
