// report/study_report.h - what a study says: statistics of every group, and everything that its
// page draws. Numbers only; report_json.h, report_csv.h and report_text.h write them down.
#pragma once

#include "report/scores.h"
#include "report/statistics.h"

namespace mneme::lab {

struct ReportRequest {
  std::string baseline;  ///< empty: `uniform`, else the first method
  std::size_t reps = 0;  ///< of the bootstrap; 0: 50,000, fewer where thousands of runs are drawn
  std::size_t profile_reps = 2'000;
  std::uint64_t seed = 0;
  double confidence = 0.95;
  bool correct_small_sample = false;
};

/// Mean score over training with a pointwise interval: whole runs are drawn.
struct BandCurve {
  std::string method;
  std::vector<double> steps;
  std::vector<stats::Interval> scores;
};

/// A method against the baseline on one task.
struct TaskGain {
  std::string method;
  stats::Comparison comparison;
};

struct TaskReport {
  std::string task;
  std::vector<BandCurve> curves;
  std::vector<TaskGain> gains;
};

/// The score at the last checkpoint, and what it gains on the baseline's.
struct FinalReport {
  std::string method;
  stats::Interval mean;
  std::optional<stats::Comparison> comparison;  ///< not for the baseline
};

/// Where a method's draws lie between old and new, wide and narrow.
struct RecencyReport {
  struct Place {
    double step = 0, recency = 0, entropy = 0;
  };
  std::string method, sampler;
  std::size_t runs = 0;        ///< the path is their mean
  std::vector<Place> path;     ///< measured on the batches drawn
  std::optional<Place> exact;  ///< closed form at the end of training, where there is one
};

struct TimingReport {
  std::string method;
  std::size_t runs = 0;
  std::vector<std::pair<std::string, double>> seconds;  ///< by phase, mean over the runs
  double total = 0;                                     ///< of work
};

/// The largest entropy at a recency, for a buffer of the size training ends with.
struct FrontierCurve {
  std::int64_t size = 0;
  std::vector<std::pair<double, double>> points;  ///< recency, entropy
};

struct GroupReport {
  StatsRequest request;              ///< what `mneme stats` would be asked
  std::optional<StatsReport> stats;  ///< none yet without two checkpoints of finished runs
  stats::Resampling resampling = stats::Resampling::stratified;  ///< the interval to trust
  std::vector<std::string> notes;                                ///< besides those of the scores
  std::vector<BandCurve> curves;
  std::vector<TaskReport> tasks;
  std::vector<FinalReport> finals;
  std::vector<PairedReport>
      paired;  ///< as the runs were drawn: whole rows where one run trains all tasks
  std::vector<RecencyReport> recency;
  FrontierCurve frontier;
  std::vector<TimingReport> timing;
};

struct StudyReport {
  StudyScores scores;
  ReportRequest request;
  std::vector<GroupReport> groups;  ///< as scores.groups
};

/// Reads and computes everything. Throws what the ledger throws; NotFound for a baseline that no
/// group has.
StudyReport make_study_report(const Ledger& ledger, const std::string& study,
                              const ReportRequest& request);

/// The interval of a comparison that fits how the runs were made.
template <class T>
const T& trusted(const Both<T>& both, stats::Resampling resampling) {
  return resampling == stats::Resampling::run_cluster && both.run_cluster ? *both.run_cluster
                                                                          : both.stratified;
}

}  // namespace mneme::lab
