// report/csv.cpp - every table and plot of a report as a CSV file.
#include <cmath>
#include <sstream>

#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"
#include "report/output.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

// In quotes where a comma, a quote or a line end stands in it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}
std::string cell(double value) { return std::isfinite(value) ? shortest_number(value) : ""; }
std::string cell(const stats::Interval& interval) {
  return concat(cell(interval.estimate), ',', cell(interval.low), ',', cell(interval.high));
}

class Files {
 public:
  explicit Files(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw IoError(concat(folder_.string(), ": ", error.message(), "; name another folder"));
  }
  void write(const std::string& name, const std::string& text) {
    write_file(folder_ / name, text);
    names_.push_back(name);
  }
  std::vector<std::string> names() && { return std::move(names_); }

 private:
  fs::path folder_;
  std::vector<std::string> names_;
};

// One line per finished run, task and checkpoint: what `mneme stats --normalise none` reads.
std::string scores(const Group& group) {
  std::ostringstream csv;
  csv << "method,run,task,step,value\n";
  for (const stats::MethodCurves& method : group.curves)
    for (std::size_t m = 0; m < method.curves.tasks.size(); ++m)
      for (std::size_t r = 0; r < method.curves.runs[m].size(); ++r)
        for (std::size_t k = 0; k < method.curves.steps.size(); ++k)
          csv << cell(method.name) << ',' << method.curves.runs[m][r] << ','
              << cell(method.curves.tasks[m]) << ',' << cell(method.curves.steps[k]) << ','
              << cell(method.curves.values[m][r][k]) << '\n';
  return std::move(csv).str();
}

std::string with_suffix(const char* name, const Group& group) {
  return group.slug.empty() ? concat(name, ".csv") : concat(name, '-', group.slug, ".csv");
}

// What the next functions have in common: a header, then lines that begin with the group.
template <class Lines>
std::string table(const StudyReport& report, const char* header, const Lines& lines) {
  std::ostringstream csv;
  csv << "group," << header << '\n';
  for (std::size_t g = 0; g < report.groups.size(); ++g)
    lines(csv, cell(report.scores.groups[g].label) + ',', report.scores.groups[g],
          report.groups[g]);
  return std::move(csv).str();
}

std::string gains(const StudyReport& report) {
  return table(
      report,
      "replay_volume,method,baseline,resampling,gain,gain_low,gain_high,difference,difference_low,"
      "difference_high,probability_of_improvement,probability_low,probability_high,speed_up,"
      "speed_up_low,speed_up_high,final_gain,final_gain_low,final_gain_high,paired_gain,"
      "paired_gain_low,paired_gain_high",
      [](std::ostream& csv, const std::string& label, const Group& scores,
         const GroupReport& group) {
        if (!group.stats) return;
        for (const ComparisonReport& one : group.stats->comparisons) {
          const stats::Comparison& by = trusted(one.comparison, group.resampling);
          csv << label << cell(scores.volume) << ',' << cell(one.name) << ','
              << cell(group.stats->baseline) << ','
              << (group.resampling == stats::Resampling::run_cluster ? "run_cluster" : "stratified")
              << ',' << cell(by.gain) << ',' << cell(by.difference) << ','
              << cell(by.probability_of_improvement) << ','
              << cell(trusted(one.speed_up_interval, group.resampling).at_final) << ',';
          std::string last = ",,", pair = ",,";
          for (const FinalReport& final : group.finals)
            if (final.method == one.name && final.comparison) last = cell(final.comparison->gain);
          for (const PairedReport& paired : group.paired)
            if (paired.method == one.name && paired.seeds > 0) pair = cell(paired.comparison.gain);
          csv << last << ',' << pair << '\n';
        }
      });
}

std::string aggregates(const StudyReport& report) {
  return table(
      report, "method,metric,estimate,low,high",
      [](std::ostream& csv, const std::string& label, const Group&, const GroupReport& group) {
        if (!group.stats) return;
        for (const MethodReport& one : group.stats->methods) {
          const stats::Aggregates& of = trusted(one.aggregates, group.resampling);
          const auto line = [&](const char* name, const stats::Interval& value) {
            csv << label << cell(one.name) << ',' << name << ',' << cell(value) << '\n';
          };
          line("auc_mean", of.mean);
          line("auc_median", of.median);
          line("auc_iqm", of.iqm);
          line("auc_optimality_gap", of.optimality_gap);
          for (const FinalReport& final : group.finals)
            if (final.method == one.name) line("final_mean", final.mean);
        }
      });
}

