// cli/study/runs.cpp - `mneme runs`: the runs in a ledger.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "ledger/curves.h"
#include "ledger/ledger.h"
#include "mneme/error.h"
#include "os/file.h"
#include "run/run_files.h"
#include "term/plot.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct RunsOptions {
  std::string ledger = "runs/ledger.db", file, what = "scores";
  RunFilter filter;
  std::vector<std::string> names;
  bool files = false, dry_run = false, json = false;
};

std::string score_text(double score) { return rounded(score, 4); }

Style style_of(RunState state) {
  if (state == RunState::done) return Style::good;
  if (state == RunState::failed) return Style::bad;
  return state == RunState::running ? Style::strong : Style::dim;
}

void run_fields(Json& json, const RunRow& run) {
  json.field("id", run.id).field("study", run.study).field("key", run.key);
  json.field("state", name_of(run.state)).field("agent", run.agent).field("method", run.method);
  json.field("task", run.task).field("seed", run.seed).field("attempts", run.attempts);
  json.field("step", run.step).field("steps", run.steps).field("score", run.score);
  json.field("seconds", run.seconds).field("created", run.created).field("started", run.started);
  json.field("finished", run.finished).field("directory", run.directory);
  json.field("build", run.build).field("machine", run.machine).field("error", run.error);
  json.field("command", run.command);
}

void values_field(Json& json, const char* name, const NamedValues& values) {
  json.key(name).begin_object();
  for (const auto& [key, value] : values) json.field(key, value);
  json.end_object();
}

void evaluations_field(Json& json, const std::vector<EvaluationRow>& rows) {
  json.key("evaluations").begin_array();
  for (const EvaluationRow& row : rows)
    json.begin_object()
        .field("task", row.task)
        .field("step", row.step)
        .field("frame", row.frame)
        .field("seconds", row.seconds)
        .field("episodes", row.episodes)
        .field("return", row.mean_return)
        .field("deviation", row.deviation)
        .field("score", row.score)
        .field("success", row.success)
        .field("length", row.length)
        .end_object();
  json.end_array();
}

void list(const RunsOptions& o, std::ostream& out) {
  const Ledger ledger(o.ledger);
  const std::vector<RunRow> runs = ledger.runs(o.filter);
  if (o.json) {
    Json json;
    json.begin_array();
    for (const RunRow& run : runs) {
      run_fields(json.begin_object(), run);
      json.end_object();
    }
    out << std::move(json.end_array()).text() << '\n';
    return;
  }
  Table table({"id", "study", "run", "state", "done", "score", "time", "tries"});
  table.expendable({"tries", "time", "study"});
  for (const RunRow& run : runs)
    table
        .add({std::to_string(run.id), run.study, run.key, name_of(run.state),
              run.steps > 0 ? concat(100 * run.step / run.steps, " %") : "-", score_text(run.score),
              duration_text(run.seconds), std::to_string(run.attempts)})
        .style(3, style_of(run.state));
  out << table;
  if (runs.empty()) out << "no runs" << (o.filter.study.empty() ? "" : " like that") << '\n';
}

// The mean score over tasks at every evaluation.
std::map<std::int64_t, double> curve_of(const std::vector<EvaluationRow>& rows) {
  std::map<std::int64_t, std::pair<double, int>> sums;
  for (const EvaluationRow& row : rows) {
    auto& [sum, tasks] = sums[row.step];
    sum += row.score;
    ++tasks;
  }
  std::map<std::int64_t, double> curve;
  for (const auto& [step, sum] : sums) curve[step] = sum.first / sum.second;
  return curve;
}

void print_curve(std::ostream& out, const std::vector<EvaluationRow>& rows) {
  std::vector<PlotPoint> points;
  double best = -INFINITY;
  for (const auto& [step, score] : curve_of(rows)) {
    points.push_back({static_cast<double>(step), score});
    best = std::max(best, score);
  }
  if (points.size() < 2) return;
  const std::size_t width = answer_screen().width;
  out << '\n' << "score" << '\n';
  for (const std::string& line :
       plot_lines(points, width == 0 ? 72 : std::min<std::size_t>(width, 72), 7))
    out << line << '\n';
  out << "last " << score_text(points.back().y) << ", best " << score_text(best) << '\n';
}

