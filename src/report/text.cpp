// report/text.cpp - a report in a terminal: what was run, what it shows, how far to trust it.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "report/output.h"
#include "report/verdict.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

std::string bounds(const stats::Interval& interval, int digits) {
  if (std::isnan(interval.low) && std::isnan(interval.high)) return "-";
  const auto end = [&](double value) {
    return std::isnan(value) ? std::string("?") : with_sign(value, digits);
  };
  return concat("[", end(interval.low), ", ", end(interval.high), "]");
}

std::string plural(std::size_t count, const char* what) {
  return concat(count, ' ', what, count == 1 ? "" : "s");
}

std::string size_of(const VerdictLine& line, const stats::Interval& interval) {
  return line.is_gain
             ? concat("gain ", with_sign(interval.estimate, 1), " % ", bounds(interval, 1))
             : concat("difference ", with_sign(interval.estimate, 3), ' ', bounds(interval, 3));
}

std::string place(const StudyReport& report, std::size_t group) {
  const std::string& label = report.scores.groups[group].label;
  return label.empty() ? "" : concat(" at ", label);
}

std::string claim(const StudyReport& report, const VerdictLine& line) {
  return concat(line.method, line.shown() > 0 ? " scores higher than " : " scores lower than ",
                line.baseline, place(report, line.group), ": ", size_of(line, line.simultaneous));
}

// "0.5", "1": how many intervals chance alone lets exclude zero.
std::string by_chance(double expected) {
  if (expected < 0.5) return concat("less than one would by chance");
  return concat("about ", rounded(expected, 0), " would by chance");
}

std::string headline(const StudyReport& report, const Verdict& verdict) {
  std::vector<const VerdictLine*> shown;
  for (const VerdictLine& line : verdict.lines)
    if (line.shown() != 0) shown.push_back(&line);
  // What most surely differs comes first.
  std::stable_sort(shown.begin(), shown.end(), [](const VerdictLine* a, const VerdictLine* b) {
    const auto distance = [](const VerdictLine& line) {
      return std::max(line.simultaneous.low, -line.simultaneous.high);
    };
    return distance(*a) > distance(*b);
  });
  const std::size_t all = verdict.lines.size();
  if (shown.size() == 1 && all == 1) return claim(report, *shown.front()) + ".";
  if (!shown.empty())
    return concat(claim(report, *shown.front()), " (",
                  shown.size() == 1 ? concat("the only one of ", all, " comparisons that shows")
                                    : concat(shown.size(), " of ", all, " comparisons show"),
                  " a difference).");
  const VerdictLine& first = verdict.lines.front();
  if (std::isnan(first.true_coverage))
    return concat("No difference can be shown: a single run per method says nothing about chance.");
  if (all == 1)
    return concat("No difference shown between ", first.method, " and ", first.baseline,
                  place(report, first.group), ": ", size_of(first, first.nominal), ".");
  return concat("No difference shown: ",
                verdict.excluding == 0 ? std::string("none") : std::to_string(verdict.excluding),
                " of ", all, verdict.excluding == 1 ? " intervals excludes" : " intervals exclude",
                " zero; ", by_chance(verdict.by_chance), ".");
}

std::string not_learned(const StudyReport& report, const Verdict& verdict) {
  double low = INFINITY, high = -INFINITY;
  for (const std::size_t group : verdict.not_learned)
    for (const BandCurve& curve : report.groups[group].curves) {
      low = std::min(low, curve.scores.back().estimate);
      high = std::max(high, curve.scores.back().estimate);
    }
  std::vector<std::string> places;
  for (const std::size_t group : verdict.not_learned)
    if (!report.scores.groups[group].label.empty())
      places.push_back(report.scores.groups[group].label);
  return concat("The agents have not learned", places.empty() ? "" : concat(" at ", join(places)),
                ": final scores from ", rounded(low, 3), " to ", rounded(high, 3),
                ", near those of untrained agents, so their samplers are not compared.");
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
  add(begun, "running or stopped");
  add(waiting, "not started");
  add(failed, "failed");
  add(unavailable, "cannot run here");
  return concat(done, " of ", plural(scores.runs.size(), "run"), done == 1 ? " is" : " are",
                " finished", rest.empty() ? "" : "; ", join(rest));
}

