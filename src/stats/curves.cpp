// stats/curves.cpp - rows of a table to learning curves, and learning curves to scores.
//
// The checks stand before the averages: a curve that lacks a checkpoint would silently weigh the
// others differently.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/scores.h"
#include "stats/sum.h"

namespace mneme::stats {
namespace {

// The points of one curve by step, and where its first row stands.
struct Points {
  std::map<double, double> by_step;
  std::string origin;
};

// Names in order of first appearance.
class Names {
 public:
  std::size_t add(const std::string& name) {
    const auto [at, fresh] = number_.try_emplace(name, order_.size());
    if (fresh) order_.push_back(name);
    return at->second;
  }
  const std::vector<std::string>& order() const { return order_; }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::size_t> number_;
};

struct Key {
  std::size_t method, task, run;
  auto operator<=>(const Key&) const = default;
};

std::string curve_name(const std::string& method, const std::string& task, const std::string& run) {
  return concat("method '", method, "', task '", task, "', run '", run, "'");
}

// Both curves have the same checkpoints, or a message says which step is missing where.
void check_same_steps(const Points& reference, const std::string& reference_name,
                      const Points& points, const std::string& name) {
  const auto missing_in = [](const Points& sparse, const Points& full) -> const double* {
    for (const auto& [step, value] : full.by_step)
      if (!sparse.by_step.contains(step)) return &step;
    return nullptr;
  };
  const double* lacking = missing_in(points, reference);
  const double* extra = lacking ? nullptr : missing_in(reference, points);
  if (!lacking && !extra) return;
  throw CorruptData(concat(lacking ? points.origin : reference.origin, ": ",
                           lacking ? name : reference_name, " has no row for step ",
                           lacking ? *lacking : *extra, ", ", lacking ? reference_name : name,
                           " has one (", points.by_step.size(), " and ", reference.by_step.size(),
                           " checkpoints); all curves need the same checkpoints: add the row, or "
                           "drop that step everywhere"));
}

void check_shape(const Curves& curves) {
  bool fits =
      !curves.tasks.empty() && !curves.steps.empty() && curves.values.size() == curves.tasks.size();
  for (std::size_t m = 0; fits && m < curves.values.size(); ++m) {
    fits = !curves.values[m].empty();
    for (const auto& curve : curves.values[m]) fits = fits && curve.size() == curves.steps.size();
  }
  if (!fits)
    throw InvalidArgument(
        concat("curves: ", curves.tasks.size(), " tasks and ", curves.steps.size(),
               " checkpoints, but the values have another shape; every task needs",
               " a run and every run a value for each checkpoint"));
}

template <class F>
ScoreMatrix reduce(const Curves& curves, F f) {
  check_shape(curves);
  std::vector<std::vector<double>> scores(curves.tasks.size());
  for (std::size_t m = 0; m < scores.size(); ++m)
    for (const auto& curve : curves.values[m]) scores[m].push_back(f(curve));
  return ScoreMatrix(scores);
}

}  // namespace

std::vector<MethodCurves> arrange(std::span<const ScoreTable> tables, bool unequal_runs) {
  // Collect the points of each (method, task, run).
  Names methods, tasks;
  std::vector<Names> runs;  // of each method
  std::map<Key, Points> all;
  for (const ScoreTable& table : tables) {
    for (const ScoreRow& row : table.rows) {
      const std::size_t method = methods.add(row.method);
      if (method == runs.size()) runs.emplace_back();
      const Key key{method, tasks.add(row.task), runs[method].add(row.run)};
      Points& points = all[key];
      const std::string origin = concat(table.source, ", line ", row.line);
      if (points.origin.empty()) points.origin = origin;
      if (!points.by_step.try_emplace(row.step, row.value).second)
        throw CorruptData(concat(origin, ": ", curve_name(row.method, row.task, row.run), ", step ",
                                 row.step,
                                 " was given before, in another file; keep one of the two"));
    }
  }
  if (all.empty()) throw CorruptData("no score was given; pass a table with rows");

  // Every method must have every task, and (unless allowed) every one of its runs there; all the
  // same checkpoints.
  const Points& reference = all.begin()->second;
  const std::string reference_name =
      curve_name(methods.order()[all.begin()->first.method], tasks.order()[all.begin()->first.task],
                 runs[all.begin()->first.method].order()[all.begin()->first.run]);
  std::vector<MethodCurves> result;
  for (std::size_t i = 0; i < methods.order().size(); ++i) {
    const std::string& method = methods.order()[i];
    MethodCurves arranged{.name = method, .curves = {}};
    Curves& curves = arranged.curves;
    curves.tasks = tasks.order();
    for (const auto& [step, value] : reference.by_step) curves.steps.push_back(step);
    for (std::size_t m = 0; m < curves.tasks.size(); ++m) {
      curves.runs.emplace_back();
      curves.values.emplace_back();
      for (std::size_t r = 0; r < runs[i].order().size(); ++r) {
        const std::string name = curve_name(method, curves.tasks[m], runs[i].order()[r]);
        const auto found = all.find(Key{i, m, r});
        if (found == all.end()) {
          if (unequal_runs) continue;
          throw CorruptData(concat("there is no row of ", name,
                                   ", though that run is there for other tasks;",
                                   " add it, or allow unequal runs (--unequal-runs)"));
        }
        check_same_steps(reference, reference_name, found->second, name);
        curves.runs[m].push_back(runs[i].order()[r]);
        std::vector<double>& curve = curves.values[m].emplace_back();
        for (const auto& [step, value] : found->second.by_step) curve.push_back(value);
      }
      if (curves.values[m].empty())
        throw CorruptData(concat("method '", method, "' has no row of task '", curves.tasks[m],
                                 "', another method has; compare methods on the same tasks"));
    }
    result.push_back(std::move(arranged));
  }
  return result;
}

Curves without_step_zero(const Curves& curves) {
  check_shape(curves);
  if (curves.steps[0] != 0) return curves;
  if (curves.steps.size() == 1)
    throw InvalidArgument(
        "the only checkpoint is step 0, which does not count; add later ones, or include step 0");
  Curves rest = curves;
  rest.steps.erase(rest.steps.begin());
  for (auto& runs : rest.values)
    for (auto& curve : runs) curve.erase(curve.begin());
  return rest;
}

ScoreMatrix auc(const Curves& curves) {
  return reduce(curves, [](const std::vector<double>& curve) { return detail::mean_of(curve); });
}

ScoreMatrix final_scores(const Curves& curves) {
  return reduce(curves, [](const std::vector<double>& curve) { return curve.back(); });
}

std::vector<double> mean_curve(const Curves& curves) {
  check_shape(curves);
  std::vector<double> means(curves.steps.size());
  for (std::size_t k = 0; k < means.size(); ++k)
    means[k] = mean(reduce(curves, [k](const std::vector<double>& curve) { return curve[k]; }));
  return means;
}

}  // namespace mneme::stats
