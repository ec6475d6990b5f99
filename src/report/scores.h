// report/scores.h - what a study's runs scored, out of the ledger and into the shape that
// statistics take.
//
// A *group* is one combination of what a study sweeps (utd, batch, part); its methods are compared
// with each other and with nothing else. Only finished runs count: a curve that ends early has
// another mean. What does not count is listed with its reason.
#pragma once

#include "ledger/ledger.h"
#include "mneme/scores.h"

namespace mneme::lab {

struct ListedRun {
  RunRow row;
  std::string group;     ///< label
  std::string left_out;  ///< why it does not count; empty if it does
};

/// A sampler or arm of a group, whether it has finished runs or not.
struct MethodOfGroup {
  std::string name;
  std::string sampler, actor_sampler;  ///< specs; empty if the ledger does not know
  std::int64_t capacity = 0;           ///< transitions per stream; 0 if not known
  std::int64_t steps = 0;
  std::size_t runs = 0, counted = 0, failed = 0;
  double seconds = 0;    ///< of work, mean over finished runs; NaN without one
  std::vector<Id> done;  ///< the runs that count
};

struct Group {
  std::string label, slug;  ///< of the whole study if nothing is swept
  NamedValues factors;
  std::string agent;
  double utd = 0, batch = 0, volume = 0;  ///< draws per stored transition; NaN if not known
  bool together = false;                  ///< one run trains several tasks
  std::vector<MethodOfGroup> methods;
  /// Of the methods with finished runs: all with the same tasks and checkpoints. Empty if there is
  /// nothing to compare yet.
  std::vector<stats::MethodCurves> curves;
  std::vector<std::string> notes;  ///< what was left out, and why
};

struct StudyScores {
  StudyRow study;
  std::string title;
  std::vector<ListedRun> runs;
  std::vector<Group> groups;
  std::vector<std::string> builds, machines;
};

/// `name` as the ledger has it, or without its scale where that leaves no doubt. Throws NotFound
/// with the names there are, InvalidArgument if several fit.
std::string study_named(const Ledger& ledger, const std::string& name);

/// Throws NotFound for a study without runs.
StudyScores collect_scores(const Ledger& ledger, const std::string& study);

}  // namespace mneme::lab
