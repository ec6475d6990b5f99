// report/scores.cpp - runs sorted into groups, methods, tasks and checkpoints.
#include "report/scores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "ledger/curves.h"
#include "mneme/error.h"
#include "study/library.h"
#include "study/spec.h"

namespace mneme::lab {
namespace {

// Factors that reach into a sampler's spec are part of the method's name already.
NamedValues group_factors(const NamedValues& factors) {
  NamedValues kept;
  for (const auto& factor : factors)
    if (factor.first.find('.') == std::string::npos) kept.push_back(factor);
  return kept;
}

std::string label_of(const NamedValues& factors) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : factors)
    parts.push_back(name == "part" ? value : concat(name, ' ', value));
  return join(parts);
}

std::string slug_of(const std::string& label) {
  std::string slug;
  for (const char c : label) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    if (kept)
      slug += c;
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  return slug;
}

// Of a line "title = 'x'" in a study's file.
std::string title_in(std::string_view text) {
  std::size_t at = text.rfind("title = ", 0) == 0 ? 0 : text.find("\ntitle = ");
  if (at == std::string::npos) return {};
  at = text.find('=', at) + 2;
  const char quote = text[at];
  const std::size_t end = text.find_first_of(std::string("\n") + quote, at + 1);
  if (quote != '"' && quote != '\'') return {};
  return std::string(text.substr(at + 1, end - at - 1));
}

// The ledger keeps what decides the runs, and a title does not: only studies that are part of the
// program have one here.
std::string title_of(const StudyRow& study) {
  for (const NamedStudy& known : named_studies())
    for (const char* scale : {"", "-laptop", "-paper"})
      if (study.name == concat(known.name, scale)) return title_in(known.text);
  return title_in(study.text);
}

std::string setting(const NamedValues& settings, std::string_view name) {
  for (const auto& [key, value] : settings)
    if (key == name) return value;
  return {};
}

// `before`: what older ledgers call the setting.
double number_in(const NamedValues& settings, std::string_view name, std::string_view before = {}) {
  const auto number = parse_fraction(setting(settings, name));
  if (number || before.empty()) return number.value_or(std::nan(""));
  return number_in(settings, before);
}

// Figures that are drawn from the runs of other studies: which.
std::vector<std::string> runs_of(const std::string& name) {
  for (const NamedStudy& known : named_studies())
    if (known.name == name) return read_study(std::string(known.text), name, {}).runs_of;
  return {};
}

// One finished run: a curve for each of its tasks.
struct Curve {
  std::int64_t seed;
  std::map<std::int64_t, double> scores;
};
using CurvesOfTask = std::map<std::string, std::vector<Curve>>;

// Why a run does not count, from its state; empty for a finished one.
std::string reason(const RunRow& run) {
  if (run.state == RunState::done) return {};
  if (!run.error.empty()) return concat(name_of(run.state), ": ", run.error);
  if (run.step > 0) return concat(name_of(run.state), " at step ", run.step, " of ", run.steps);
  return name_of(run.state);
}

// The tasks in the order in which runs have them, with those that a method lacks left out.
std::vector<std::string> common_tasks(const std::vector<std::string>& order,
                                      const std::vector<const CurvesOfTask*>& methods,
                                      const std::vector<std::string>& names, Group& group) {
  std::vector<std::string> tasks;
  for (const std::string& task : order) {
    std::vector<std::string> lacking;
    for (std::size_t m = 0; m < methods.size(); ++m)
      if (methods[m]->count(task) == 0) lacking.push_back(names[m]);
    if (lacking.empty())
      tasks.push_back(task);
    else
      group.notes.push_back(
          concat(task, " is left out of the comparison: no finished run of ", join(lacking)));
  }
  return tasks;
}

std::vector<std::int64_t> common_steps(const std::vector<std::string>& tasks,
                                       const std::vector<const CurvesOfTask*>& methods,
                                       Group& group) {
  std::map<std::int64_t, std::size_t> seen;
  std::size_t curves = 0;
  for (const CurvesOfTask* method : methods)
    for (const std::string& task : tasks)
      for (const Curve& curve : method->at(task)) {
        ++curves;
        for (const auto& [step, score] : curve.scores) ++seen[step];
      }
  std::vector<std::int64_t> steps;
  for (const auto& [step, count] : seen)
    if (count == curves) steps.push_back(step);
  if (steps.size() < seen.size())
    group.notes.push_back(concat("runs were evaluated at different steps: ", steps.size(), " of ",
                                 seen.size(), " checkpoints are common to all and count"));
  return steps;
}

