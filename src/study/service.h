// study/service.h - a study from its file to finished runs in the ledger.
//
//   for (const StudyFile& study : load_studies(request)) {
//     check_available(study);
//     const StudyResult result = run_study(request, study, observer);
//   }
//
// The command line parses a request, draws what the observer hears, and prints the result.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "study/estimate.h"
#include "study/observer.h"
#include "study/scheduler.h"
#include "study/spec.h"

namespace mneme::lab {

struct StudyRequest {
  std::string study;  ///< a name, or the path of a file
  StudyOverrides overrides;
  std::filesystem::path out = "runs";  ///< of the runs and their ledger
  std::string engine = "local";
  std::filesystem::path program;  ///< the mneme that makes the runs; empty: this one
  Index jobs = 1;
  double max_hours = 0;           ///< 0: no limit
  double checkpoint_minutes = 0;  ///< 0: what the study says
  bool force = false, retry = false, keep = false, tensorboard = false;
  std::vector<std::string> command;  ///< as it was typed, for hints how to continue
};

/// A study before it starts.
struct StudyPlan {
  StudyFile study = {};
  std::vector<StudyRun> runs = {};
  Totals totals = {};
};

/// Runs of one method and combination, summed up.
struct MethodSummary {
  std::string method;
  std::size_t runs = 0, done = 0;
  double mean_score = 0;  ///< of the last evaluations; NaN: none
};

struct StudyResult {
  std::filesystem::path ledger = {};
  Outcome outcome = {};
  std::vector<MethodSummary> methods = {};
};

/// The study, then those whose runs it has. Throws what read_study throws; NotFound, IoError.
std::vector<StudyFile> load_studies(const StudyRequest& request);

/// Throws NotFound for a study that needs what mneme does not have.
void check_available(const StudyFile& study);

/// Its runs and what they take. Writes nothing.
StudyPlan plan_study(const StudyRequest& request, const StudyFile& study);

/// Makes its runs. Throws Interrupted (kStopped) if it was stopped, with the command that continues;
/// IoError if runs failed or another process works on the study, NotFound if no run can be made on
/// this machine.
StudyResult run_study(const StudyRequest& request, const StudyFile& study, StudyObserver& observer);

}  // namespace mneme::lab
