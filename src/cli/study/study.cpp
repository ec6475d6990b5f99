// cli/study/study.cpp - `mneme study`: from a file or a name to finished runs in the ledger.
#include "cli/commands.h"
#include "mneme/error.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "base/text.h"
#include "cli/options.h"
#include "os/machine.h"
#include "study/engines/local/engine.h"
#include "study/library.h"
#include "study/plan_table.h"
#include "study/registration.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

struct StudyOptions {
  std::string study, out = "runs", engine = "local", program;
  StudyOverrides overrides;
  Index jobs = 1;
  double max_hours = 0, checkpoint_minutes = 0;
  bool dry_run = false, force = false, retry = false, keep = false, json = false, quiet = false;
  bool tensorboard = false;
};

void list_studies(std::ostream& out) {
  Table table({"study", "what"});
  for (const NamedStudy& study : named_studies()) {
    const StudyFile file = read_study(std::string(study.text), std::string(study.name), {});
    table.add({std::string(study.name), file.title});
  }
  out << table
      << "\nmneme study NAME --dry-run shows the runs; --scale paper the paper's own sizes.\n";
}

// What has a closed form is computed here and now.
void run_commands(const StudyFile& study, bool dry_run, std::ostream& out) {
  for (const std::string& line : study.commands) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    out << "$ mneme " << line << "\n";
    if (dry_run) continue;
    std::ostringstream answer, complaint;
    if (run_tool(words, answer, complaint) != kDone) throw IoError(complaint.str());
    out << answer.str() << '\n';
  }
}

std::vector<EngineRun> estimated(const Ledger* ledger, std::vector<PlannedRun> plans) {
  Estimator estimate(ledger);
  std::vector<EngineRun> runs;
  for (PlannedRun& plan : plans) {
    EngineRun run;
    run.plan = std::move(plan);
    if (run.plan.missing.empty()) run.estimate = estimate(run.plan);
    runs.push_back(std::move(run));
  }
  return runs;
}

void summary(std::ostream& out, const Ledger& ledger, const StudyFile& study) {
  struct Sum {
    std::size_t done = 0, runs = 0;
    double score = 0;
  };
  std::map<std::string, Sum> methods;
  std::vector<std::string> order;
  for (const RunRow& run : ledger.runs({.study = study.name})) {
    std::string label = run.method;
    for (const auto& [name, value] : ledger.factors(run.id))
      if (name.find('.') == std::string::npos) label += concat("  ", name, '=', value);
    const auto [at, fresh] = methods.try_emplace(label);
    if (fresh) order.push_back(label);
    ++at->second.runs;
    if (run.state != RunState::done) continue;
    ++at->second.done;
    at->second.score += run.score;
  }
  Table table({"method", "runs", "done", "mean last score"});
  for (const std::string& label : order) {
    const Sum& sum = methods[label];
    table.add({label, count(static_cast<double>(sum.runs)), count(static_cast<double>(sum.done)),
               sum.done > 0 ? rounded(sum.score / static_cast<double>(sum.done), 4) : "-"});
  }
  out << study.name << ": " << study.title << "\n\n" << table;
}

void warn_of_limits(const Totals& totals, const fs::path& out) {
  if (totals.memory > free_memory())
    std::cerr << "mneme: note: " << bytes_text(totals.memory) << " of memory are wanted and "
              << bytes_text(free_memory()) << " free; fewer --jobs need less\n";
  if (totals.disk > free_disk(out))
    std::cerr << "mneme: note: " << bytes_text(totals.disk) << " of disk are wanted and "
              << bytes_text(free_disk(out)) << " free; the study stops before the disk is full\n";
}

// The runs that a dry run shows as done, without making a ledger where there is none.
std::vector<RunState> states_of(const std::optional<Ledger>& ledger, const StudyFile& study,
                                const std::vector<PlannedRun>& plans) {
  std::map<std::string, RunState> known;
  if (ledger)
    for (const RunRow& row : ledger->runs({.study = study.name})) known[row.key] = row.state;
  std::vector<RunState> states;
  for (const PlannedRun& plan : plans) {
    const auto at = known.find(plan.key);
    states.push_back(at == known.end() ? RunState::planned : at->second);
  }
  return states;
}