void show(const RunsOptions& o, std::ostream& out) {
  const Ledger ledger(o.ledger);
  const RunRow run = ledger.run(o.names.front());
  const std::vector<EvaluationRow> rows = evaluations(ledger, run.id);
  if (o.json) {
    Json json;
    run_fields(json.begin_object(), run);
    values_field(json, "factors", ledger.factors(run.id));
    values_field(json, "settings", ledger.settings(run.id));
    evaluations_field(json, rows);
    json.field("configuration", ledger.configuration(run.id));
    out << std::move(json.end_object()).text() << '\n';
    return;
  }
  out << run.study << '/' << run.key << ": " << name_of(run.state) << ", step "
      << count(static_cast<double>(run.step)) << " of " << count(static_cast<double>(run.steps))
      << ", " << run.attempts << (run.attempts == 1 ? " attempt" : " attempts") << '\n';
  if (!run.error.empty()) out << "error    " << run.error << '\n';
  out << "files    " << run.directory << "\nagain    " << run.command << '\n';
  if (!run.machine.empty()) out << "machine  " << run.machine << "\nbuild    " << run.build << '\n';
  for (const auto& [name, value] : ledger.factors(run.id)) out << name << " = " << value << '\n';
  if (!rows.empty()) {
    print_curve(out, rows);
    Table table({"task", "step", "return", "+-", "score", "success"});
    table.expendable({"success", "+-", "return"});
    for (const EvaluationRow& row : rows)
      table.add({row.task, count(static_cast<double>(row.step)), rounded(row.mean_return, 1),
                 rounded(row.deviation, 1), score_text(row.score), score_text(row.success)});
    out << '\n' << table;
  }
  for (const auto& [series, title] :
       {std::pair{Series::diagnostic, "diagnostics"}, {Series::timing, "timing (s)"}}) {
    const std::vector<std::string> names = series_names(ledger, run.id, series);
    if (names.empty()) continue;
    Table table({title, "last"});
    for (const std::string& name : names)
      table.add({name, number(points(ledger, run.id, series, name).back().value)});
    out << '\n' << table;
  }
}

// Settings that differ, and the mean score over tasks at every evaluation.
void compare(const RunsOptions& o, std::ostream& out) {
  if (o.names.size() < 2)
    throw InvalidArgument(concat("runs compare needs at least two runs, got ", o.names.size()));
  const Ledger ledger(o.ledger);
  std::vector<RunRow> runs;
  std::vector<std::map<std::string, std::string>> settings;
  std::vector<std::map<std::int64_t, double>> scores;
  std::set<std::int64_t> steps;
  std::vector<std::string> names;
  for (const std::string& name : o.names) {
    runs.push_back(ledger.run(name));
    settings.emplace_back();
    for (const auto& [key, value] : ledger.settings(runs.back().id)) {
      settings.back()[key] = value;
      if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
    }
    settings.back()["seed"] = std::to_string(runs.back().seed);
    settings.back()["task"] = runs.back().task;
    settings.back()["agent"] = runs.back().agent;
    scores.push_back(curve_of(evaluations(ledger, runs.back().id)));
    for (const auto& [step, score] : scores.back()) steps.insert(step);
  }
  names.insert(names.begin(), {"agent", "task", "seed"});
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) {
                               return std::all_of(settings.begin(), settings.end(), [&](auto& one) {
                                 return one[name] == settings.front()[name];
                               });
                             }),
              names.end());
  const auto score_at = [&](std::size_t run, std::int64_t step) {
    const auto at = scores[run].find(step);
    return at == scores[run].end() ? std::nan("") : at->second;
  };
  if (o.json) {
    Json json;
    json.begin_object().key("runs").begin_array();
    for (std::size_t at = 0; at < runs.size(); ++at) {
      run_fields(json.begin_object(), runs[at]);
      json.key("differs").begin_object();
      for (const std::string& name : names) json.field(name, settings[at][name]);
      json.end_object().key("curve").begin_array();
      for (const auto& [step, score] : scores[at])
        json.begin_object().field("step", step).field("score", score).end_object();
      json.end_array().end_object();
    }
    out << std::move(json.end_array().end_object()).text() << '\n';
    return;
  }
  std::vector<std::string> header{""};
  for (const RunRow& run : runs) header.push_back(concat(run.study, '/', run.key));
  Table different(header);
  // Of two runs also what the second one gains.
  const bool pair = runs.size() == 2;
  if (pair) header.emplace_back("difference");
  Table curves(header);
  for (const std::string& name : names) {
    std::vector<std::string> row{name};
    for (auto& one : settings) row.push_back(one[name]);
    different.add(std::move(row));
  }
  for (const std::int64_t step : steps) {
    std::vector<std::string> row{concat("step ", count(static_cast<double>(step)))};
    for (std::size_t run = 0; run < runs.size(); ++run)
      row.push_back(score_text(score_at(run, step)));
    const double gained = pair ? score_at(1, step) - score_at(0, step) : 0;
    if (pair) row.push_back(with_sign(gained, 4));
    curves.add(std::move(row));
    if (pair && gained != 0)
      curves.style(3, gained > 0 ? Style::good : gained < 0 ? Style::bad : Style::plain);
  }
  out << (names.empty() ? "no setting differs\n" : "") << different << '\n' << curves;
}

