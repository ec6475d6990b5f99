// report/study_report.cpp - statistics of each group, on as many threads as there are cores.
//
// Every bootstrap starts at the seed: a number does not depend on which others were asked for, nor
// on the threads.
#include "report/study_report.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "base/text.h"
#include "mneme/error.h"
#include "report/replay_plane.h"

namespace mneme::lab {
namespace {

using stats::BootstrapOptions;
using stats::Curves;
using stats::Resampling;
using stats::ScoreMatrix;

constexpr std::size_t kDraws = 50'000'000;  // of cells, per bootstrap: some seconds
constexpr std::size_t kPairsPerDraw = 10;   // that are compared in the time of a draw
constexpr std::size_t kProfilePoints = 41;

std::size_t fitting_reps(const ReportRequest& request, std::size_t draws) {
  if (request.reps > 0) return request.reps;
  const std::size_t fit = kDraws / std::max<std::size_t>(1, draws) / 1000 * 1000;
  return std::clamp<std::size_t>(fit, 2'000, 50'000);
}

// Of one repetition: cells are drawn, and the runs of two methods are compared pair by pair.
std::size_t draws_of(const Group& group) {
  std::size_t most = 0;
  for (const stats::MethodCurves& method : group.curves) {
    std::size_t draws = 0;
    for (const auto& runs : method.curves.runs)
      draws += runs.size() + runs.size() * runs.size() / kPairsPerDraw;
    most = std::max(most, draws);
  }
  return most;
}

// Evenly spaced from 0 to a round number that no score exceeds.
std::vector<double> thresholds(const Group& group) {
  double highest = 0;
  for (const stats::MethodCurves& method : group.curves) {
    const ScoreMatrix scores = stats::auc(stats::without_step_zero(method.curves));
    for (const double score : scores.values()) highest = std::max(highest, score);
  }
  double top = 1;
  if (highest > 0) {
    const double unit = std::pow(10, std::floor(std::log10(highest)));
    for (const double digit : {1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0}) {
      top = digit * unit;
      if (top >= highest) break;
    }
  }
  std::vector<double> taus;
  for (std::size_t k = 0; k < kProfilePoints; ++k)
    taus.push_back(top * static_cast<double>(k) / (kProfilePoints - 1));
  return taus;
}

// Four arms that give a sampler to the critic, to the actor, to both, to none.
std::string shapley_arms(const Group& group, const std::string& baseline) {
  const auto at = [&](const std::string& name) {
    return std::find_if(group.methods.begin(), group.methods.end(),
                        [&](const MethodOfGroup& one) { return one.name == name; });
  };
  const auto none = at(baseline);
  if (none == group.methods.end() || none->actor_sampler.empty()) return {};
  std::string critic, actor, both;
  for (const MethodOfGroup& one : group.methods) {
    if (one.counted == 0 || one.actor_sampler.empty()) continue;
    const bool for_critic = one.sampler != none->sampler;
    const bool for_actor = one.actor_sampler != none->actor_sampler;
    if (for_critic && for_actor && one.sampler == one.actor_sampler)
      both = one.name;
    else if (for_critic && !for_actor)
      critic = one.name;
    else if (for_actor && !for_critic)
      actor = one.name;
  }
  const bool plain = (critic + actor + both).find_first_of(",=") == std::string::npos;
  if (critic.empty() || actor.empty() || both.empty() || !plain) return {};
  return concat("critic=", critic, ",actor=", actor, ",both=", both);
}

// The one asked for, `uniform`, or the first that the study names, finished or not.
std::string baseline_of(const Group& group, const std::string& asked) {
  for (const std::string& wanted : {asked, std::string("uniform")})
    for (const MethodOfGroup& method : group.methods)
      if (method.name == wanted) return wanted;
  return group.methods.front().name;
}

bool has_curves(const Group& group, const std::string& name) {
  return std::any_of(group.curves.begin(), group.curves.end(),
                     [&](const stats::MethodCurves& one) { return one.name == name; });
}

// Statistics ----------

BootstrapOptions options_of(const GroupReport& report, std::size_t reps) {
  BootstrapOptions options;
  options.repetitions = reps;
  options.confidence = report.request.confidence;
  options.seed = report.request.seed;
  options.correct_small_sample = report.request.correct_small_sample;
  options.resampling = report.resampling;
  return options;
}

// A matrix of run numbers. Drawing from it draws runs, with all that belongs to them.
ScoreMatrix run_numbers(const Curves& curves) {
  std::vector<std::vector<double>> numbers;
  for (const auto& runs : curves.runs) {
    numbers.emplace_back();
    for (std::size_t r = 0; r < runs.size(); ++r) numbers.back().push_back(static_cast<double>(r));
  }
  return ScoreMatrix(numbers);
}

BandCurve band(const std::string& method, const Curves& curves, const BootstrapOptions& options) {
  const std::vector<ScoreMatrix> numbers{run_numbers(curves)};
  const std::size_t points = curves.steps.size();
  const stats::Statistic mean = [&](std::span<const ScoreMatrix> drawn, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t m = 0; m < curves.tasks.size(); ++m) {
      const auto runs = drawn[0].task(m);
      const double weight =
          1 / static_cast<double>(runs.size()) / static_cast<double>(curves.tasks.size());
      for (const double run : runs) {
        const std::vector<double>& scores = curves.values[m][static_cast<std::size_t>(run)];
        for (std::size_t k = 0; k < points; ++k) out[k] += weight * scores[k];
      }
    }
  };
  return {method, curves.steps, stats::bootstrap(numbers, points, mean, options)};
}

Curves one_task(const Curves& curves, std::size_t task) {
  return {.tasks = {curves.tasks[task]},
          .runs = {curves.runs[task]},
          .steps = curves.steps,
          .values = {curves.values[task]}};
}

ScoreMatrix one_task(const ScoreMatrix& scores, std::size_t task) {
  const auto values = scores.task(task);
  return ScoreMatrix(values.size(), 1, values);
}

std::vector<FinalReport> finals_of(const GroupReport& report, const BootstrapOptions& options,
                                   bool compared) {
  std::vector<FinalReport> finals;
  const auto scores_of = [&](const std::string& name) {
    for (const MethodReport& method : report.stats->methods)
      if (method.name == name) return stats::final_scores(method.curves);
    throw NotFound(name);
  };
  const ScoreMatrix baseline = scores_of(report.stats->baseline);
  for (const MethodReport& method : report.stats->methods) {
    const ScoreMatrix scores = stats::final_scores(method.curves);
    FinalReport one{method.name, stats::bootstrap_aggregates(scores, options).mean, {}};
    if (compared && method.name != report.stats->baseline)
      one.comparison = stats::bootstrap_comparison(scores, baseline, options);
    finals.push_back(std::move(one));
  }
  return finals;
}

void analyse(const Group& group, const ReportRequest& asked, GroupReport& report) {
  const std::string baseline = baseline_of(group, asked.baseline);
  const bool compared = has_curves(group, baseline);
  StatsRequest& request = report.request;
  request.baseline = baseline;
  request.normalise = "none";  // the ledger has normalized scores
  request.seed = asked.seed;
  request.reps = fitting_reps(asked, draws_of(group));
  request.profile_reps = std::min(asked.profile_reps, request.reps);
  request.confidence = asked.confidence;
  request.correct_small_sample = asked.correct_small_sample;
  if (group.curves.empty()) return;
  request.taus = thresholds(group);
  if (compared) {
    request.shapley = shapley_arms(group, baseline);
  } else {
    request.baseline = group.curves.front().name;
    report.notes.push_back(
        concat("nothing to compare with yet: the baseline ", baseline, " has no finished run"));
  }
  std::ostringstream nobody;
  report.stats = make_stats_report(request, group.curves, nobody);
  if (!compared) report.stats->comparisons.clear();

  // One run trains several tasks: its tasks are drawn together, if no task lacks a run.
  const auto rectangular = [](const MethodReport& one) { return one.auc.rectangular(); };
  const std::vector<MethodReport>& methods = report.stats->methods;
  if (group.together && std::all_of(methods.begin(), methods.end(), rectangular))
    report.resampling = Resampling::run_cluster;

  const BootstrapOptions fine = options_of(report, request.reps);
  const BootstrapOptions coarse = options_of(report, request.profile_reps);
  const auto base = std::find_if(methods.begin(), methods.end(), [&](const MethodReport& one) {
    return one.name == report.stats->baseline;
  });
  for (const MethodReport& method : methods)
    report.curves.push_back(band(method.name, method.curves, coarse));
  for (std::size_t m = 0; m < methods.front().curves.tasks.size(); ++m) {
    TaskReport task{methods.front().curves.tasks[m], {}, {}};
    for (const MethodReport& method : methods) {
      task.curves.push_back(band(method.name, one_task(method.curves, m), coarse));
      if (!compared || &method == &*base) continue;
      task.gains.push_back(
          {method.name,
           stats::bootstrap_comparison(one_task(method.auc, m), one_task(base->auc, m), coarse)});
    }
    report.tasks.push_back(std::move(task));
  }
  report.finals = finals_of(report, fine, compared);
  for (const MethodReport& method : methods)
    if (compared && &method != &*base) report.paired.push_back(pair_runs(*base, method, fine));
}

// The groups one after the other, several at a time.
void analyse_all(StudyReport& report) {
  std::mutex lock;
  std::size_t next = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (;;) {
      std::size_t mine = 0;
      {
        const std::scoped_lock guard(lock);
        if (failure || next == report.groups.size()) return;
        mine = next++;
      }
      try {
        analyse(report.scores.groups[mine], report.request, report.groups[mine]);
      } catch (...) {
        const std::scoped_lock guard(lock);
        failure = std::current_exception();
      }
    }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (std::size_t k = 1; k < std::min(cores, report.groups.size()); ++k)
    helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

void check_baseline(const StudyScores& scores, const std::string& name) {
  if (name.empty()) return;
  std::set<std::string> known;
  for (const Group& group : scores.groups)
    for (const MethodOfGroup& method : group.methods) known.insert(method.name);
  if (known.count(name) == 0)
    throw NotFound(
        unknown_name("method", name, std::vector<std::string>(known.begin(), known.end())));
}

}  // namespace

StudyReport make_study_report(const Ledger& ledger, const std::string& study,
                              const ReportRequest& request) {
  StudyReport report{collect_scores(ledger, study), request, {}};
  check_baseline(report.scores, request.baseline);
  report.groups.resize(report.scores.groups.size());
  analyse_all(report);
  for (std::size_t g = 0; g < report.groups.size(); ++g)
    add_replay_places(ledger, report.scores.groups[g], report.groups[g]);
  return report;
}

}  // namespace mneme::lab