std::vector<std::string> report_summary(const StudyReport& report) {
  const Verdict verdict = verdict_of(report);
  std::vector<std::string> lines;
  if (verdict.lines.empty()) {
    if (verdict.not_learned.empty())
      return {concat("Nothing to compare yet: ", completeness(report.scores), ".")};
    return {not_learned(report, verdict)};
  }
  lines.push_back(headline(report, verdict));
  // The widest coverage problem counts: the fewest runs.
  const VerdictLine* least = &verdict.lines.front();
  for (const VerdictLine& line : verdict.lines)
    if (line.true_coverage < least->true_coverage) least = &line;
  const GroupReport& group = report.groups[least->group];
  std::string trust = "Intervals";
  if (std::isnan(least->true_coverage)) {
    trust = "One run per method has no interval; train at least five seeds.";
  } else {
    if (verdict.lines.size() > 1)
      trust += concat(" of the claim hold for all ", verdict.lines.size(), " comparisons together");
    else
      trust += " are corrected for the number of runs";
    trust += concat("; without correction a nominal ", rounded(100 * report.request.confidence, 0),
                    " % interval holds the truth about ", rounded(100 * least->true_coverage, 0),
                    " % of the time here",
                    least->paired ? ". Runs of the same seed are compared in pairs" : "");
    for (const ComparisonReport& one : group.stats->comparisons)
      if (one.name == least->method && one.coverage.runs < 5)
        trust += "; fewer than five seeds are a first look";
    trust += ".";
  }
  lines.push_back(trust);
  if (!verdict.not_learned.empty()) lines.push_back(not_learned(report, verdict));
  return lines;
}

void write_report_text(const StudyReport& report, std::ostream& out) {
  const StudyScores& scores = report.scores;
  out << styled(concat(scores.study.name, scores.title.empty() ? "" : ": ", scores.title),
                Style::strong)
      << '\n'
      << wrapped(setup_of(report).text(), 2) << '\n'
      << completeness(scores) << "\n\n";
  const std::vector<std::string> summary = report_summary(report);
  for (std::size_t at = 0; at < summary.size(); ++at)
    out << styled(wrapped(summary[at], 0), at == 0 ? Style::strong : Style::plain) << '\n';
  out << '\n';
  Table table({"group", "method", "runs", "auc", "gain %", "interval", "paired", "final gain %",
               "better", "speed-up"});
  table.expendable({"speed-up", "better", "final gain %", "interval", "runs", "auc"});
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
          row[4] = with_sign(by.gain.estimate, 2);
          row[5] = bounds(by.gain, 2);
          row[8] = rounded(by.probability_of_improvement.estimate, 3);
          row[9] = std::isnan(one.speed_up.at_final) ? "-" : rounded(one.speed_up.at_final, 2);
        }
        for (const PairedReport& one : group.paired)
          if (one.method == method.name && one.seeds > 0) row[6] = bounds(one.comparison.gain, 2);
        for (const FinalReport& one : group.finals)
          if (one.method == method.name && one.comparison)
            row[7] = with_sign(one.comparison->gain.estimate, 2);
      }
      table.add(std::move(row));
    }
  }
  out << table;
  std::size_t left_out = 0;
  for (const ListedRun& run : scores.runs) left_out += run.left_out.empty() ? 0 : 1;
  if (left_out == 0) return;
  constexpr std::size_t kShown = 10;
  out << "\nNot counted:\n";
  std::size_t shown = 0;
  for (const ListedRun& run : scores.runs)
    if (!run.left_out.empty() && shown++ < kShown)
      out << "  " << wrapped(concat(run.row.key, "  ", run.left_out), 4) << '\n';
  if (left_out > kShown) out << "  and " << left_out - kShown << " more; --csv lists all\n";
}

}  // namespace mneme::lab
