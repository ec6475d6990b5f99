// bench/replay/exactness.cpp - how far the draws of `per` are from the distribution they should
// follow, at ten times the usual size: every random number counted, none drawn.
//
// A draw turns one of 2^53 equally likely numbers u into a row, and rows rise with u. So for every
// row the first u that leads beyond it is found by bisection; the numbers between two such edges,
// over 2^53, are what the row is drawn with. Half the sum of the differences to p(i) = value over
// total, in extended precision, is the total variation. A row between two equal edges is
// unreachable.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "priorities/proportional.h"
#include "replay/workload.h"

namespace mneme::bench {
namespace {

constexpr std::int64_t kNumbers = std::int64_t{1} << 53;

struct Edges {
  std::vector<std::int64_t> low, high;  // u * 2^53: leads to the row or below; leads beyond
};

// Which side of its row every middle leads to.
void halve(const Proportional& distribution, Index first, Edges& edges, Rng& rng) {
  const std::size_t count = edges.low.size();
  std::vector<double> uniforms(count);
  std::vector<Index> found(count);
  for (std::size_t k = 0; k < count; ++k)
    uniforms[k] = static_cast<double>((edges.low[k] + edges.high[k]) / 2) * 0x1p-53;
  distribution.draw(uniforms, rng, found);
  for (std::size_t k = 0; k < count; ++k) {
    const std::int64_t middle = (edges.low[k] + edges.high[k]) / 2;
    if (edges.high[k] - edges.low[k] < 2) continue;
    (found[k] <= first + static_cast<Index>(k) ? edges.low[k] : edges.high[k]) = middle;
  }
}

// The bracket around a guess must hold; otherwise it is the whole range.
void bracket(const Proportional& distribution, Index first, Edges& edges, Rng& rng) {
  const std::size_t count = edges.low.size();
  std::vector<double> uniforms(2 * count);
  std::vector<Index> found(2 * count);
  for (std::size_t k = 0; k < count; ++k) {
    uniforms[2 * k] = static_cast<double>(std::max<std::int64_t>(0, edges.low[k])) * 0x1p-53;
    uniforms[2 * k + 1] = static_cast<double>(std::min(kNumbers - 1, edges.high[k])) * 0x1p-53;
  }
  distribution.draw(uniforms, rng, found);
  for (std::size_t k = 0; k < count; ++k) {
    const Index row = first + static_cast<Index>(k);
    // 0 may lead beyond the first rows: -1 stands for "no number leads here or below".
    if (edges.low[k] < 0 || found[2 * k] > row) edges.low[k] = -1;
    if (edges.high[k] >= kNumbers || found[2 * k + 1] <= row) edges.high[k] = kNumbers;
  }
}

}  // namespace

void measure_exactness(const Settings& settings, Report& report) {
  report.section("exactness");
  const Index rows = 10 * settings.capacity;
  Proportional distribution(rows, {.alpha = 0.6});
  distribution.append(0, rows);
  Rng rng(11);
  constexpr Index kChunk = 1 << 14;
  for (Index first = 0; first < rows; first += kChunk) {
    std::vector<Index> slots;
    std::vector<float> errors;
    for (Index slot = first; slot < std::min(rows, first + kChunk); ++slot) {
      slots.push_back(slot);
      errors.push_back(static_cast<float>(-std::log(1 - rng.uniform())));
    }
    distribution.update(slots, errors);
  }

  long double total = 0;
  for (Index slot = 0; slot < rows; ++slot)
    total += static_cast<long double>(distribution.tree().value(slot));
  long double before = 0, difference = 0;
  std::int64_t last_edge = 0;  // numbers below it lead to earlier rows
  std::int64_t counted = 0;
  Index unreachable = 0;
  for (Index first = 0; first < rows; first += kChunk) {
    const auto count = static_cast<std::size_t>(std::min(rows - first, kChunk));
    Edges edges{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count)};
    std::vector<long double> share(count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto value =
          static_cast<long double>(distribution.tree().value(first + static_cast<Index>(k)));
      before += value;
      share[k] = value / total;
      const auto guess = static_cast<std::int64_t>(before / total * 0x1p53L);
      edges.low[k] = guess - 64;
      edges.high[k] = guess + 64;
    }
    bracket(distribution, first, edges, rng);
    while (true) {
      std::int64_t widest = 0;
      for (std::size_t k = 0; k < count; ++k)
        widest = std::max(widest, edges.high[k] - edges.low[k]);
      if (widest < 2) break;
      halve(distribution, first, edges, rng);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t numbers = edges.high[k] - last_edge;
      if (numbers < 0) {
        std::fprintf(stderr, "draws do not rise with the random number\n");
        std::exit(1);
      }
      last_edge = edges.high[k];
      counted += numbers;
      unreachable += numbers == 0 && share[k] > 0 ? 1 : 0;
      difference += std::abs(static_cast<long double>(numbers) * 0x1p-53L - share[k]);
    }
  }
  if (counted != kNumbers) {
    std::fprintf(stderr, "not every random number leads to a row\n");
    std::exit(1);
  }
  const std::string size = concat(rows, " rows, all 2^53 numbers counted");
  report.add({"total variation of `per` draws from the exact distribution", "",
              exactly(static_cast<double>(difference / 2)), 1e-6, size});
  report.add({"rows that no draw reaches", "", exactly(static_cast<double>(unreachable)), 0, size});
}

}  // namespace mneme::bench