std::string learning_curves(const StudyReport& report) {
  return table(
      report, "task,method,step,score,low,high",
      [](std::ostream& csv, const std::string& label, const Group&, const GroupReport& group) {
        const auto lines = [&](const std::string& task, const BandCurve& curve) {
          for (std::size_t k = 0; k < curve.steps.size(); ++k)
            csv << label << cell(task) << ',' << cell(curve.method) << ',' << cell(curve.steps[k])
                << ',' << cell(curve.scores[k]) << '\n';
        };
        for (const BandCurve& curve : group.curves) lines("", curve);
        for (const TaskReport& task : group.tasks)
          for (const BandCurve& curve : task.curves) lines(task.task, curve);
      });
}

std::string task_gains(const StudyReport& report) {
  return table(
      report,
      "task,method,gain,gain_low,gain_high,difference,difference_low,difference_high,"
      "probability_of_improvement,probability_low,probability_high",
      [](std::ostream& csv, const std::string& label, const Group&, const GroupReport& group) {
        for (const TaskReport& task : group.tasks)
          for (const TaskGain& one : task.gains)
            csv << label << cell(task.task) << ',' << cell(one.method) << ','
                << cell(one.comparison.gain) << ',' << cell(one.comparison.difference) << ','
                << cell(one.comparison.probability_of_improvement) << '\n';
      });
}

std::string profiles(const StudyReport& report) {
  return table(
      report, "method,tau,share,low,high",
      [](std::ostream& csv, const std::string& label, const Group&, const GroupReport& group) {
        if (!group.stats) return;
        for (const MethodReport& one : group.stats->methods)
          for (std::size_t k = 0; k < group.request.taus.size(); ++k)
            csv << label << cell(one.name) << ',' << cell(group.request.taus[k]) << ','
                << cell(one.score_profile[k]) << '\n';
      });
}

std::string recency(const StudyReport& report) {
  return table(
      report, "method,source,step,expected_recency,sampling_entropy",
      [](std::ostream& csv, const std::string& label, const Group&, const GroupReport& group) {
        const auto line = [&](const RecencyReport& of, const char* source,
                              const RecencyReport::Place& at) {
          csv << label << cell(of.method) << ',' << source << ',' << cell(at.step) << ','
              << cell(at.recency) << ',' << cell(at.entropy) << '\n';
        };
        for (const RecencyReport& one : group.recency) {
          for (const RecencyReport::Place& at : one.path) line(one, "measured", at);
          if (one.exact) line(one, "closed form", *one.exact);
        }
      });
}

std::string timing(const StudyReport& report) {
  return table(
      report, "method,runs,phase,seconds",
      [](std::ostream& csv, const std::string& label, const Group&, const GroupReport& group) {
        for (const TimingReport& one : group.timing)
          for (const auto& [phase, seconds] : one.seconds)
            csv << label << cell(one.method) << ',' << one.runs << ',' << cell(phase) << ','
                << cell(seconds) << '\n';
      });
}

std::string runs(const StudyScores& scores) {
  std::ostringstream csv;
  csv << "key,group,method,task,seed,state,step,steps,score,seconds,attempts,left_out,command\n";
  for (const ListedRun& run : scores.runs)
    csv << cell(run.row.key) << ',' << cell(run.group) << ',' << cell(run.row.method) << ','
        << cell(run.row.task) << ',' << run.row.seed << ',' << name_of(run.row.state) << ','
        << run.row.step << ',' << run.row.steps << ',' << cell(run.row.score) << ','
        << cell(run.row.seconds) << ',' << run.row.attempts << ',' << cell(run.left_out) << ','
        << cell(run.row.command) << '\n';
  return std::move(csv).str();
}

}  // namespace

std::vector<std::string> write_report_csv(const StudyReport& report, const fs::path& folder) {
  Files files(folder);
  for (const Group& group : report.scores.groups)
    if (!group.curves.empty()) files.write(with_suffix("scores", group), scores(group));
  files.write("gains.csv", gains(report));
  files.write("aggregates.csv", aggregates(report));
  files.write("curves.csv", learning_curves(report));
  files.write("tasks.csv", task_gains(report));
  files.write("profiles.csv", profiles(report));
  files.write("recency.csv", recency(report));
  files.write("timing.csv", timing(report));
  files.write("runs.csv", runs(report.scores));
  return std::move(files).names();
}

}  // namespace mneme::lab
