// study/estimate.h - how long a run will take and what it needs, said before it starts.
//
// Native environments are measured, for a few milliseconds each; of suites in Python a rate of the
// suite is taken, because making one takes seconds. Updates are counted: about (12 critic +
// 8 actor parameters) x batch floating-point operations, at a rate and an overhead per update that
// stand in estimate.cpp. Where the ledger has finished runs of the same agent, task and sizes,
// their time per step is used instead.
#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "ledger/ledger.h"
#include "study/plan.h"

namespace mneme::lab {

/// Bytes while a run goes.
struct Needs {
  double memory = 0;  ///< without rows of a buffer on disk: those the system may put back
  double disk = 0;
};

Needs needs_of(const RunConfig& run);
/// Throws InvalidArgument, with the numbers and what would help, if this machine has less of either
/// than the run needs.
void check_needs(const RunConfig& run, const std::filesystem::path& directory);

struct Estimate {
  double seconds = 0;
  double memory = 0, disk = 0;  ///< bytes while it runs
  bool from_runs = false;       ///< of the ledger, not from the model
};

class Estimator {
 public:
  /// `ledger` may be none.
  explicit Estimator(const Ledger* ledger) : ledger_(ledger) {}
  /// Of a run that can go.
  Estimate operator()(const PlannedRun& run);

 private:
  double environment_seconds(const std::string& task);
  std::optional<double> seconds_per_step(const PlannedRun& run);

  const Ledger* ledger_;
  std::map<std::string, double> environments_;
  std::map<std::string, std::optional<double>> past_;
};

/// "1.2 GB".
std::string bytes_text(double bytes);

}  // namespace mneme::lab
