// cli/study/study.cpp - `mneme study`: parses a request, shows its progress, prints its result.
#include "cli/commands.h"
#include "mneme/error.h"

#include <cmath>
#include <sstream>

#include "base/json.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/study/plan_table.h"
#include "cli/study/status_table.h"
#include "study/allowed_commands.h"
#include "study/library.h"
#include "study/service.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct StudyOptions {
  StudyRequest request;
  std::string out = "runs", program;
  bool dry_run = false, json = false, quiet = false;
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

// What has a closed form is computed here, by this program.
void run_commands(const StudyFile& study, bool dry_run, std::ostream& out) {
  for (const std::string& line : study.commands) {
    out << "$ mneme " << line << "\n";
    if (dry_run) continue;
    std::ostringstream answer, complaint;
    if (run_tool(allowed_command(line), answer, complaint) != kDone) throw IoError(complaint.str());
    out << answer.str() << '\n';
  }
}

void print_result(const StudyOptions& o, const StudyFile& study, const StudyResult& result,
                  std::ostream& out) {
  if (o.json) {
    Json json;
    json.begin_object().field("study", study.name).field("ledger", result.ledger.string());
    json.field("done", result.outcome.done).field("failed", result.outcome.failed);
    out << std::move(json.end_object()).text() << '\n';
    return;
  }
  Table table({"method", "runs", "done", "mean last score"});
  for (const MethodSummary& one : result.methods)
    table.add({one.method, count(static_cast<double>(one.runs)),
               count(static_cast<double>(one.done)),
               std::isnan(one.mean_score) ? "-" : rounded(one.mean_score, 4)});
  out << study.name << ": " << study.title << "\n\n" << table;
}

void preview(const StudyOptions& o, const StudyFile& study, std::ostream& out) {
  const StudyPlan plan = plan_study(o.request, study);
  if (!o.json) return print_plan(out, plan, o.request.jobs, o.out);
  Json json;
  plan_json(json, plan);
  out << std::move(json).text() << '\n';
}

void run(const StudyOptions& o, std::ostream& out) {
  if (o.request.study.empty()) return list_studies(out);
  for (const StudyFile& study : load_studies(o.request)) {
    check_available(study);
    run_commands(study, o.dry_run, out);
    if (study.parts.empty()) continue;
    if (o.dry_run) {
      preview(o, study, out);
      continue;
    }
    StatusTable status(o.quiet, o.request.jobs, o.out);
    print_result(o, study, run_study(o.request, study, status), out);
  }
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineInfo& engine : registered_engines()) names.push_back(engine.name);
  return names;
}

std::string engine_help() {
  std::vector<std::string> lines;
  for (const EngineInfo& engine : registered_engines())
    lines.push_back(concat(engine.name, " (", engine.summary, ")"));
  return join(lines);
}

}  // namespace

void add_study_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<StudyOptions>();
  CLI::App* command = app.add_subcommand(
      "study", "many runs from one file; stop with Ctrl-C, continue with the same command");
  command->footer(
      "  mneme study                                    the studies this program knows\n"
      "  mneme study fig3 --dry-run                     its runs, and how long they take\n"
      "  mneme study fig3 --jobs 2 --seeds 3            at laptop scale, fewer seeds\n"
      "  mneme study fig3 --scale paper --dry-run\n"
      "  mneme study my.toml --set critic_width=64 --max-hours 8\n"
      "What a file may say: docs/studies.md. Results: mneme runs ls. Exit code 75: stopped; the "
      "same\n"
      "command continues.");
  command->add_option("study", o->request.study, "name, or path of a file");
  command->add_option("--scale", o->request.overrides.scale, "laptop (default) or paper")
      ->check(CLI::IsMember({"laptop", "paper"}));
  command->add_flag("--dry-run", o->dry_run, "show what would run, and exit");
  command->add_option("--jobs", o->request.jobs, "runs at a time, one core each")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  command->add_option("--engine", o->request.engine, "where runs are executed: " + engine_help())
      ->capture_default_str()
      ->check(CLI::IsMember(engine_names()));
  command->add_option("--out", o->out, "directory of the runs and their ledger")
      ->capture_default_str();
  add_positive(command, "--max-hours", o->request.max_hours, "hours after which the study stops");
  add_positive(command, "--checkpoint-minutes", o->request.checkpoint_minutes,
               "minutes between checkpoints (5)");
  command->add_option("--name", o->request.overrides.name,
                      "store under this name, separate from earlier runs");
  command->add_flag("--force", o->request.force, "continue although the study has changed");
  command->add_flag("--retry", o->request.retry, "try failed runs again");
  command->add_flag("--keep", o->request.keep,
                    "keep replay buffers and checkpoints of finished runs");
  command->add_flag("--tensorboard", o->request.tensorboard,
                    "event files in every run's directory");
  command->add_option("--agent", o->request.overrides.agent, "agent, instead of the study's");
  command->add_option("--preset", o->request.overrides.preset, "preset, instead of the study's");
  command->add_option("--tasks", o->request.overrides.tasks, "tasks, instead of the study's");
  command->add_option("--samplers", o->request.overrides.samplers,
                      "samplers, instead of the study's samplers and arms");
  command->add_option("--seeds", o->request.overrides.seeds, "seeds of every combination")
      ->check(CLI::Range(1, 100'000));
  command->add_option("--steps", o->request.overrides.steps, "steps of every run: 50000, 100k");
  command->add_option("--set", o->request.overrides.settings, "a setting of every run, name=value")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--device", o->request.overrides.device, "cpu or cuda");
  command->add_option("--threads", o->request.overrides.threads, "threads of each run")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--quiet", o->quiet, "print nothing until the end");
  command->add_option("--program", o->program, "path of the mneme that makes the runs (this one)");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &out] {
    o->request.out = o->out;
    o->request.program = o->program;
    o->request.command = given_arguments();
    run(*o, out);
  });
}

}  // namespace mneme::lab
