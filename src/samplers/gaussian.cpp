// samplers/gaussian.cpp - a bell over the stored transitions: w(i) = exp(-(i - c)^2 / (2 sigma^2)),
// c = (n - 1)/2.
//
// An ablation of the paper: the middle of the buffer most, both ends least, expected recency 1/2.
// sigma is such that the largest weight is `ratio` times the smallest. The center follows the
// stored part, not the capacity, which would favor the newest while the buffer fills.
//
// The distribution is discrete, so its distribution function is a sum, not an integral. For n >=
// 256 the difference follows from the Euler-Maclaurin formula at half-integers: with z = (t -
// c)/sigma, the weight below t = i + 1/2 is
//   sigma * [Integral + e^(-z^2/2) eps(z)],  eps = z/(24 s^2) - 7 (z^3 - 3z)/(5760 s^4) + 31
//   (...)/(967680 s^6),
// exact to far below a double's last digit of one index. Solving it takes a normal quantile and a
// polynomial: O(1), no table, nothing to rebuild when n changes. Smaller buffers use the sums
// themselves.
#include <vector>

#include "samplers/kind.h"
#include "samplers/normal_quantile.h"
#include "samplers/window_plan.h"

namespace mneme {
namespace {

constexpr Index kSmall = 256;
constexpr double kSqrt2Pi = 2.506628274631000502415765;

double sigma_squared(double log_ratio, Index size) {
  const double farthest = static_cast<double>(size - 1) / 2, nearest = size % 2 == 0 ? 0.5 : 0.0;
  return (farthest * farthest - nearest * nearest) / (2 * log_ratio);
}

struct SmoothPlan {
  double centre, last, sigma, inverse;  // inverse = 1 / sigma^2
  double spread;  // probability, of an untruncated normal, that lands in the buffer
  double first;   // 1 / sum of weights

  /// edge_z and edge_tail: where the weight falls to 1/ratio, and the normal tail beyond.
  SmoothPlan(double log_ratio, double edge_z, double edge_tail, Index size)
      : centre(static_cast<double>(size - 1) / 2),
        last(static_cast<double>(size - 1)),
        sigma(std::sqrt(sigma_squared(log_ratio, size))),
        inverse(1 / (sigma * sigma)) {
    // The buffer ends half a step beyond its last index, a little outside edge_z: Taylor from
    // there.
    const double z = (centre + 0.5) / sigma, d = z - edge_z, e = edge_z;
    const double density = detail::exp_of(-0.5 * e * e) / kSqrt2Pi;
    const double series =
        d * (1 - d * (e / 2 - d * ((e * e - 1) / 6 - d * (e * (e * e - 3) / 24 -
                                                          d * (((e * e - 6) * e * e + 3) / 120)))));
    const double half = 0.5 - (edge_tail - density * series);
    const double edge_density = detail::exp_of(-0.5 * z * z) / kSqrt2Pi;
    spread = 2 * (half + edge_density * offset(z));
    first = 1 / (spread * sigma * kSqrt2Pi);
  }

  /// ln(sum of weights) + E[(i - c)^2] / (2 sigma^2), the second moment by the same formula as the
  /// sum.
  double entropy() const {
    const double z = (centre + 0.5) / sigma, edge = detail::exp_of(-0.5 * z * z), z2 = z * z;
    const double inside =
        spread -
        2 * edge / kSqrt2Pi * offset(z);  // probability mass of the normal between the ends
    const double moment = sigma * sigma * sigma * (kSqrt2Pi * inside - 2 * z * edge) -
                          sigma / 12 * z * (2 - z2) * edge +
                          7.0 / (2880 * sigma) * z * ((9 - z2) * z2 - 12) * edge;
    return -detail::log_of(first) + inverse / 2 * first * moment;
  }

  // eps(z) above
  double offset(double z) const {
    const double z2 = z * z;
    return z * inverse *
           (1.0 / 24 -
            inverse * (7.0 / 5760 * (z2 - 3) - inverse * (31.0 / 967680 * ((z2 - 10) * z2 + 15))));
  }

  Index operator()(double u) const {  // in index order: u = 0 is the oldest
    return index_at(detail::normal_quantile((u - 0.5) * spread));
  }

