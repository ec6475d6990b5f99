// report/verdict.cpp - intervals corrected for few runs and many comparisons.
#include "report/verdict.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "term/number_format.h"

namespace mneme::lab {
namespace {

constexpr double kLearned = 0.05;  // of the scale from 0 to 1

template <class T>
void add_new(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

// "8, 32 and 128".
template <class T, class Text>
std::string listed(const std::vector<T>& values, const Text& text_of) {
  std::vector<std::string> texts;
  for (const T& value : values) texts.push_back(text_of(value));
  if (texts.size() < 2) return join(texts);
  const std::string last = texts.back();
  texts.pop_back();
  return concat(join(texts), " and ", last);
}

// 1/16 rather than 0.0625.
std::string fraction(double value) {
  const double inverse = 1 / value;
  if (value < 1 && std::abs(inverse - std::round(inverse)) < 1e-9) return "1/" + number(inverse);
  return number(value);
}

std::string plural(std::size_t number, const char* what) {
  return concat(number, ' ', what, number == 1 ? "" : "s");
}

bool excludes_zero(const stats::Interval& interval) {
  return interval.low > 0 || interval.high < 0;
}

stats::Interval widened(const stats::Interval& of, double factor) {
  return {of.estimate, of.estimate - factor * (of.estimate - of.low),
          of.estimate + factor * (of.high - of.estimate)};
}

}  // namespace

std::string StudySetup::text() const {
  const auto whole = [](auto value) { return count(static_cast<double>(value)); };
  std::vector<std::string> parts;
  if (!agents.empty()) parts.push_back(join(agents, " and "));
  if (!volumes.empty()) {
    std::string volume = concat("volume ", listed(volumes, [](double v) { return number(v, 4); }));
    if (!utds.empty() && !batches.empty())
      volume += concat(" (utd ", listed(utds, fraction), " x batch ", listed(batches, whole), ")");
    parts.push_back(volume);
  }
  if (!steps.empty()) parts.push_back(concat(listed(steps, whole), " steps"));
  if (!capacities.empty()) parts.push_back(concat("capacity ", listed(capacities, whole)));
  const std::string seeds = fewest_seeds == most_seeds
                                ? plural(most_seeds, "seed")
                                : concat(fewest_seeds, " to ", plural(most_seeds, "seed"));
  return concat(join(parts), parts.empty() ? "" : "; ", plural(tasks, "task"), " x ", seeds, ", ",
                plural(comparisons, "comparison"));
}

StudySetup setup_of(const StudyReport& report) {
  StudySetup setup;
  std::vector<std::string> tasks;
  const auto finished = [](const Group& group) { return !group.curves.empty(); };
  const bool some = std::any_of(report.scores.groups.begin(), report.scores.groups.end(), finished);
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const Group& group = report.scores.groups[g];
    if (some && !finished(group)) continue;
    if (!group.agent.empty()) add_new(setup.agents, group.agent);
    if (group.volume > 0) add_new(setup.volumes, group.volume);
    if (group.utd > 0) add_new(setup.utds, group.utd);
    if (group.batch > 0) add_new(setup.batches, group.batch);
    for (const MethodOfGroup& method : group.methods) {
      if (method.steps > 0) add_new(setup.steps, method.steps);
      if (method.capacity > 0) add_new(setup.capacities, method.capacity);
    }
    for (const stats::MethodCurves& method : group.curves) {
      for (const std::string& task : method.curves.tasks) add_new(tasks, task);
      for (const auto& runs : method.curves.runs) {
        setup.fewest_seeds =
            setup.fewest_seeds == 0 ? runs.size() : std::min(setup.fewest_seeds, runs.size());
        setup.most_seeds = std::max(setup.most_seeds, runs.size());
      }
    }
    if (report.groups[g].stats) setup.comparisons += report.groups[g].stats->comparisons.size();
  }
  if (tasks.empty())
    for (const ListedRun& run : report.scores.runs) add_new(tasks, run.row.task);
  setup.tasks = tasks.size();
  std::sort(setup.volumes.begin(), setup.volumes.end());
  std::sort(setup.utds.begin(), setup.utds.end());
  std::sort(setup.batches.begin(), setup.batches.end());
  return setup;
}

int VerdictLine::shown() const {
  if (!excludes_zero(simultaneous)) return 0;
  return simultaneous.low > 0 ? 1 : -1;
}

bool has_learned(const Group& group) {
  for (const stats::MethodCurves& method : group.curves) {
    if (method.curves.steps.empty()) continue;
    const std::vector<double> mean = stats::mean_curve(method.curves);
    const double start = method.curves.steps.front() == 0 ? mean.front() : 0;
    if (mean.back() >= start + kLearned) return true;
  }
  return false;
}

Verdict verdict_of(const StudyReport& report) {
  Verdict verdict;
  std::size_t comparisons = 0;
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const GroupReport& group = report.groups[g];
    if (!group.stats || group.stats->comparisons.empty()) continue;
    if (has_learned(report.scores.groups[g]))
      comparisons += group.stats->comparisons.size();
    else
      verdict.not_learned.push_back(g);
  }
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const GroupReport& group = report.groups[g];
    if (!group.stats || !has_learned(report.scores.groups[g])) continue;
    for (const ComparisonReport& one : group.stats->comparisons) {
      const stats::Comparison& by = trusted(one.comparison, group.resampling);
      VerdictLine line;
      line.group = g;
      line.method = one.name;
      line.baseline = group.stats->baseline;
      stats::Interval gain = by.gain, difference = by.difference;
      std::size_t runs = one.coverage.runs;
      for (const PairedReport& pair : group.paired) {
        if (pair.method != one.name || pair.seeds < 2) continue;
        line.paired = true;
        gain = pair.comparison.gain;
        difference = pair.comparison.difference;
        runs = pair.seeds;
      }
      line.is_gain = std::isfinite(gain.estimate) && std::isfinite(gain.low);
      line.nominal = line.is_gain ? gain : difference;
      stats::BootstrapOptions options;
      options.confidence = report.request.confidence;
      options.correct_small_sample = report.request.correct_small_sample;
      options.resampling = group.resampling;
      line.true_coverage = stats::true_coverage(runs, one.coverage.tasks, options);
      line.simultaneous =
          widened(line.nominal,
                  stats::simultaneous_widening(runs, one.coverage.tasks, comparisons, options));
      if (excludes_zero(line.nominal)) ++verdict.excluding;
      if (!std::isnan(line.true_coverage)) verdict.by_chance += 1 - line.true_coverage;
      verdict.lines.push_back(std::move(line));
    }
  }
  return verdict;
}

}  // namespace mneme::lab