bool has_directory(const RunRow& run) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(run.directory, error));
}

// Before anything is removed: the directory is below the ledger, and a run's.
void check_removable(const Ledger& ledger, const RunRow& run) {
  if (!has_directory(run)) return;
  if (!ledger.holds(run))
    throw InvalidArgument(concat(run.study, '/', run.key, ": ", run.directory,
                                 " is not below the ledger's folder ", ledger.folder().string(),
                                 "; nothing was removed. Without --files the run leaves the ",
                                 "ledger alone"));
  if (!contents_of(run.directory, run_files()).marked)
    throw InvalidArgument(concat(run.study, '/', run.key, ": ", run.directory, " has no ",
                                 run_files().marker, ", so that nothing proves that it is a run; ",
                                 "nothing was removed"));
}

// A line per directory: what goes, and what is not mneme's and stays.
void remove_files(const RunRow& run, bool dry_run, const char* verb, std::ostream& out) {
  if (!has_directory(run)) return;
  const Contents there = contents_of(run.directory, run_files());
  if (!dry_run) remove_known(run.directory, run_files());
  out << verb << run.directory << ": " << there.known.size() << " files, "
      << rounded(static_cast<double>(there.bytes) / 1e6, 1) << " MB";
  if (!there.unknown.empty()) out << "; not mneme's, kept: " << join(there.unknown);
  out << '\n';
}

void remove(const RunsOptions& o, std::ostream& out) {
  Ledger ledger(o.ledger, Ledger::Mode::open);
  std::vector<RunRow> runs;
  for (const std::string& name : o.names) {
    const StudyRow study = ledger.find_study(name);
    if (study.id == 0) {
      runs.push_back(ledger.run(name));
      continue;
    }
    for (RunRow& run : ledger.runs({.study = name, .superseded = true}))
      runs.push_back(std::move(run));
  }
  for (const RunRow& run : runs)
    if (run.state == RunState::running && o.files)
      throw InvalidArgument(
          concat(run.study, '/', run.key, " is running, or was when its study was ",
                 "killed; stop the study, start and stop it again, then remove the run"));
  if (o.files)
    for (const RunRow& run : runs) check_removable(ledger, run);
  if (!o.dry_run) {
    Transaction all(ledger.database());
    for (const RunRow& run : runs) {
      ledger.remove_run(run.id);
      ledger.remove_study_if_empty(run.study);
    }
    all.commit();
  }
  const char* verb = o.dry_run ? "would remove " : "removed ";
  if (o.files)
    for (const RunRow& run : runs) remove_files(run, o.dry_run, verb, out);
  out << verb << runs.size() << (runs.size() == 1 ? " run" : " runs") << " from the ledger"
      << (o.files ? "" : "; their files stay") << '\n';
}

// In quotes where a comma or a quote stands in it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

// The method with what the study varies beside it, so that every combination is a method of its
// own.
std::string label_of(const Ledger& ledger, const RunRow& run) {
  std::string label = run.method;
  for (const auto& [name, value] : ledger.factors(run.id))
    if (name.find('.') == std::string::npos) label += concat(' ', name, '=', value);
  return label;
}