  /// A whole block at once. Five of six draws fall into the middle of the bell, whose formula is
  /// short; the others are gathered, so that each formula runs in a vector loop of its own.
  void map(Index* words, std::size_t count) const {
    std::array<double, kBlock> q, side_q;
    std::array<std::uint32_t, kBlock + 1> side;
    std::array<Index, kBlock> side_index;
    for (std::size_t k = 0; k < count; ++k) {
      q[k] = (detail::unit_of(static_cast<std::uint64_t>(words[k])) - 0.5) * spread;
      words[k] = index_at(detail::normal_quantile_middle(q[k]));
    }
    std::size_t sides = 0;
    for (std::size_t k = 0; k < count; ++k) {
      side[sides] = static_cast<std::uint32_t>(k);
      sides += std::abs(q[k]) > detail::kMiddle ? 1 : 0;
    }
    for (std::size_t k = 0; k < sides; ++k) side_q[k] = q[side[k]];
    for (std::size_t k = 0; k < sides; ++k)
      side_index[k] = index_at(detail::normal_quantile_side(side_q[k]));
    for (std::size_t k = 0; k < sides; ++k) words[side[k]] = side_index[k];
  }

  // From the quantile of the integral to that of the sum, and to the index.
  Index index_at(double z0) const {
    const double e = offset(z0);
    const double z = z0 - e + e * (inverse / 24 - z0 * e / 2);
    const double position = std::floor(centre + sigma * z + 0.5);
    return detail::whole_to_int(std::min(std::max(position, 0.0), last));
  }
  double p(Index i) const {
    const double d = static_cast<double>(i) - centre;
    return first * detail::exp_of(-0.5 * inverse * (d * d));
  }
};

struct SmallPlan {
  Index size;
  std::array<double, kSmall + 1> before;  // sum of the probabilities of smaller indices

  SmallPlan(double log_ratio, Index size_) : size(size_) {
    const double centre = static_cast<double>(size - 1) / 2,
                 scale = -0.5 / sigma_squared(log_ratio, size);
    before[0] = 0;
    for (Index i = 0; i < size; ++i) {
      const double d = static_cast<double>(i) - centre;
      before[at(i + 1)] = before[at(i)] + detail::exp_of(scale * d * d);
    }
    const double total = before[at(size)];
    for (Index i = 0; i <= size; ++i) before[at(i)] /= total;
  }

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  Index operator()(double u) const {
    const auto begin = before.begin() + 1;
    return std::min(static_cast<Index>(std::upper_bound(begin, begin + size, u) - begin), size - 1);
  }
  double p(Index i) const { return before[at(i + 1)] - before[at(i)]; }
};

struct Gaussian {
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kSummary =
      "a bell over the buffer: the middle most, both ends least";
  static constexpr std::array kParams{ParamSpec{.name = "ratio",
                                                .fallback = 1024,
                                                .lowest = 1,
                                                .highest = 1e9,
                                                .help = "largest over smallest probability"}};
  static constexpr std::array kExamples{std::string_view("gaussian"),
                                        std::string_view("gaussian:ratio=3"),
                                        std::string_view("gaussian:ratio=1")};

  using Plan = std::variant<SmoothPlan, SmallPlan, WindowPlan>;

  explicit Gaussian(const Params& params)
      : log_ratio_(detail::log_of(params.at("ratio"))),
        edge_z_(std::sqrt(2 * log_ratio_)),
        edge_tail_(detail::normal_tail(edge_z_)) {}

  Plan plan(const BufferView& view) const {
    if (log_ratio_ == 0 || view.size <= 2) return WindowPlan{view.size, view.size};
    if (view.size < kSmall) return SmallPlan(log_ratio_, view.size);
    return SmoothPlan(log_ratio_, edge_z_, edge_tail_, view.size);
  }

  double mean_age(const BufferView& view) const { return static_cast<double>(view.size - 1) / 2; }
  std::optional<double> entropy(const BufferView& view) const {
    const Plan current = plan(view);
    const auto* smooth = std::get_if<SmoothPlan>(&current);
    return smooth ? std::optional(smooth->entropy()) : std::nullopt;
  }

 private:
  double log_ratio_, edge_z_, edge_tail_;
};

}  // namespace

extern constinit const SamplerEntry gaussian_entry = make_entry<Gaussian>();
}  // namespace mneme
