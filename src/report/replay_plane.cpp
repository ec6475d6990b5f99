// report/replay_plane.cpp - diagnostics and timings of runs, averaged.
#include "report/replay_plane.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ledger/curves.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"
#include "mneme/frontier.h"

namespace mneme::lab {
namespace {

constexpr std::size_t kRuns = 32, kPlaces = 40;
constexpr const char* kTotal = "seconds";  // of a timing: all phases and what is in none

std::vector<Id> looked_at(const MethodOfGroup& method) {
  return {method.done.begin(),
          method.done.begin() + static_cast<std::ptrdiff_t>(std::min(kRuns, method.done.size()))};
}

// The mean over runs at the steps that all of them have.
std::map<std::int64_t, double> mean_series(const Ledger& ledger, const std::vector<Id>& runs,
                                           const std::string& name) {
  std::map<std::int64_t, std::pair<double, std::size_t>> sums;
  for (const Id run : runs)
    for (const Point& point : points(ledger, run, Series::diagnostic, name)) {
      if (!std::isfinite(point.value)) continue;
      auto& [sum, count] = sums[point.step];
      sum += point.value;
      ++count;
    }
  std::map<std::int64_t, double> means;
  for (const auto& [step, entry] : sums)
    if (entry.second == runs.size()) means[step] = entry.first / static_cast<double>(entry.second);
  return means;
}

// Where the sampler's formula puts it once training ends.
std::optional<RecencyReport::Place> exact_place(const MethodOfGroup& method) {
  const std::int64_t size = std::min(method.steps, method.capacity);
  if (size < 2) return {};
  try {
    const auto sampler = make_sampler(method.sampler);
    const BufferView view{.size = size, .capacity = method.capacity, .progress = 1};
    return RecencyReport::Place{.step = static_cast<double>(method.steps),
                                .recency = expected_recency(*sampler, view),
                                .entropy = entropies(*sampler, view).sampling_entropy};
  } catch (const Error&) {
    return {};  // priorities have no formula
  }
}

RecencyReport recency_of(const Ledger& ledger, const MethodOfGroup& method) {
  const std::vector<Id> runs = looked_at(method);
  RecencyReport report{.method = method.name,
                       .sampler = method.sampler,
                       .runs = runs.size(),
                       .path = {},
                       .exact = exact_place(method)};
  if (runs.empty()) return report;
  const auto recency = mean_series(ledger, runs, "critic:expected_recency");
  const auto entropy = mean_series(ledger, runs, "critic:sampling_entropy");
  std::vector<RecencyReport::Place> all;
  for (const auto& [step, value] : recency)
    if (const auto at = entropy.find(step); at != entropy.end())
      all.push_back({static_cast<double>(step), value, at->second});
  // As many as a picture shows, the last one among them.
  const std::size_t stride = std::max<std::size_t>(1, (all.size() + kPlaces - 1) / kPlaces);
  for (std::size_t k = 0; k < all.size(); ++k)
    if ((all.size() - 1 - k) % stride == 0) report.path.push_back(all[k]);
  return report;
}

TimingReport timing_of(const Ledger& ledger, const MethodOfGroup& method) {
  TimingReport report{.method = method.name, .runs = 0, .seconds = {}, .total = method.seconds};
  for (const Id run : looked_at(method)) {
    const std::vector<std::string> names = series_names(ledger, run, Series::timing);
    if (names.empty()) continue;
    ++report.runs;
    for (const std::string& name : names) {
      if (name == kTotal) continue;
      const std::vector<Point> all = points(ledger, run, Series::timing, name);
      const auto at = std::find_if(report.seconds.begin(), report.seconds.end(),
                                   [&](const auto& one) { return one.first == name; });
      if (at == report.seconds.end())
        report.seconds.emplace_back(name, all.back().value);
      else
        at->second += all.back().value;
    }
  }
  for (auto& [name, seconds] : report.seconds) seconds /= static_cast<double>(report.runs);
  return report;
}

FrontierCurve frontier_of(const Group& group) {
  FrontierCurve curve;
  for (const MethodOfGroup& method : group.methods)
    curve.size = std::max(curve.size, std::min(method.steps, method.capacity));
  if (curve.size < 3) return curve;
  curve.points.emplace_back(0.5, std::log(static_cast<double>(curve.size)));
  std::vector<double> recencies;
  for (int k = 1; k < 98; ++k) recencies.push_back(0.5 + 0.005 * k);
  for (const FrontierRow& row : frontier(recencies, curve.size))
    curve.points.emplace_back(row.expected_recency, row.truncated_geometric_entropy);
  return curve;
}

}  // namespace

void add_replay_places(const Ledger& ledger, const Group& group, GroupReport& report) {
  bool measured = false;
  for (const MethodOfGroup& method : group.methods) {
    report.recency.push_back(recency_of(ledger, method));
    measured = measured || !report.recency.back().path.empty() || report.recency.back().exact;
    if (TimingReport timing = timing_of(ledger, method); timing.runs > 0)
      report.timing.push_back(std::move(timing));
  }
  if (measured)
    report.frontier = frontier_of(group);
  else
    report.recency.clear();
}

}  // namespace mneme::lab
