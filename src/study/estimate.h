// study/estimate.h - how long runs will take and what they need, before they start.
//
// Native environments are measured, for a few milliseconds each; for suites in Python a rate of the
// suite is used, because making one takes seconds. Updates are counted: about (12 critic +
// 8 actor parameters) x batch floating-point operations, at a rate and an overhead per update that
// are in estimate.cpp. Where the ledger has finished runs of the same agent, task and sizes,
// their time per step is used instead.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ledger/ledger.h"
#include "study/plan.h"

namespace mneme::lab {

struct Estimate {
  double seconds = 0;
  double memory = 0, disk = 0;  ///< bytes while it runs
  bool from_runs = false;       ///< of the ledger, not from the model
};

class Estimator {
 public:
  /// `ledger` may be null.
  explicit Estimator(const Ledger* ledger) : ledger_(ledger) {}
  /// Of a run that this machine can make.
  Estimate operator()(const PlannedRun& run);

 private:
  double environment_seconds(const std::string& task);
  std::optional<double> seconds_per_step(const PlannedRun& run);

  const Ledger* ledger_;
  std::map<std::string, double> environments_;
  std::map<std::string, std::optional<double>> past_;
};

/// A planned run with its estimate, and its number once it is in the ledger.
struct StudyRun {
  Id id = 0;
  PlannedRun plan = {};
  Estimate estimate = {};
  RunState state = RunState::planned;
};

/// `ledger` may be null.
std::vector<StudyRun> estimate_runs(const Ledger* ledger, std::vector<PlannedRun> plans);

/// What all of them take with so many jobs.
struct Totals {
  std::size_t runs = 0, available = 0, to_do = 0;
  double seconds = 0, memory = 0, disk = 0;  ///< memory and disk while `jobs` runs are training
};
Totals totals_of(const std::vector<StudyRun>& runs, Index jobs, bool keep);

}  // namespace mneme::lab
