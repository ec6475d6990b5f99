// tests/stats/fixtures.h - two small score matrices whose every statistic is known (5 runs, 4
// tasks), and a larger one.
//
// The expected numbers in these tests were computed with rliable 1.2.0 (NumPy 2.4, SciPy 1.17) on
// the same matrices.
#pragma once

#include <array>

#include "mneme/stats.h"
#include "stats/resampler.h"

namespace mneme::stats {

inline ScoreMatrix fixture_x() {
  return ScoreMatrix(5, 4, std::array{.62, .81,  .12, .95, .58, .77, .31, .90, .71, .85,
                                      .05, 1.02, .49, .90, .22, .88, .66, .79, .18, .97});
}

inline ScoreMatrix fixture_y() {
  return ScoreMatrix(5, 4, std::array{.50, .70, .10, .91, .61, .68, .15, .85, .47, .74,
                                      .04, .93, .55, .80, .20, .79, .52, .66, .09, .96});
}

/// numpy.random.RandomState(7).randint(0, 1200, size=(runs, tasks)) / 1000.
inline ScoreMatrix fixture_z(std::size_t runs = 10, std::size_t tasks = 20) {
  detail::IndexSource source(Generator::rliable, 7);
  std::vector<std::uint32_t> bounds(200, 1200), draws(200);
  source.draw(bounds, draws);
  std::vector<double> values;
  for (std::size_t r = 0; r < runs; ++r)
    for (std::size_t m = 0; m < tasks; ++m)
      values.push_back(static_cast<double>(draws[r * 20 + m]) / 1000.0);
  return ScoreMatrix(runs, tasks, values);
}

}  // namespace mneme::stats
