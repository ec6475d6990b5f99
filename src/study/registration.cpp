// study/registration.cpp - known, new and changed runs.
#include "study/registration.h"

#include <map>
#include <set>

#include "base/text.h"
#include "ledger/ingest.h"
#include "mneme/error.h"
#include "os/command_line.h"
#include "run/run_directory.h"
#include "study/difference.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

// A directory for this configuration: its own from before, or one that is free. `taken`: names.
fs::path directory_for(const fs::path& parent, const PlannedRun& run,
                       const std::set<std::string>& taken) {
  for (int number = 1;; ++number) {
    const fs::path path = parent / (number == 1 ? run.key : concat(run.key, '~', number));
    if (taken.contains(path.filename().string())) continue;
    const std::string there = configuration_in(path);
    if (there.empty() || there == configuration_of(run)) return path;
  }
}

NamedValues settings_of(const PlannedRun& run) {
  NamedValues values;
  if (!run.missing.empty()) return values;
  for (const Field& field : run.config.settings->list())
    values.emplace_back(field.name, field.value);
  return values;
}

void refuse_change(const StudyRow& before, const StudyFile& study) {
  throw InvalidArgument(concat("study ", study.name, " has ", before.runs,
                               " runs in the ledger, and has changed since they were made:\n",
                               difference(before.text, study.text), "\nGive it a new name (--name ",
                               study.name, "-2), or --force: runs that the change does not touch ",
                               "stay, the others are kept aside and made again"));
}

}  // namespace

std::vector<Id> register_runs(Ledger& ledger, const StudyFile& study,
                              const std::vector<PlannedRun>& runs, const fs::path& directory,
                              bool force) {
  Transaction all(ledger.database());
  StudyRow known = ledger.find_study(study.name);
  const bool changed = known.id != 0 && known.text != study.text;
  if (changed && known.runs > 0 && !force) refuse_change(known, study);
  if (known.id == 0) known.id = ledger.add_study(study.name, study.text);
  if (changed) ledger.set_study_text(known.id, study.text);

  std::map<std::string, RunRow> there;
  std::set<std::string> taken;
  for (RunRow& row : ledger.runs({.study = study.name, .superseded = true})) {
    if (row.state == RunState::superseded)
      taken.insert(fs::path(row.directory).filename().string());
    else
      there.emplace(row.key, std::move(row));
  }
  std::vector<Id> ids;
  std::vector<Id> finished;
  for (const PlannedRun& run : runs) {
    const std::string configuration = configuration_of(run);
    if (const auto at = there.find(run.key); at != there.end()) {
      const RunRow row = at->second;
      there.erase(at);
      // A program with other settings writes other files: only a changed study makes a run again.
      const bool available_now = row.state == RunState::unavailable && run.missing.empty();
      const bool gone_now = row.state == RunState::planned && !run.missing.empty();
      const bool same = !changed || ledger.configuration(row.id) == configuration;
      if (same && !available_now && !gone_now) {
        ids.push_back(row.id);
        continue;
      }
      if (row.attempts == 0) {
        ledger.remove_run(row.id);
      } else {
        ledger.supersede(row.id, row.directory);
        taken.insert(fs::path(row.directory).filename().string());
      }
    }
    RunRow row{.key = run.key,
               .state = run.missing.empty() ? RunState::planned : RunState::unavailable,
               .agent = run.arguments.at(1),
               .method = run.method,
               .task = run.task,
               .seed = run.seed,
               .steps = run.missing.empty() ? run.config.settings->run.steps : 0,
               .directory = directory_for(directory, run, taken).string(),
               .error = run.missing,
               .command = command_line(run.arguments)};
    ids.push_back(ledger.add_run(known.id, row, configuration, settings_of(run), run.factors));
    if (run.missing.empty() && inspect_run(row.directory).progress == RunProgress::finished)
      finished.push_back(ids.back());
  }
  for (const auto& [key, row] : there) {
    if (row.attempts == 0)
      ledger.remove_run(row.id);
    else
      ledger.supersede(row.id, row.directory);
  }
  all.commit();
  for (const Id run : finished) {
    try {
      ingest(ledger, run);
      ledger.set_state(run, RunState::done);
    } catch (const CorruptData& error) {  // one bad file does not stop the others
      ledger.set_state(run, RunState::failed, error.what());
    }
  }
  return ids;
}

}  // namespace mneme::lab
