// ledger/curves.h - evaluations and time series of runs.
#pragma once

#include "ledger/ledger.h"

namespace mneme::lab {

struct EvaluationRow {
  std::string task = {};
  std::int64_t step = 0, frame = 0, episodes = 0;
  double seconds = 0, mean_return = 0, deviation = 0, score = 0;
  double success = 0;  ///< NaN where it is not defined
  double length = 0;
};

struct Point {
  std::int64_t step = 0;
  double value = 0;
};

/// The tables with one value per name and step. A diagnostic's name has its reader in front:
/// critic:expected_recency. Timings are seconds since the run began, by phase.
enum class Series { metric, diagnostic, timing };

/// All evaluations of a run: by task, then by step.
std::vector<EvaluationRow> evaluations(const Ledger& ledger, Id run);

/// The step of a run's last evaluation; -1 before the first.
std::int64_t last_evaluation_step(const Ledger& ledger, Id run);

/// The names a run has, and the points of one of them by step; empty for an unknown name.
std::vector<std::string> series_names(const Ledger& ledger, Id run, Series series);
std::vector<Point> points(const Ledger& ledger, Id run, Series series, const std::string& name);

}  // namespace mneme::lab