void dry_run(const StudyOptions& o, const StudyFile& study, std::ostream& out) {
  std::vector<PlannedRun> plans = plan_runs(study);
  std::optional<Ledger> ledger;
  std::error_code error;
  const fs::path file = fs::path(o.out) / "ledger.db";
  if (fs::exists(file, error)) ledger.emplace(file);
  const std::vector<RunState> states = states_of(ledger, study, plans);
  const auto runs = estimated(ledger ? &*ledger : nullptr, std::move(plans));
  const Totals totals = totals_of(runs, states, o.jobs, study.keep || o.keep);
  if (o.json) {
    Json json;
    matrix_json(json, study, runs, totals);
    out << std::move(json).text() << '\n';
  } else {
    print_matrix(out, study, runs, totals, o.jobs, o.out);
  }
}

void report_outcome(const StudyOptions& o, const Ledger& ledger, const StudyFile& study,
                    const Outcome& outcome, std::ostream& out) {
  const std::string again =
      concat("mneme study ", o.study, o.overrides.scale.empty() ? "" : " --scale ",
             o.overrides.scale, o.out == "runs" ? "" : concat(" --out ", o.out));
  if (!outcome.why.empty())
    throw IoError(concat("study ", study.name, " stopped: ", outcome.why, ". ", outcome.done,
                         " runs are done, ", outcome.left, " left; everything so far is kept. Go ",
                         "on with: ", again));
  const auto failed = ledger.runs({.study = study.name, .state = "failed"});
  if (!failed.empty())
    throw IoError(concat("study ", study.name, ": ", outcome.done, " runs are done, ",
                         failed.size(), " failed, the first one: ", failed.front().key, ": ",
                         failed.front().error, ". mneme runs ls --study ", study.name,
                         " --state failed lists them; ", again, " --retry tries them again"));
  if (!o.json) return summary(out, ledger, study);
  Json json;
  json.begin_object()
      .field("study", study.name)
      .field("ledger", (fs::path(o.out) / "ledger.db").string());
  json.field("done", outcome.done).field("failed", outcome.failed);
  out << std::move(json.end_object()).text() << '\n';
}

void run_one(const StudyOptions& o, const StudyFile& study, std::ostream& out) {
  if (!study.needs.empty()) throw NotFound(concat("study ", study.name, " needs ", study.needs));
  run_commands(study, o.dry_run, out);
  if (study.parts.empty()) return;
  if (o.dry_run) return dry_run(o, study, out);

  std::vector<PlannedRun> plans = plan_runs(study);
  std::error_code error;
  fs::create_directories(o.out, error);
  if (error) throw IoError(concat(o.out, ": ", error.message()));
  const fs::path directory = fs::path(o.out) / study.name;
  const StudyLock lock(directory);
  Ledger ledger(fs::path(o.out) / "ledger.db", Ledger::Mode::create);
  const std::vector<Id> ids = enrol(ledger, study, plans, directory, o.force);
  if (o.retry)
    for (const RunRow& run : ledger.runs({.study = study.name, .state = "failed"}))
      ledger.set_state(run.id, RunState::stopped);
  std::vector<EngineRun> runs = estimated(&ledger, std::move(plans));
  std::vector<RunState> states;
  for (std::size_t at = 0; at < runs.size(); ++at) {
    runs[at].id = ids[at];
    states.push_back(ledger.run(ids[at]).state);
  }
  const bool keep = study.keep || o.keep;
  const Totals totals = totals_of(runs, states, o.jobs, keep);
  if (!o.quiet) print_matrix(std::cerr, study, runs, totals, o.jobs, o.out);
  if (totals.can_go == 0 && totals.runs > 0)
    throw NotFound(concat("no run of study ", study.name,
                          " can go here: ", runs.front().plan.missing, ". --scale laptop may"));
  warn_of_limits(totals, o.out);
  Board board(o.quiet);
  const Outcome outcome =
      run_all(ledger, study.name, runs,
              {.program = o.program.empty() ? own_program() : fs::path(o.program),
               .jobs = o.jobs,
               .max_hours = o.max_hours,
               .checkpoint_minutes =
                   o.checkpoint_minutes > 0 ? o.checkpoint_minutes : study.checkpoint_minutes,
               .keep = keep,
               .tensorboard = o.tensorboard},
              board);
  report_outcome(o, ledger, study, outcome, out);
}

