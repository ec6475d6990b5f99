// diagnostics/density.cpp - the curve of expected replays over the buffer, ready to be drawn.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"

namespace mneme {

std::vector<IndexReplays> replay_density(const Sampler& sampler, const BufferView& view,
                                         double replay_volume, int points) {
  if (points < 2)
    throw InvalidArgument(concat("a curve of ", points, " points; ask for at least 2"));
  if (!(replay_volume > 0) || !std::isfinite(replay_volume))
    throw InvalidArgument(
        concat("the replay volume is ", replay_volume, "; it must be a finite number above 0"));
  const AgeDistribution distribution = sampler.age_distribution(view);
  const auto last = static_cast<double>(view.size - 1);
  std::vector<Index> indices;
  indices.reserve(static_cast<std::size_t>(points));
  for (int k = 0; k < points; ++k)
    indices.push_back(static_cast<Index>(std::llround(last * k / (points - 1))));
  // A distribution of few runs has jumps worth drawing; one of many is a smooth curve in small
  // steps.
  if (distribution.segments.size() <= 8) {
    Index age = 0;
    for (const Segment& segment : distribution.segments) {
      if (age > 0) {
        indices.push_back(view.size - 1 - age);
        indices.push_back(view.size - age);
      }
      age += segment.length;
    }
  }
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());

  // Both run from one end to the other once: runs by age, indices from the newest.
  std::vector<IndexReplays> curve(indices.size());
  std::size_t run = 0;
  Index run_end = distribution.segments[0].length;
  for (std::size_t k = indices.size(); k-- > 0;) {
    const Index age = view.size - 1 - indices[k];
    while (age >= run_end) run_end += distribution.segments[++run].length;
    const double recency = view.size == 1 ? 1.0 : static_cast<double>(indices[k]) / last;
    curve[k] = {recency, indices[k], replay_volume * distribution.segments[run].probability};
  }
  return curve;
}

}  // namespace mneme