stats::Curves arranged(const CurvesOfTask& of, const std::vector<std::string>& tasks,
                       const std::vector<std::int64_t>& steps) {
  stats::Curves curves{.tasks = tasks, .runs = {}, .steps = {}, .values = {}};
  curves.steps.assign(steps.begin(), steps.end());
  for (const std::string& task : tasks) {
    curves.runs.emplace_back();
    curves.values.emplace_back();
    for (const Curve& curve : of.at(task)) {
      curves.runs.back().push_back(std::to_string(curve.seed));
      curves.values.back().emplace_back();
      for (const std::int64_t step : steps)
        curves.values.back().back().push_back(curve.scores.at(step));
    }
  }
  return curves;
}

// What is being put together: groups in order of first appearance, and the curves of each.
class Collector {
 public:
  explicit Collector(const Ledger& ledger) : ledger_(ledger) {}

  ListedRun add(RunRow run) {
    const NamedValues factors = group_factors(ledger_.factors(run.id));
    const std::string label = label_of(factors);
    const auto [place, fresh_group] = places_.try_emplace(label, groups_.size());
    if (fresh_group) {
      groups_.emplace_back();
      Group& group = groups_.back().group;
      group.label = label;
      group.factors = groups_.back().all_factors = factors;
      group.agent = run.agent;
      group.utd = group.batch = group.volume = std::nan("");
    }
    Building& building = groups_[place->second];
    Building::Method& method = building.method(run.method);
    MethodOfGroup& info = method.info;
    ++info.runs;
    if (info.sampler.empty()) describe(building, info, run);
    ListedRun listed{.row = std::move(run), .group = label, .left_out = {}};
    listed.left_out = reason(listed.row);
    if (listed.row.state == RunState::failed) ++info.failed;
    if (listed.left_out.empty()) listed.left_out = take(building, method, listed.row);
    return listed;
  }

  /// Labels in `runs` become those of the groups: only what differs between groups is worth
  /// saying.
  std::vector<Group> finish(std::vector<ListedRun>& runs) {
    std::vector<Group> groups;
    for (Building& building : groups_) {
      NamedValues& factors = building.group.factors;
      factors.erase(std::remove_if(factors.begin(), factors.end(),
                                   [&](const auto& factor) { return same_in_all(factor); }),
                    factors.end());
    }
    std::map<std::string, std::string> labels;
    for (Building& building : groups_) {
      std::string& label = labels[building.group.label];
      building.group.label = label = label_of(building.group.factors);
      building.group.slug = slug_of(label);
      groups.push_back(finished(building));
    }
    for (ListedRun& run : runs) run.group = labels.at(run.group);
    return groups;
  }

 private:
  struct Building {
    struct Method {
      MethodOfGroup info;
      CurvesOfTask curves;
    };
    Method& method(const std::string& name) {
      for (Method& one : methods)
        if (one.info.name == name) return one;
      methods.emplace_back();
      methods.back().info.name = name;
      return methods.back();
    }
    Group group;
    NamedValues all_factors;
    std::vector<Method> methods;
    std::vector<std::string> tasks;  // in order of first appearance
    double environments = std::nan("");
  };

  bool same_in_all(const std::pair<std::string, std::string>& factor) const {
    return std::all_of(groups_.begin(), groups_.end(), [&](const Building& building) {
      return std::find(building.all_factors.begin(), building.all_factors.end(), factor) !=
             building.all_factors.end();
    });
  }

  // From the settings of a method's first run that has any; they are the same for all its seeds.
  void describe(Building& building, MethodOfGroup& info, const RunRow& run) {
    Group& group = building.group;
    const NamedValues settings = ledger_.settings(run.id);
    info.sampler = setting(settings, "sampler");
    info.actor_sampler = setting(settings, "actor_sampler");
    info.steps = run.steps;
    const double capacity = number_in(settings, "capacity");
    info.capacity = std::isnan(capacity) ? 0 : static_cast<std::int64_t>(capacity);
    if (!std::isnan(group.utd)) return;
    group.utd = number_in(settings, "utd");
    group.batch = number_in(settings, "batch_size", "batch");
    building.environments = number_in(settings, "num_envs", "environments");
  }

