// stats/sum.h - sums in NumPy's order, so that means agree with RLiable to the last bit.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace mneme::stats::detail {

/// NumPy's pairwise sum: plain below 8 terms, eight running sums up to 128, halves beyond.
inline double pairwise_sum(std::span<const double> x) {
  const std::size_t n = x.size();
  if (n < 8) {
    double sum = 0;
    for (const double value : x) sum += value;
    return sum;
  }
  if (n <= 128) {
    std::array<double, 8> part;
    for (std::size_t k = 0; k < 8; ++k) part[k] = x[k];
    std::size_t i = 8;
    for (; i + 8 <= n; i += 8)
      for (std::size_t k = 0; k < 8; ++k) part[k] += x[i + k];
    double sum =
        ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; i < n; ++i) sum += x[i];
    return sum;
  }
  const std::size_t half = n / 2 - (n / 2) % 8;
  return pairwise_sum(x.first(half)) + pairwise_sum(x.subspan(half));
}

inline double mean_of(std::span<const double> x) {
  return pairwise_sum(x) / static_cast<double>(x.size());
}

}  // namespace mneme::stats::detail