void run_study(const StudyOptions& o, std::ostream& out) {
  if (o.study.empty()) return list_studies(out);
  const StudyText text = study_text(o.study);
  const StudyFile study = read_study(text.text, text.name, o.overrides);
  if (!study.runs_of.empty() && !o.overrides.name.empty())
    throw InvalidArgument(concat("study ", study.name, " has the runs of ", join(study.runs_of),
                                 "; --name is for those"));
  run_one(o, study, out);
  for (const std::string& other : study.runs_of) {
    const StudyText its = study_text(other);
    run_one(o, read_study(its.text, its.name, o.overrides), out);
  }
}

}  // namespace

void add_study_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<StudyOptions>();
  CLI::App* command = app.add_subcommand(
      "study", "many runs from one file; stop with Ctrl-C, go on with the same command");
  command->footer(
      "  mneme study                                    the studies this program knows\n"
      "  mneme study fig3 --dry-run                     its runs, and how long they take\n"
      "  mneme study fig3 --jobs 2 --seeds 3            at laptop scale, fewer seeds\n"
      "  mneme study fig3 --scale paper --dry-run\n"
      "  mneme study my.toml --set critic_width=64 --max-hours 8\n"
      "What a file may say: docs/studies.md. Results: mneme runs ls");
  command->add_option("study", o->study, "a name, or the path of a file");
  command->add_option("--scale", o->overrides.scale, "laptop (default) or paper")
      ->check(CLI::IsMember({"laptop", "paper"}));
  command->add_flag("--dry-run", o->dry_run, "show what would be run, and stop");
  command->add_option("--jobs", o->jobs, "runs at a time, one core each")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  command->add_option("--engine", o->engine, "local: processes on this machine")
      ->capture_default_str()
      ->check(CLI::IsMember({"local"}));
  command->add_option("--out", o->out, "where the runs and their ledger go")->capture_default_str();
  command->add_option("--max-hours", o->max_hours, "stop cleanly after so long")
      ->check(CLI::PositiveNumber);
  command->add_option("--checkpoint-minutes", o->checkpoint_minutes, "between checkpoints (5)")
      ->check(CLI::PositiveNumber);
  command->add_option("--name", o->overrides.name, "call the study this, and its runs another's");
  command->add_flag("--force", o->force, "go on though the study was changed since");
  command->add_flag("--retry", o->retry, "also runs that failed");
  command->add_flag("--keep", o->keep, "keep replay buffers and checkpoints of finished runs");
  command->add_flag("--tensorboard", o->tensorboard, "event files in every run's directory");
  // Laid over the file.
  command->add_option("--agent", o->overrides.agent, "instead of the study's");
  command->add_option("--preset", o->overrides.preset, "instead of the study's");
  command->add_option("--tasks", o->overrides.tasks, "instead of the study's");
  command->add_option("--samplers", o->overrides.samplers,
                      "instead of the study's samplers and arms");
  command->add_option("--seeds", o->overrides.seeds, "how many")->check(CLI::PositiveNumber);
  command->add_option("--steps", o->overrides.steps, "of every run: 50000, 100k");
  command->add_option("--set", o->overrides.settings, "a setting of every run, name=value")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--device", o->overrides.device, "cpu or cuda");
  command->add_option("--threads", o->overrides.threads, "of each run")->check(CLI::PositiveNumber);
  command->add_flag("--quiet", o->quiet, "say nothing until the end");
  command->add_option("--program", o->program, "the mneme that workers run (this one)");
  command->add_flag("--json", o->json, "for machines");
  command->callback([o, &out] { run_study(*o, out); });
}

}  // namespace mneme::lab
