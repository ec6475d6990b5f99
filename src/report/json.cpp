// report/json.cpp - the data of a report page. Statistics of a group are what `mneme
// stats --json` writes, by the same code.
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "os/version.h"
#include "report/output.h"
#include "report/verdict.h"

namespace mneme::lab {
namespace {

// A page with every run of a very large study would be slow to open; the CSV files have all.
constexpr std::size_t kRunsOnPage = 1000;

void interval(Json& json, std::string_view name, const stats::Interval& content) {
  json.key(name).begin_object().field("estimate", content.estimate);
  json.field("low", content.low).field("high", content.high).end_object();
}

void comparison(Json& json, const stats::Comparison& content) {
  interval(json, "gain", content.gain);
  interval(json, "difference", content.difference);
  interval(json, "probability_of_improvement", content.probability_of_improvement);
}

void texts(Json& json, std::string_view name, const std::vector<std::string>& list) {
  json.key(name).begin_array();
  for (const std::string& text : list) json.value(text);
  json.end_array();
}

void curves(Json& json, const std::vector<BandCurve>& all) {
  json.key("curves").begin_array();
  for (const BandCurve& curve : all) {
    json.begin_object().field("method", curve.method).key("points").begin_array();
    for (std::size_t k = 0; k < curve.steps.size(); ++k)
      json.begin_object()
          .field("step", curve.steps[k])
          .field("score", curve.scores[k].estimate)
          .field("low", curve.scores[k].low)
          .field("high", curve.scores[k].high)
          .end_object();
    json.end_array().end_object();
  }
  json.end_array();
}

void methods(Json& json, const Group& group) {
  json.key("methods").begin_array();
  for (const MethodOfGroup& method : group.methods) {
    json.begin_object().field("name", method.name).field("sampler", method.sampler);
    json.field("actor_sampler", method.actor_sampler).field("capacity", method.capacity);
    json.field("steps", method.steps).field("runs", method.runs).field("counted", method.counted);
    json.field("failed", method.failed).field("seconds", method.seconds).end_object();
  }
  json.end_array();
}

void tasks(Json& json, const GroupReport& group) {
  json.key("tasks").begin_array();
  for (const TaskReport& task : group.tasks) {
    json.begin_object().field("task", task.task);
    curves(json, task.curves);
    json.key("gains").begin_array();
    for (const TaskGain& gain : task.gains) {
      json.begin_object().field("method", gain.method);
      comparison(json, gain.comparison);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void finals(Json& json, const GroupReport& group) {
  json.key("finals").begin_array();
  for (const FinalReport& one : group.finals) {
    json.begin_object().field("method", one.method);
    interval(json, "mean", one.mean);
    json.key("comparison");
    if (one.comparison) {
      json.begin_object();
      comparison(json, *one.comparison);
      json.end_object();
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array().key("paired").begin_array();
  for (const PairedReport& one : group.paired) {
    if (one.seeds == 0) continue;
    json.begin_object().field("method", one.method).field("seeds", one.seeds);
    interval(json, "gain", one.comparison.gain);
    interval(json, "difference", one.comparison.difference);
    json.end_object();
  }
  json.end_array();
}

void place(Json& json, const RecencyReport::Place& at) {
  json.begin_object().field("step", at.step).field("expected_recency", at.recency);
  json.field("sampling_entropy", at.entropy).end_object();
}

void recency(Json& json, const GroupReport& group) {
  json.key("recency").begin_object().field("size", group.frontier.size);
  json.key("frontier").begin_array();
  for (const auto& [at, entropy] : group.frontier.points)
    json.begin_object()
        .field("expected_recency", at)
        .field("sampling_entropy", entropy)
        .end_object();
  json.end_array().key("methods").begin_array();
  for (const RecencyReport& one : group.recency) {
    json.begin_object().field("method", one.method).field("runs", one.runs);
    json.key("path").begin_array();
    for (const RecencyReport::Place& at : one.path) place(json, at);
    json.end_array().key("exact");
    if (one.exact)
      place(json, *one.exact);
    else
      json.null();
    json.end_object();
  }
  json.end_array().end_object();
}

void timing(Json& json, const GroupReport& group) {
  json.key("timing").begin_array();
  for (const TimingReport& one : group.timing) {
    json.begin_object().field("method", one.method).field("runs", one.runs);
    json.field("total", one.total).key("phases").begin_array();
    for (const auto& [name, seconds] : one.seconds)
      json.begin_object().field("phase", name).field("seconds", seconds).end_object();
    json.end_array().end_object();
  }
  json.end_array();
}

void write_group(Json& json, const Group& scores, const GroupReport& group) {
  json.begin_object().field("label", scores.label).field("id", scores.slug);
  json.key("factors").begin_object();
  for (const auto& [name, value] : scores.factors) json.field(name, value);
  json.end_object().field("agent", scores.agent).field("replay_volume", scores.volume);
  json.field("utd", scores.utd).field("batch", scores.batch).field("together", scores.together);
  json.field("resampling",
             group.resampling == stats::Resampling::run_cluster ? "run_cluster" : "stratified");
  methods(json, scores);
  json.key("stats");
  if (group.stats)
    stats_json(json, group.request, *group.stats);
  else
    json.null();
  curves(json, group.curves);
  tasks(json, group);
  finals(json, group);
  recency(json, group);
  timing(json, group);
  std::vector<std::string> notes = scores.notes;
  notes.insert(notes.end(), group.notes.begin(), group.notes.end());
  if (group.stats) notes.insert(notes.end(), group.stats->notes.begin(), group.stats->notes.end());
  texts(json, "notes", notes);
  json.end_object();
}

void write_study(Json& json, const StudyReport& report, const std::string& ledger) {
  const StudyScores& scores = report.scores;
  double seconds = 0;
  for (const ListedRun& run : scores.runs)
    seconds += std::isnan(run.row.seconds) ? 0 : run.row.seconds;
  json.key("study").begin_object().field("name", scores.study.name).field("title", scores.title);
  json.field("text", scores.study.text).field("ledger", ledger).field("seconds", seconds);
  json.field("runs", scores.runs.size()).key("states").begin_object();
  for (const RunState state : {RunState::done, RunState::running, RunState::stopped,
                               RunState::planned, RunState::failed, RunState::unavailable}) {
    std::size_t count = 0;
    for (const ListedRun& run : scores.runs) count += run.row.state == state ? 1 : 0;
    if (count > 0) json.field(name_of(state), count);
  }
  json.end_object();
  texts(json, "builds", scores.builds);
  texts(json, "machines", scores.machines);
  json.field("completeness", completeness(scores)).end_object();
}

void numbers(Json& json, std::string_view name, const auto& list) {
  json.key(name).begin_array();
  for (const auto value : list) json.value(value);
  json.end_array();
}

void setup(Json& json, const StudySetup& content) {
  json.key("setup").begin_object().field("text", content.text());
  texts(json, "agents", content.agents);
  numbers(json, "replay_volumes", content.volumes);
  numbers(json, "utds", content.utds);
  numbers(json, "batches", content.batches);
  numbers(json, "steps", content.steps);
  numbers(json, "capacities", content.capacities);
  json.field("tasks", content.tasks).field("fewest_seeds", content.fewest_seeds);
  json.field("most_seeds", content.most_seeds).field("comparisons", content.comparisons);
  json.end_object();
}

void verdict(Json& json, const StudyReport& report) {
  const Verdict content = verdict_of(report);
  json.key("verdict").begin_object();
  json.field("excluding_zero", content.excluding).field("expected_by_chance", content.by_chance);
  json.key("comparisons").begin_array();
  for (const VerdictLine& line : content.lines) {
    json.begin_object().field("group", report.scores.groups[line.group].label);
    json.field("method", line.method).field("baseline", line.baseline);
    json.field("quantity", line.is_gain ? "gain" : "difference").field("paired", line.paired);
    interval(json, "nominal", line.nominal);
    interval(json, "simultaneous", line.simultaneous);
    json.field("true_coverage", line.true_coverage).field("shown", line.shown()).end_object();
  }
  json.end_array().key("not_learned").begin_array();
  for (const std::size_t group : content.not_learned) json.value(report.scores.groups[group].label);
  json.end_array().end_object();
}

void write_runs(Json& json, const StudyScores& scores) {
  const bool all = scores.runs.size() <= kRunsOnPage;
  json.field("runs_listed", all ? "all" : "not counted").key("runs").begin_array();
  std::size_t listed = 0;
  for (const ListedRun& run : scores.runs) {
    if ((!all && run.left_out.empty()) || listed++ >= kRunsOnPage) continue;
    const RunRow& row = run.row;
    json.begin_object().field("key", row.key).field("group", run.group);
    json.field("method", row.method).field("task", row.task).field("seed", row.seed);
    json.field("state", name_of(row.state)).field("step", row.step).field("steps", row.steps);
    json.field("score", row.score).field("seconds", row.seconds).field("attempts", row.attempts);
    json.field("left_out", run.left_out).field("command", row.command).end_object();
  }
  json.end_array();
}

}  // namespace

std::string summary_json(const StudyReport& report) {
  Json json;
  json.begin_object().field("study", report.scores.study.name);
  json.field("title", report.scores.title).field("completeness", completeness(report.scores));
  setup(json, setup_of(report));
  texts(json, "summary", report_summary(report));
  verdict(json, report);
  return std::move(json.end_object()).text();
}

std::string report_json(const StudyReport& report, const std::string& command,
                        const std::string& ledger) {
  const StudyScores& scores = report.scores;
  Json json;
  json.begin_object().field("kind", "report");
  json.field("title", scores.title.empty() ? scores.study.name : scores.title);
  json.field("command", command).field("version", kVersion);
  write_study(json, report, ledger);
  setup(json, setup_of(report));
  texts(json, "summary", report_summary(report));
  verdict(json, report);
  json.key("groups").begin_array();
  for (std::size_t g = 0; g < report.groups.size(); ++g)
    write_group(json, scores.groups[g], report.groups[g]);
  json.end_array();
  write_runs(json, scores);
  return std::move(json.end_object()).text();
}

}  // namespace mneme::lab
