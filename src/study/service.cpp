// study/service.cpp - load, register, estimate, schedule, summarize.
#include "study/service.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/text.h"
#include "mneme/error.h"
#include "os/command_line.h"
#include "os/interrupt.h"
#include "os/lock.h"
#include "os/machine.h"
#include "run/requirements.h"
#include "study/library.h"
#include "study/registration.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

// Runs of a killed study end within seconds; the next one waits for them.
constexpr auto kLockPatience = std::chrono::seconds(10);

fs::path ledger_of(const StudyRequest& request) { return request.out / "ledger.db"; }

bool keeps(const StudyRequest& request, const StudyFile& study) {
  return study.keep || request.keep;
}

std::vector<MethodSummary> summarize(const Ledger& ledger, const StudyFile& study) {
  std::vector<MethodSummary> methods;
  for (const RunRow& run : ledger.runs({.study = study.name})) {
    std::string label = run.method;
    for (const auto& [name, value] : ledger.factors(run.id))
      if (name.find('.') == std::string::npos) label += concat("  ", name, '=', value);
    auto at = std::find_if(methods.begin(), methods.end(),
                           [&](const MethodSummary& one) { return one.method == label; });
    if (at == methods.end()) at = methods.insert(methods.end(), {.method = label});
    ++at->runs;
    if (run.state != RunState::done) continue;
    ++at->done;
    at->mean_score += run.score;
  }
  for (MethodSummary& one : methods)
    one.mean_score = one.done > 0 ? one.mean_score / static_cast<double>(one.done) : std::nan("");
  return methods;
}

void warn_of_limits(const Totals& totals, const fs::path& out, StudyObserver& observer) {
  if (totals.memory > free_memory())
    observer.on_warning(concat(bytes_text(totals.memory), " of memory are needed and ",
                               bytes_text(free_memory()), " are free; fewer --jobs need less"));
  if (totals.disk > free_disk(out))
    observer.on_warning(concat(bytes_text(totals.disk), " of disk are needed and ",
                               bytes_text(free_disk(out)),
                               " are free; the study stops before the disk is full"));
}

// Throws what the user has to know of an outcome.
void check_outcome(const StudyRequest& request, const StudyFile& study, const Ledger& ledger,
                   const Outcome& outcome) {
  const std::string again = command_line(request.command);
  if (!outcome.reason.empty())
    throw Interrupted(concat("study ", study.name, " stopped: ", outcome.reason, ". ", outcome.done,
                             " runs are done, ", outcome.left, " left; everything so far is kept. ",
                             "Continue with: ", again),
                      kStopped);
  const auto failed = ledger.runs({.study = study.name, .state = "failed"});
  if (failed.empty()) return;
  throw IoError(concat("study ", study.name, ": ", outcome.done, " runs are done, ", failed.size(),
                       " failed, the first one: ", failed.front().key, ": ", failed.front().error,
                       ". mneme runs ls --study ", shell_word(study.name),
                       " --state failed lists them; ", again, request.retry ? "" : " --retry",
                       " tries them again"));
}

}  // namespace

std::vector<StudyFile> load_studies(const StudyRequest& request) {
  const StudyText text = study_text(request.study);
  std::vector<StudyFile> studies{read_study(text.text, text.name, request.overrides)};
  const std::vector<std::string> others = studies.front().runs_of;
  if (!others.empty() && !request.overrides.name.empty())
    throw InvalidArgument(concat("study ", studies.front().name, " has the runs of ", join(others),
                                 "; give --name to those"));
  for (const std::string& other : others) {
    const StudyText its = study_text(other);
    studies.push_back(read_study(its.text, its.name, request.overrides));
  }
  return studies;
}

void check_available(const StudyFile& study) {
  if (!study.needs.empty()) throw NotFound(concat("study ", study.name, " needs ", study.needs));
}

StudyPlan plan_study(const StudyRequest& request, const StudyFile& study) {
  StudyPlan plan{.study = study};
  std::vector<PlannedRun> planned = plan_runs(study);
  std::optional<Ledger> ledger;
  std::error_code error;
  if (fs::exists(ledger_of(request), error)) ledger.emplace(ledger_of(request));
  std::map<std::string, RunState> known;
  if (ledger)
    for (const RunRow& row : ledger->runs({.study = study.name})) known[row.key] = row.state;
  plan.runs = estimate_runs(ledger ? &*ledger : nullptr, std::move(planned));
  for (StudyRun& run : plan.runs)
    if (const auto at = known.find(run.plan.key); at != known.end()) run.state = at->second;
  plan.totals = totals_of(plan.runs, request.jobs, keeps(request, study));
  return plan;
}

StudyResult run_study(const StudyRequest& request, const StudyFile& study,
                      StudyObserver& observer) {
  const InterruptGuard guard;
  std::vector<PlannedRun> planned = plan_runs(study);
  const fs::path directory = request.out / study.name;
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw IoError(concat(directory.string(), ": ", error.message()));
  const InheritedLock lock(
      directory / "lock", kLockPatience,
      concat(directory.string(), ": another mneme study is at work here; wait for it, or choose ",
             "another directory with --out"));
  Ledger ledger(ledger_of(request), Ledger::Mode::create);
  const std::vector<Id> ids = register_runs(ledger, study, planned, directory, request.force);
  if (request.retry)
    for (const RunRow& run : ledger.runs({.study = study.name, .state = "failed"}))
      ledger.set_state(run.id, RunState::stopped);

  StudyPlan plan{.study = study, .runs = estimate_runs(&ledger, std::move(planned))};
  for (std::size_t at = 0; at < plan.runs.size(); ++at) {
    plan.runs[at].id = ids[at];
    plan.runs[at].state = ledger.run(ids[at]).state;
  }
  plan.totals = totals_of(plan.runs, request.jobs, keeps(request, study));
  observer.on_plan(plan);
  if (plan.totals.available == 0 && plan.totals.runs > 0)
    throw NotFound(concat("no run of study ", study.name, " can run on this machine: ",
                          plan.runs.front().plan.missing, ". --scale laptop may"));
  warn_of_limits(plan.totals, request.out, observer);

  const auto engine = make_engine(
      request.engine, {.program = request.program.empty() ? own_program() : request.program,
                       .jobs = static_cast<std::size_t>(request.jobs)});
  StudyResult result{.ledger = ledger_of(request)};
  result.outcome =
      schedule(ledger, plan.runs, *engine,
               {.study = study.name,
                .jobs = request.jobs,
                .max_hours = request.max_hours,
                .checkpoint_minutes = request.checkpoint_minutes > 0 ? request.checkpoint_minutes
                                                                     : study.checkpoint_minutes,
                .keep = keeps(request, study),
                .tensorboard = request.tensorboard,
                .interrupts = InterruptGuard::count},
               observer);
  check_outcome(request, study, ledger, result.outcome);
  result.methods = summarize(ledger, study);
  return result;
}

}  // namespace mneme::lab
