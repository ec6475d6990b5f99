// report/text.cpp - a report in a terminal: what is there, what helps, how far to trust
// it.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/output.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

std::string signed_text(double value, int digits) {
  return concat(value >= 0 ? "+" : "", rounded(value, digits));
}

std::string bounds(const stats::Interval& interval, int digits) {
  if (std::isnan(interval.low) && std::isnan(interval.high)) return "-";
  const auto end = [&](double value) {
    return std::isnan(value) ? std::string("?") : signed_text(value, digits);
  };
  return concat("[", end(interval.low), ", ", end(interval.high), "]");
}

std::string plural(std::size_t count, const char* what) {
  return concat(count, ' ', what, count == 1 ? "" : "s");
}

// The comparison whose lower end is highest: what most surely helps.
struct Best {
  const Group* group = nullptr;
  const GroupReport* report = nullptr;
  const ComparisonReport* comparison = nullptr;
  stats::Interval gain;
  std::size_t of = 0;  // so many comparisons
};

Best best_of(const StudyReport& report) {
  Best best;
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const GroupReport& group = report.groups[g];
    if (!group.stats) continue;
    for (const ComparisonReport& one : group.stats->comparisons) {
      const stats::Interval gain = trusted(one.comparison, group.resampling).gain;
      const auto sureness = [](const stats::Interval& of) {
        return std::isnan(of.low) ? -1e300 : of.low;
      };
      if (std::isnan(gain.estimate)) continue;
      ++best.of;
      if (best.comparison != nullptr && sureness(gain) <= sureness(best.gain)) continue;
      best = {&report.scores.groups[g], &group, &one, gain, best.of};
    }
  }
  return best;
}

}  // namespace

std::string completeness(const StudyScores& scores) {
  std::size_t done = 0, failed = 0, unavailable = 0, begun = 0, waiting = 0;
  for (const ListedRun& run : scores.runs) {
    done += run.row.state == RunState::done ? 1 : 0;
    failed += run.row.state == RunState::failed ? 1 : 0;
    unavailable += run.row.state == RunState::unavailable ? 1 : 0;
    begun += run.row.state == RunState::running || run.row.state == RunState::stopped ? 1 : 0;
    waiting += run.row.state == RunState::planned ? 1 : 0;
  }
  std::vector<std::string> rest;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) rest.push_back(concat(count, ' ', what));
  };
  add(begun, "under way");
  add(waiting, "not begun");
  add(failed, "failed");
  add(unavailable, "cannot run here");
  return concat(done, " of ", plural(scores.runs.size(), "run"), done == 1 ? " is" : " are",
                " finished", rest.empty() ? "" : "; ", join(rest));
}

std::vector<std::string> report_summary(const StudyReport& report) {
  const Best best = best_of(report);
  if (best.comparison == nullptr)
    return {concat("Nothing to compare yet: ", completeness(report.scores), ".")};
  const Coverage& coverage = best.comparison->coverage;
  const std::string where = best.group->label.empty() ? "" : concat(" at ", best.group->label);
  const stats::Comparison& by = trusted(best.comparison->comparison, best.report->resampling);
  const std::string& baseline = best.report->stats->baseline;
  std::vector<std::string> lines;
  if (best.gain.low > 0 || best.gain.high < 0)
    lines.push_back(concat(best.comparison->name,
                           best.gain.low > 0 ? " scores higher" : " scores lower", " than ",
                           baseline, where, "."));
  else if (std::isnan(best.gain.low))
    lines.push_back(concat(best.comparison->name, " cannot be told from ", baseline, where,
                           ": a single run shows nothing about chance."));
  else
    lines.push_back(concat("No difference between ", best.comparison->name, " and ", baseline,
                           where, " that these runs could show."));
  lines.push_back(concat("Gain in mean score over training: ", signed_text(best.gain.estimate, 1),
                         " %, ", rounded(100 * report.request.confidence, 0), " % interval ",
                         bounds(best.gain, 1), "; chance that one of its runs beats one of ",
                         baseline, ": ", rounded(by.probability_of_improvement.estimate, 2), "."));
  const double actual = trusted(coverage.actual, best.report->resampling);
  std::string trust = concat(plural(coverage.runs, "seed"), ", ", plural(coverage.tasks, "task"));
  if (!std::isnan(actual))
    trust += concat(": an interval of nominal ", rounded(100 * coverage.nominal, 0),
                    " % holds the truth about ", rounded(100 * actual, 0), " % of the time");
  if (best.of > 1) trust += concat("; this is the surest of ", best.of, " comparisons");
  if (coverage.runs < 5)
    trust += "; take it as a first look, five seeds and more tasks as evidence";
  lines.push_back(trust + ".");
  return lines;
}

void write_report_text(const StudyReport& report, std::ostream& out) {
  const StudyScores& scores = report.scores;
  out << scores.study.name << (scores.title.empty() ? "" : ": ") << scores.title << '\n'
      << completeness(scores) << "\n\n";
  Table table({"group", "method", "runs", "auc", "gain %", "interval", "paired", "final gain %",
               "better", "speed-up"});
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const GroupReport& group = report.groups[g];
    for (const MethodOfGroup& method : scores.groups[g].methods) {
      std::vector<std::string> row{scores.groups[g].label.empty() ? "-" : scores.groups[g].label,
                                   method.name, concat(method.counted, " of ", method.runs)};
      row.resize(10, "-");
      if (group.stats) {
        for (const MethodReport& one : group.stats->methods)
          if (one.name == method.name)
            row[3] = rounded(trusted(one.aggregates, group.resampling).mean.estimate, 4);
        for (const ComparisonReport& one : group.stats->comparisons) {
          if (one.name != method.name) continue;
          const stats::Comparison& by = trusted(one.comparison, group.resampling);
          row[4] = signed_text(by.gain.estimate, 2);
          row[5] = bounds(by.gain, 2);
          row[8] = rounded(by.probability_of_improvement.estimate, 3);
          row[9] = std::isnan(one.speed_up.at_final) ? "-" : rounded(one.speed_up.at_final, 2);
        }
        for (const PairedReport& one : group.paired)
          if (one.method == method.name && one.seeds > 0) row[6] = bounds(one.comparison.gain, 2);
        for (const FinalReport& one : group.finals)
          if (one.method == method.name && one.comparison)
            row[7] = signed_text(one.comparison->gain.estimate, 2);
      }
      table.add(std::move(row));
    }
  }
  out << table << '\n';
  for (const std::string& line : report_summary(report)) out << line << '\n';
  std::size_t left_out = 0;
  for (const ListedRun& run : scores.runs) left_out += run.left_out.empty() ? 0 : 1;
  if (left_out == 0) return;
  constexpr std::size_t kShown = 10;
  out << "\nNot counted:\n";
  std::size_t shown = 0;
  for (const ListedRun& run : scores.runs)
    if (!run.left_out.empty() && shown++ < kShown)
      out << "  " << run.row.key << "  " << run.left_out << '\n';
  if (left_out > kShown) out << "  and " << left_out - kShown << " more; --csv lists all\n";
}

}  // namespace mneme::lab
