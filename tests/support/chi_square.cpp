// tests/support/chi_square.cpp - Pearson's statistic and its tail probability.
#include "support/chi_square.h"

#include <algorithm>
#include <cmath>

namespace mneme::test {
namespace {

// Upper regularized incomplete gamma function Q(a, x): series below a + 1, continued fraction
// above.
double gamma_q(double a, double x) {
  if (x <= 0) return 1;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < 10000 && term > 1e-17 * sum; ++k) sum += term *= x / (a + k);
    return 1 - front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 10000; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return front * h;
}

}  // namespace

double chi_square_p(std::span<const double> counts, std::span<const double> p) {
  double total = 0;
  for (const double count : counts) total += count;
  double statistic = 0, observed = 0, expected = 0;
  int bins = 0;
  const auto add_bin = [&](double count, double mean) {
    statistic += (count - mean) * (count - mean) / mean;
    ++bins;
  };
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0 && counts[i] > 0) return 0;
    const double mean = total * p[i];
    if (mean >= 10) {
      add_bin(counts[i], mean);
      continue;
    }
    observed += counts[i];
    expected += mean;
    if (expected >= 10) {
      add_bin(observed, expected);
      observed = expected = 0;
    }
  }
  // What is left over is too rare for the normal approximation: judge it by the Poisson
  // distribution. Two tests, so twice the smaller of their answers.
  const double common = bins < 2 ? 1 : gamma_q((bins - 1) / 2.0, statistic / 2);
  const double rare = observed > 0 ? 1 - gamma_q(observed, expected) : 1;
  return std::min(1.0, 2 * std::min(common, rare));
}

std::vector<double> histogram(Sampler& sampler, const BufferView& view, Rng rng, std::size_t draws,
                              std::size_t batch) {
  std::vector<double> counts(static_cast<std::size_t>(view.size));
  std::vector<Index> indices(batch);
  for (std::size_t done = 0; done < draws; done += batch) {
    sampler.sample(view, rng, indices);
    for (const Index i : indices) counts.at(static_cast<std::size_t>(i)) += 1;
  }
  return counts;
}

std::vector<double> pmf_of(const Sampler& sampler, const BufferView& view, Scope scope) {
  std::vector<double> p(static_cast<std::size_t>(view.size));
  sampler.probabilities(view, 0, p, scope);
  return p;
}

std::vector<double> one_too_old(std::vector<double> counts) {
  std::rotate(counts.begin(), counts.begin() + 1, counts.end());
  return counts;
}

}  // namespace mneme::test
