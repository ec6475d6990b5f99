// report/statistics.h - what `mneme stats` is asked, and what it finds; stats_output.cpp writes it
// down.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/json.h"
#include "mneme/bootstrap.h"

namespace mneme::lab {

/// The options of the command, with their defaults.
struct StatsRequest {
  std::vector<std::string> scores;  // FILE or NAME=FILE
  std::string baseline;             // empty: `uniform` if there is one, else the first method
  std::string normalise = "auto";
  double crawl_threshold = stats::kPaperCrawlThreshold;
  bool include_step_0 = false, unequal_runs = false;
  std::uint64_t seed = 0;
  std::size_t reps = 50'000, profile_reps = 2'000;
  double confidence = 0.95;
  std::string seed_compat;  // empty or rliable
  bool task_bootstrap = false, correct_small_sample = false;
  std::string gain_interval = "both";  // or scaled
  std::vector<double> taus{0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1};
  std::vector<double> levels;
  std::string shapley;  // critic=NAME,actor=NAME,both=NAME
};

/// A quantity under both ways to draw runs. run_cluster is absent if tasks have different numbers
/// of runs.
template <class T>
struct Both {
  T stratified;
  std::optional<T> run_cluster;
};

/// How often a nominal interval really holds the truth.
struct Coverage {
  double nominal = 0;
  Both<double> actual;
  std::size_t runs = 0, tasks = 0;
};

struct MethodReport {
  std::string name;
  stats::Curves curves;  // normalized, the checkpoints that count
  stats::ScoreMatrix auc;
  Coverage coverage;
  Both<stats::Aggregates> aggregates;
  std::vector<stats::Interval> score_profile, average_score_profile;
};

/// A method against the baseline, in pairs of runs of the same name (seed) on the same task.
struct PairedReport {
  std::string method;
  std::size_t seeds = 0;  ///< common to both on every task; 0: nothing to pair
  stats::PairedComparison comparison;
};

/// A method against the baseline.
struct ComparisonReport {
  std::string name;
  Coverage coverage;
  Both<stats::Comparison> comparison;
  stats::SpeedUp speed_up;
  Both<stats::SpeedUpIntervals> speed_up_interval;
  std::vector<double> speed_up_at;  // of each asked level
  PairedReport paired;              // stratified
};

struct ShapleyReport {
  std::string critic, actor, both;
  Coverage coverage;
  Both<stats::ShapleyIntervals> shares;
};

struct StatsReport {
  std::vector<stats::Scale> scales;  // of each task
  std::vector<MethodReport> methods;
  std::string baseline;
  std::vector<ComparisonReport> comparisons;
  std::optional<ShapleyReport> shapley;
  std::vector<std::string> notes;  // what a reader should know before believing a number
};

/// Runs that only one of the two has are left out.
PairedReport pair_runs(const MethodReport& baseline, const MethodReport& method,
                       const stats::BootstrapOptions& options);

/// Reads, checks and computes everything. Reports on `progress` what it is at once two seconds have
/// passed.
StatsReport make_stats_report(const StatsRequest& request, std::ostream& progress);

/// The same for curves that are there already; `request.scores` and `unequal_runs` are not looked
/// at. REQUIRES: all methods have the same tasks and checkpoints, as `stats::arrange` leaves them.
StatsReport make_stats_report(const StatsRequest& request, std::vector<stats::MethodCurves> methods,
                              std::ostream& progress);

void write_stats_table(const StatsRequest& request, const StatsReport& report, std::ostream& out);
void write_stats_json(const StatsRequest& request, const StatsReport& report, std::ostream& out);
/// The same as one value of a larger text.
void stats_json(Json& json, const StatsRequest& request, const StatsReport& report);

}  // namespace mneme::lab