  // A finished run's curves; or why they cannot be used.
  std::string take(Building& building, Building::Method& method, const RunRow& run) {
    CurvesOfTask curves;
    std::vector<std::string> tasks;
    for (const EvaluationRow& row : evaluations(ledger_, run.id)) {
      if (!std::isfinite(row.score))
        return concat("its score at step ", row.step, " is not a number");
      if (curves.count(row.task) == 0) {
        tasks.push_back(row.task);
        curves[row.task].push_back({run.seed, {}});
      }
      curves[row.task].front().scores[row.step] = row.score;
    }
    if (curves.empty()) return "it has no evaluation";
    for (const std::string& task : tasks) {
      if (std::find(building.tasks.begin(), building.tasks.end(), task) == building.tasks.end())
        building.tasks.push_back(task);
      method.curves[task].push_back(std::move(curves[task].front()));
    }
    building.group.together = building.group.together || tasks.size() > 1;
    if (std::isnan(building.group.volume))
      building.group.volume = building.group.utd * building.group.batch /
                              (building.environments * static_cast<double>(tasks.size()));
    method.info.seconds += run.seconds;
    ++method.info.counted;
    method.info.done.push_back(run.id);
    return {};
  }

  static Group finished(Building& building) {
    Group group = std::move(building.group);
    std::vector<const CurvesOfTask*> there;
    std::vector<std::string> names;
    for (Building::Method& method : building.methods) {
      MethodOfGroup& info = method.info;
      info.seconds =
          info.counted > 0 ? info.seconds / static_cast<double>(info.counted) : std::nan("");
      for (auto& [task, curves] : method.curves)
        std::sort(curves.begin(), curves.end(),
                  [](const Curve& a, const Curve& b) { return a.seed < b.seed; });
      if (info.counted > 0) {
        there.push_back(&method.curves);
        names.push_back(info.name);
      } else {
        group.notes.push_back(concat(info.name, " has no finished run yet"));
      }
    }
    const std::vector<std::string> tasks = common_tasks(building.tasks, there, names, group);
    const std::vector<std::int64_t> steps =
        tasks.empty() ? std::vector<std::int64_t>() : common_steps(tasks, there, group);
    // Step 0 says nothing about learning: alone it is nothing to compare.
    if (!steps.empty() && steps.back() > 0)
      for (std::size_t m = 0; m < there.size(); ++m)
        group.curves.push_back({names[m], arranged(*there[m], tasks, steps)});
    for (Building::Method& method : building.methods)
      group.methods.push_back(std::move(method.info));
    return group;
  }

  const Ledger& ledger_;
  std::map<std::string, std::size_t> places_;
  std::vector<Building> groups_;
};

}  // namespace

std::string study_named(const Ledger& ledger, const std::string& name) {
  std::vector<std::string> known, fit;
  for (const StudyRow& study : ledger.studies()) {
    if (study.name == name) return name;
    known.push_back(study.name);
    if (study.name == name + "-laptop" || study.name == name + "-paper") fit.push_back(study.name);
  }
  if (fit.size() == 1) return fit.front();
  if (fit.size() > 1)
    throw InvalidArgument(concat("study '", name, "' may be ", join(fit, " or "), "; name one"));
  const std::vector<std::string> others = runs_of(name);
  if (others.size() == 1) return study_named(ledger, others.front());
  if (others.size() > 1)
    throw InvalidArgument(
        concat("study ", name, " has the runs of ", join(others), "; name one of them"));
  if (known.empty())
    throw NotFound(concat("the ledger ", ledger.database().path().string(),
                          " has no study yet; make one with mneme study"));
  throw NotFound(unknown_name("study", name, known));
}

StudyScores collect_scores(const Ledger& ledger, const std::string& name) {
  StudyScores scores;
  scores.study = ledger.find_study(study_named(ledger, name));
  scores.title = title_of(scores.study);
  Collector collector(ledger);
  std::set<std::string> builds, machines;
  for (RunRow& run : ledger.runs({.study = scores.study.name})) {
    if (!run.build.empty()) builds.insert(run.build);
    if (!run.machine.empty()) machines.insert(run.machine);
    scores.runs.push_back(collector.add(std::move(run)));
  }
  if (scores.runs.empty()) throw NotFound(concat("study ", scores.study.name, " has no runs"));
  scores.groups = collector.finish(scores.runs);
  scores.builds.assign(builds.begin(), builds.end());
  scores.machines.assign(machines.begin(), machines.end());
  return scores;
}

}  // namespace mneme::lab
