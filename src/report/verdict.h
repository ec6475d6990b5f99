// report/verdict.h - what a study shows, and what it cannot show.
//
// A comparison counts as shown if its interval excludes zero after two corrections: few runs make
// bootstrap intervals too narrow, and of many intervals some exclude zero by chance. Agents that
// score no more than untrained ones are not compared.
#pragma once

#include <string>
#include <vector>

#include "report/study_report.h"

namespace mneme::lab {

/// What was run, in the units that a reader asks for first.
struct StudySetup {
  std::vector<std::string> agents;
  std::vector<double> volumes, utds, batches;
  std::vector<std::int64_t> steps, capacities;  ///< capacity: transitions per stream
  std::size_t tasks = 0;
  std::size_t fewest_seeds = 0, most_seeds = 0;  ///< of a method on a task
  std::size_t comparisons = 0;
  /// "simbav2, volume 8 (utd 1/16 x batch 128), 250,000 steps, capacity 250,000; 4 tasks x 5 seeds,
  /// 3 comparisons".
  std::string text() const;
};
StudySetup setup_of(const StudyReport& report);

/// A method against the baseline of its group. Gain in percent, or, where the baseline scores
/// nothing, the difference.
struct VerdictLine {
  std::size_t group = 0;
  std::string method, baseline;
  bool paired = false, is_gain = true;
  stats::Interval nominal, simultaneous;
  double true_coverage = 0;  ///< of the nominal interval
  /// 1: better, -1: worse, 0: no difference shown.
  int shown() const;
};

struct Verdict {
  std::vector<VerdictLine> lines;        ///< of the groups that have learned
  std::vector<std::size_t> not_learned;  ///< groups
  std::size_t excluding = 0;             ///< nominal intervals without zero
  double by_chance = 0;                  ///< how many of them chance alone would give
};
Verdict verdict_of(const StudyReport& report);

/// Whether some method of the group ends at least 0.05 above where it started: its score at step 0,
/// or 0.
bool has_learned(const Group& group);

}  // namespace mneme::lab
