// cli/study/report.cpp - `mneme report`: a study's runs as one page, as files, as a few lines.
#include <iostream>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "mneme/error.h"
#include "os/interrupt.h"
#include "report/live.h"
#include "report/output.h"
#include "report/page.h"
#include "report/plots.h"
#include "report/verdict.h"

namespace mneme::lab {
namespace {

struct Options {
  std::string study, ledger = "runs/ledger.db", page, csv, plots;
  ReportRequest request;
  bool json = false, summary = false, serve = false;
  int port = 0;
};

// The command that makes the same report, as one would type it.
std::string command_of(const Options& o) {
  std::string line = concat("mneme report ", o.study);
  if (o.ledger != "runs/ledger.db") line += concat(" --ledger ", o.ledger);
  if (!o.request.baseline.empty()) line += concat(" --baseline '", o.request.baseline, "'");
  if (o.request.reps > 0) line += concat(" --reps ", o.request.reps);
  if (o.request.seed > 0) line += concat(" --seed ", o.request.seed);
  if (o.request.confidence != 0.95) line += concat(" --confidence ", o.request.confidence);
  if (o.request.correct_small_sample) line += " --correct-small-sample";
  return line + concat(" -o ", o.page.empty() ? "report.html" : o.page);
}

// Changes whenever a run of the study has written something that a report shows.
std::string version_of(const Options& o) {
  const Ledger ledger(o.ledger);
  std::string version;
  for (const RunRow& run : ledger.runs({.study = o.study}))
    version += concat(run.id, ' ', name_of(run.state), ' ', run.attempts, ' ', run.step, ' ',
                      run.score, ' ', run.finished, '\n');
  return version;
}

// Until Ctrl-C. A study that is killed or resumed is only another state of its ledger.
void serve_report(const Options& o, std::ostream& out) {
  const auto build = [&o] {
    const Ledger ledger(o.ledger);
    return report_json(make_study_report(ledger, o.study, o.request), command_of(o), o.ledger);
  };
  LiveReport live(build, [&o] { return version_of(o); }, o.port);
  const InterruptGuard guard;
  std::cerr << "serving the report of " << o.study << " until Ctrl-C\n"
            << live.address() << std::endl;
  live.serve([] { return InterruptGuard::requested(); });
  out << "stopped\n";
}

void run_report(const Options& o, std::ostream& out) {
  if (o.serve) {
    serve_report(o, out);
    return;
  }
  const Ledger ledger(o.ledger);
  const StudyReport report = make_study_report(ledger, o.study, o.request);
  if (o.summary && o.json) {
    out << summary_json(report) << '\n';
    return;
  }
  if (o.summary) {
    out << setup_of(report).text() << '\n';
    for (const std::string& line : report_summary(report)) out << line << '\n';
    return;
  }
  const std::string json = report_json(report, command_of(o), o.ledger);
  std::ostream& said = o.json ? std::cerr : out;
  if (!o.json) write_report_text(report, out);
  if (!o.page.empty()) write_page(o.page, json);
  if (!o.csv.empty()) write_report_csv(report, o.csv);
  std::vector<std::string> pictures;
  if (!o.plots.empty()) pictures = write_pictures(json, o.plots);
  if (o.json) out << json << '\n';
  if (!o.page.empty() || !o.csv.empty() || !o.plots.empty()) said << '\n';
  if (!o.page.empty()) said << "wrote " << o.page << '\n';
  if (!o.csv.empty()) said << "wrote tables to " << o.csv << '\n';
  if (!o.plots.empty())
    said << "wrote " << pictures.size() << " plots to " << o.plots << ", as SVG and PNG\n";
}

}  // namespace

void add_report_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "report", "what a study says: scores, gains with intervals, curves; also while it runs");
  command->footer(
      "  mneme report fig3 -o report.html                       one file, opens anywhere\n"
      "  mneme report fig3 -o report.html --csv tables --plots plots\n"
      "  mneme report fig3 --baseline 'tg matched'              lines for the terminal only\n"
      "  mneme report fig3 --serve                              a page that follows the runs");
  command->add_option("study", o->study, "name of the study; see mneme runs ls")->required();
  command->add_option("-o,--output", o->page, "file for a page with plots and tables")
      ->type_name("FILE")
      ->check(not_empty());
  command->add_option("--csv", o->csv, "folder for every table and plot as CSV")
      ->type_name("DIR")
      ->check(not_empty());
  command->add_option("--plots", o->plots, "folder for every plot as SVG and PNG; needs Chromium")
      ->type_name("DIR")
      ->check(not_empty());
  command->add_option("--ledger", o->ledger, "file of the ledger")
      ->type_name("FILE")
      ->capture_default_str()
      ->check(not_empty());
  command->add_option("--baseline", o->request.baseline,
                      "method that others are compared with (uniform, or the first)");
  command
      ->add_option("--reps", o->request.reps,
                   "bootstrap repetitions (50000, fewer for thousands of runs)")
      ->check(whole_number(1, 10'000'000));
  command->add_option("--seed", o->request.seed, "seed of every bootstrap")
      ->capture_default_str()
      ->check(seed_number());
  command->add_option("--confidence", o->request.confidence, "nominal coverage of intervals")
      ->capture_default_str()
      ->check(number_between(0, 1));
  command->add_flag("--correct-small-sample", o->request.correct_small_sample,
                    "widen intervals by sqrt(R / (R - 1))");
  command->add_flag("--summary", o->summary, "print the summary alone")
      ->excludes("--output")
      ->excludes("--csv")
      ->excludes("--plots");
  CLI::Option* serve =
      command->add_flag("--serve", o->serve, "serve the page on this machine; it follows the study")
          ->disable_flag_override()
          ->excludes("--output")
          ->excludes("--csv")
          ->excludes("--plots")
          ->excludes("--summary");
  command->add_option("--port", o->port, "port of --serve (any free one)")
      ->type_name("N")
      ->needs(serve)
      ->check(whole_number(1, 65535));
  add_json(command, o->json, "print JSON: everything the page shows, or the summary");
  command->callback([o, &out] { run_report(*o, out); });
}

}  // namespace mneme::lab