void export_rows(const RunsOptions& o, std::ostream& out) {
  const Ledger ledger(o.ledger);
  std::ostringstream csv;
  csv.imbue(std::locale::classic());
  const bool scores = o.what == "scores";
  csv << (scores ? "method,run,task,step,value,return,success,seconds\n"
                 : "study,key,method,task,seed,step,name,value\n");
  for (const RunRow& run : ledger.runs(o.filter)) {
    const std::string label = cell(label_of(ledger, run));
    if (scores) {
      for (const EvaluationRow& row : evaluations(ledger, run.id))
        csv << label << ',' << run.seed << ',' << cell(row.task) << ',' << row.step << ','
            << shortest_number(row.score) << ',' << shortest_number(row.mean_return) << ','
            << (std::isnan(row.success) ? std::string() : shortest_number(row.success)) << ','
            << shortest_number(row.seconds) << '\n';
      continue;
    }
    const Series series = o.what == "metrics"       ? Series::metric
                          : o.what == "diagnostics" ? Series::diagnostic
                                                    : Series::timing;
    for (const std::string& name : series_names(ledger, run.id, series))
      for (const Point& point : points(ledger, run.id, series, name))
        csv << cell(run.study) << ',' << cell(run.key) << ',' << label << ',' << cell(run.task)
            << ',' << run.seed << ',' << point.step << ',' << cell(name) << ','
            << (std::isnan(point.value) ? std::string() : shortest_number(point.value)) << '\n';
  }
  if (o.file.empty()) {
    out << std::move(csv).str();
    return;
  }
  write_file(o.file, std::move(csv).str());
  out << "wrote " << o.file << '\n';
}

}  // namespace

void add_runs_command(CLI::App& app, std::ostream& out) {
  auto o = std::make_shared<RunsOptions>();
  CLI::App* command =
      app.add_subcommand("runs", "runs in a ledger: list, show, compare, export, remove");
  command->require_subcommand(1);
  command->footer(
      "  mneme runs ls --study fig3-laptop --state failed\n"
      "  mneme runs show 12                          by number, or by study/key\n"
      "  mneme runs compare 12 13\n"
      "  mneme runs export --study fig3-laptop -o scores.csv && mneme stats scores.csv\n"
      "  mneme runs rm fig3-laptop --files           a run or a whole study");
  const auto add = [&](const char* name, const char* help,
                       void (*run)(const RunsOptions&, std::ostream&)) {
    CLI::App* sub = command->add_subcommand(name, help);
    sub->add_option("--ledger", o->ledger, "file of the ledger")
        ->type_name("FILE")
        ->capture_default_str()
        ->check(not_empty());
    sub->callback([o, run, &out] { run(*o, out); });
    return sub;
  };
  const auto add_filter = [&](CLI::App* sub) {
    sub->add_option("--study", o->filter.study, "name of the study");
    sub->add_option("--method", o->filter.method, "sampler or arm");
    sub->add_option("--task", o->filter.task, "task");
    sub->add_option("--state", o->filter.state,
                    "state of the run: planned, running, stopped, done, failed, ...")
        ->check(one_of(
            {"planned", "running", "stopped", "done", "failed", "unavailable", "superseded"}));
    sub->add_flag("--all", o->filter.superseded, "also superseded runs");
  };
  CLI::App* ls = add("ls", "list runs", list);
  add_filter(ls);
  CLI::App* one = add("show", "everything about a run", show);
  one->add_option("run", o->names, "number or study/key of the run")->required()->expected(1);
  CLI::App* several = add("compare", "settings that differ, and curves side by side", compare);
  several->add_option("run", o->names, "numbers or study/key of the runs")->required();
  for (CLI::App* sub : {ls, one, several}) add_json(sub, o->json);
  CLI::App* rm = add("rm", "take runs or whole studies out of the ledger", remove);
  rm->add_option("run", o->names, "runs or studies")->required();
  rm->add_flag("--files", o->files, "also delete their directories");
  rm->add_flag("--dry-run", o->dry_run, "show what would be removed, and exit");
  CLI::App* csv =
      add("export", "scores or curves as CSV; `mneme stats` reads the scores", export_rows);
  add_filter(csv);
  csv->add_option("--what", o->what, "scores, metrics, diagnostics or timing")
      ->capture_default_str()
      ->check(one_of({"scores", "metrics", "diagnostics", "timing"}));
  csv->add_option("-o,--output", o->file, "file to write (standard output)")
      ->type_name("FILE")
      ->check(not_empty());
}

}  // namespace mneme::lab
