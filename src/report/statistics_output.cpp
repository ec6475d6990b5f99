// report/statistics_output.cpp - the answer of `mneme stats`, as tables and as JSON.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "base/json.h"
#include "base/text.h"
#include "report/statistics.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

using stats::Interval;

// Tables ----------

std::string fixed(double value, int digits) {
  return std::isnan(value) ? "undefined" : rounded(value, digits);
}

std::string bounds(const Interval& interval, int digits) {
  if (std::isnan(interval.low) && std::isnan(interval.high)) return "undefined";
  const auto end = [&](double value) {
    return std::isnan(value) ? std::string("?") : fixed(value, digits);
  };
  return concat("[", end(interval.low), ", ", end(interval.high), "]");
}

std::string percent(double share) { return fixed(100 * share, 1) + "%"; }

std::string counted(std::size_t count, const char* what) {
  return concat(count, " ", what, count == 1 ? "" : "s");
}

std::string step_text(double step) {
  return step == std::floor(step) && step < 1e15 ? fixed(step, 0) : shortest_number(step);
}

// How often the intervals hold the truth.
void write_coverage(const Coverage& coverage, std::ostream& out) {
  const std::string shape =
      concat(counted(coverage.runs, "run"), ", ", counted(coverage.tasks, "task"));
  if (coverage.runs == 1) {
    out << "coverage: undefined with " << shape << '\n';
    return;
  }
  out << "coverage: nominal " << percent(coverage.nominal) << "; true, with " << shape << ", about "
      << percent(coverage.actual.stratified) << " stratified (tasks trained apart)";
  if (coverage.actual.run_cluster)
    out << ", " << percent(*coverage.actual.run_cluster) << " run-cluster";
  out << '\n';
}

void write_summary(const StatsRequest& request, const StatsReport& report, std::ostream& out) {
  const stats::Curves& curves = report.methods[0].curves;
  std::map<std::string, std::size_t> suites;
  for (const stats::Scale& scale : report.scales)
    ++suites[scale.suite == stats::Suite::none ? "as is"
                                               : std::string(stats::name_of(scale.suite))];
  std::vector<std::string> scales;
  for (const auto& [suite, count] : suites)
    scales.push_back(concat(suite, " (", counted(count, "task"), ")"));
  std::size_t fewest = ~std::size_t{0}, most = 0;
  for (const MethodReport& method : report.methods) {
    fewest = std::min(fewest, method.auc.fewest_runs());
    most = std::max(most, method.auc.most_runs());
  }
  out << "scores      " << counted(report.methods.size(), "method") << ", "
      << counted(curves.tasks.size(), "task") << ", "
      << (fewest < most ? concat(fewest, " to ") : "") << counted(most, "run") << ", "
      << counted(curves.steps.size(), "checkpoint") << " from step "
      << step_text(curves.steps.front()) << " to " << step_text(curves.steps.back())
      << (request.include_step_0 ? "" : " (step 0 excluded)") << '\n'
      << "normalised  " << join(scales) << '\n'
      << "bootstrap   " << request.reps << " repetitions (profiles " << request.profile_reps
      << "), seed " << request.seed
      << (request.seed_compat.empty() ? "" : " as numpy.random.seed, RLiable's draws") << ", "
      << percent(request.confidence) << " intervals"
      << (request.correct_small_sample ? ", small-sample correction" : "") << '\n';
}

void write_tasks(const StatsReport& report, std::ostream& out) {
  std::vector<std::string> header{"auc, mean over runs"};
  for (const MethodReport& method : report.methods) header.push_back(method.name);
  Table table(header);
  for (std::size_t m = 0; m < report.scales.size(); ++m) {
    std::vector<std::string> row{report.methods[0].curves.tasks[m]};
    for (const MethodReport& method : report.methods) {
      double sum = 0;
      for (const double score : method.auc.task(m)) sum += score;
      row.push_back(fixed(sum / static_cast<double>(method.auc.runs(m)), 4));
    }
    table.add(row);
  }
  out << '\n';
  out << table;
}

std::vector<std::string> interval_row(std::string name, const Interval& stratified,
                                      const Interval* run_cluster, int digits) {
  return {std::move(name), fixed(stratified.estimate, digits), bounds(stratified, digits),
          run_cluster ? bounds(*run_cluster, digits) : "undefined"};
}

void write_aggregates(const MethodReport& method, std::ostream& out) {
  Table table({concat(method.name, ", auc"), "estimate", "stratified", "run-cluster"});
  const auto add = [&](const char* name, Interval stats::Aggregates::* member) {
    const auto& cluster = method.aggregates.run_cluster;
    table.add(interval_row(name, method.aggregates.stratified.*member,
                           cluster ? &((*cluster).*member) : nullptr, 4));
  };
  add("iqm", &stats::Aggregates::iqm);
  add("median", &stats::Aggregates::median);
  add("mean", &stats::Aggregates::mean);
  add("optimality_gap", &stats::Aggregates::optimality_gap);
  out << '\n';
  out << table;
}

void write_comparison(const StatsRequest& request, const StatsReport& report,
                      const ComparisonReport& comparison, std::ostream& out) {
  Table table({concat(comparison.name, " against ", report.baseline), "estimate", "stratified",
               "run-cluster"});
  const auto add = [&](const char* name, Interval stats::Comparison::* member, int digits) {
    const auto& cluster = comparison.comparison.run_cluster;
    table.add(interval_row(name, comparison.comparison.stratified.*member,
                           cluster ? &((*cluster).*member) : nullptr, digits));
  };
  add("gain %", &stats::Comparison::gain, 2);
  add("auc_difference", &stats::Comparison::difference, 4);
  add("optimality_gap_reduction %", &stats::Comparison::optimality_gap_reduction, 2);
  add("probability_of_improvement", &stats::Comparison::probability_of_improvement, 4);
  const PairedReport& paired = comparison.paired;
  if (paired.seeds > 0) {
    table.add(interval_row("gain %, paired by run", paired.comparison.gain, nullptr, 2));
    table.add(
        {"  pairs won", concat(paired.comparison.won, " of ", paired.comparison.pairs), "", ""});
  }
  const auto add_speed = [&](const std::string& name, Interval stats::SpeedUpIntervals::* member) {
    const auto& cluster = comparison.speed_up_interval.run_cluster;
    table.add(interval_row(name, comparison.speed_up_interval.stratified.*member,
                           cluster ? &((*cluster).*member) : nullptr, 3));
  };
  add_speed(concat("speed_up at ", fixed(comparison.speed_up.level, 4)),
            &stats::SpeedUpIntervals::at_final);
  add_speed("  as fraction of training", &stats::SpeedUpIntervals::fraction_of_training);
  add_speed("speed_up, up to", &stats::SpeedUpIntervals::up_to);
  for (std::size_t i = 0; i < request.levels.size(); ++i)
    table.add({concat("speed_up at ", shortest_number(request.levels[i])),
               fixed(comparison.speed_up_at[i], 3), "", ""});
  out << '\n';
  out << table;
  const Interval& speed_up = comparison.speed_up_interval.stratified.at_final;
  if (speed_up.undefined > 0 && !std::isnan(speed_up.estimate))
    out << "speed_up is undefined in " << speed_up.undefined << " of " << request.reps
        << " repetitions: a level is never reached; such ends are open (?)\n";
}

void write_shapley(const StatsReport& report, std::ostream& out) {
  const ShapleyReport& shapley = *report.shapley;
  Table table({"Shapley share of the gain, %", "estimate", "stratified", "run-cluster"});
  const auto add = [&](std::string name, Interval stats::ShapleyIntervals::* member) {
    const auto& cluster = shapley.shares.run_cluster;
    table.add(interval_row(std::move(name), shapley.shares.stratified.*member,
                           cluster ? &((*cluster).*member) : nullptr, 2));
  };
  add(concat("critic (", shapley.critic, ")"), &stats::ShapleyIntervals::critic);
  add(concat("actor (", shapley.actor, ")"), &stats::ShapleyIntervals::actor);
  add(concat("both (", shapley.both, ")"), &stats::ShapleyIntervals::both);
  out << '\n';
  out << table;
}

void write_profiles(const StatsRequest& request, const StatsReport& report, std::ostream& out) {
  std::vector<std::string> header{"profile: share of scores > tau"};
  for (const MethodReport& method : report.methods) {
    header.push_back(method.name);
    header.emplace_back("interval");
  }
  Table table(header);
  for (std::size_t i = 0; i < request.taus.size(); ++i) {
    std::vector<std::string> row{shortest_number(request.taus[i])};
    for (const MethodReport& method : report.methods) {
      row.push_back(fixed(method.score_profile[i].estimate, 3));
      row.push_back(bounds(method.score_profile[i], 3));
    }
    table.add(row);
  }
  out << '\n';
  out << table;
}

// JSON ----------

class Writer {
 public:
  Writer(Json& json, const StatsRequest& request, const StatsReport& report)
      : json_(json), request_(request), report_(report) {}

  void write() {
    json_.begin_object();
    json_.key("steps").values(report_.methods[0].curves.steps);
    write_bootstrap();
    json_.field("baseline", report_.baseline).key("methods").begin_array();
    for (const MethodReport& method : report_.methods) write_method(method);
    json_.end_array().key("comparisons").begin_array();
    for (const ComparisonReport& comparison : report_.comparisons) write_comparison(comparison);
    json_.end_array();
    if (report_.shapley) write_shapley(*report_.shapley);
    json_.key("notes").begin_array();
    for (const std::string& note : report_.notes) json_.value(note);
    json_.end_array().end_object();
  }

 private:
  void write_bootstrap() {
    json_.key("bootstrap").begin_object();
    json_.field("reps", request_.reps)
        .field("profile_reps", request_.profile_reps)
        .field("seed", request_.seed);
    json_.field("generator", request_.seed_compat.empty() ? "mneme" : request_.seed_compat.c_str());
    json_.field("confidence", request_.confidence)
        .field("correct_small_sample", request_.correct_small_sample);
    json_.field("task_bootstrap", request_.task_bootstrap)
        .field("gain_interval", request_.gain_interval)
        .end_object();
  }

  // Every interval says how far it can be trusted.
  void interval(std::string_view name, const Interval& content, double nominal, double actual) {
    json_.key(name).begin_object();
    json_.field("estimate", content.estimate).field("low", content.low).field("high", content.high);
    json_.field("nominal_coverage", nominal).field("true_coverage", actual);
    if (content.undefined > 0) json_.field("undefined_repetitions", content.undefined);
    json_.end_object();
  }

  // {"stratified": {...}, "run_cluster": {...} or null}: the named members of T.
  template <class T, std::size_t N>
  void both(const Both<T>& content, const Coverage& coverage,
            const std::array<std::pair<const char*, Interval T::*>, N>& members) {
    json_.key("stratified").begin_object();
    for (const auto& [name, member] : members)
      interval(name, content.stratified.*member, coverage.nominal, coverage.actual.stratified);
    json_.end_object().key("run_cluster");
    if (!content.run_cluster) {
      json_.null();
      return;
    }
    json_.begin_object();
    for (const auto& [name, member] : members)
      interval(name, (*content.run_cluster).*member, coverage.nominal,
               *coverage.actual.run_cluster);
    json_.end_object();
  }

  void write_method(const MethodReport& method) {
    json_.begin_object().field("name", method.name).key("tasks").begin_array();
    for (std::size_t m = 0; m < method.curves.tasks.size(); ++m) {
      const stats::Scale& scale = report_.scales[m];
      json_.begin_object()
          .field("task", method.curves.tasks[m])
          .key("normalisation")
          .begin_object();
      json_.field("suite", stats::name_of(scale.suite)).field("random", scale.random);
      json_.field("threshold", scale.threshold).end_object().key("runs").begin_array();
      for (std::size_t r = 0; r < method.curves.runs[m].size(); ++r) {
        json_.begin_object()
            .field("run", method.curves.runs[m][r])
            .field("auc", method.auc.task(m)[r]);
        json_.key("scores").values(method.curves.values[m][r]).end_object();
      }
      json_.end_array().end_object();
    }
    json_.end_array().key("aggregates").begin_object();
    using A = stats::Aggregates;
    both(method.aggregates, method.coverage,
         std::array<std::pair<const char*, Interval A::*>, 4>{
             {{"iqm", &A::iqm},
              {"median", &A::median},
              {"mean", &A::mean},
              {"optimality_gap", &A::optimality_gap}}});
    json_.end_object();
    profile("score_profile", method.score_profile);
    profile("average_score_profile", method.average_score_profile);
    json_.end_object();
  }

  void profile(std::string_view name, const std::vector<Interval>& intervals) {
    json_.key(name).begin_array();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      json_.begin_object().field("tau", request_.taus[i]).field("estimate", intervals[i].estimate);
      json_.field("low", intervals[i].low).field("high", intervals[i].high).end_object();
    }
    json_.end_array();
  }

  void write_comparison(const ComparisonReport& report) {
    using C = stats::Comparison;
    json_.begin_object().field("method", report.name).field("baseline", report_.baseline);
    both(report.comparison, report.coverage,
         std::array<std::pair<const char*, Interval C::*>, 4>{
             {{"gain", &C::gain},
              {"auc_difference", &C::difference},
              {"optimality_gap_reduction", &C::optimality_gap_reduction},
              {"probability_of_improvement", &C::probability_of_improvement}}});
    json_.key("paired");
    if (report.paired.seeds == 0) {
      json_.null();
    } else {
      const stats::PairedComparison& paired = report.paired.comparison;
      json_.begin_object().field("pairs", paired.pairs).field("won", paired.won);
      for (const auto& [name, one] :
           {std::pair("gain", paired.gain), std::pair("auc_difference", paired.difference)}) {
        json_.key(name).begin_object().field("estimate", one.estimate);
        json_.field("low", one.low).field("high", one.high).end_object();
      }
      json_.end_object();
    }
    using S = stats::SpeedUpIntervals;
    json_.key("speed_up").begin_object().field("level", report.speed_up.level);
    json_.field("up_to_level", report.speed_up.up_to_level);
    both(report.speed_up_interval, report.coverage,
         std::array<std::pair<const char*, Interval S::*>, 3>{
             {{"at_final", &S::at_final},
              {"fraction_of_training", &S::fraction_of_training},
              {"up_to", &S::up_to}}});
    json_.key("at_levels").begin_array();
    for (std::size_t i = 0; i < request_.levels.size(); ++i)
      json_.begin_object()
          .field("level", request_.levels[i])
          .field("speed_up", report.speed_up_at[i])
          .end_object();
    json_.end_array().end_object().end_object();
  }

  void write_shapley(const ShapleyReport& report) {
    using S = stats::ShapleyIntervals;
    json_.key("shapley").begin_object();
    both(report.shares, report.coverage,
         std::array<std::pair<const char*, Interval S::*>, 3>{
             {{"critic", &S::critic}, {"actor", &S::actor}, {"both", &S::both}}});
    json_.end_object();
  }

  Json& json_;
  const StatsRequest& request_;
  const StatsReport& report_;
};

}  // namespace

void write_stats_table(const StatsRequest& request, const StatsReport& report, std::ostream& out) {
  write_summary(request, report, out);
  for (const std::string& note : report.notes) out << "note        " << note << '\n';
  // The answer first, then what it was made of.
  for (const ComparisonReport& comparison : report.comparisons)
    write_comparison(request, report, comparison, out);
  if (report.shapley) write_shapley(report, out);
  write_tasks(report, out);
  for (const MethodReport& method : report.methods) write_aggregates(method, out);
  write_profiles(request, report, out);
  out << '\n';
  // Every method and comparison of one shape has the same line: once is enough.
  std::vector<const Coverage*> all;
  for (const MethodReport& method : report.methods) all.push_back(&method.coverage);
  for (const ComparisonReport& comparison : report.comparisons) all.push_back(&comparison.coverage);
  if (report.shapley) all.push_back(&report.shapley->coverage);
  std::set<std::string> written;
  for (const Coverage* coverage : all) {
    std::ostringstream line;
    write_coverage(*coverage, line);
    if (written.insert(line.str()).second) out << wrapped(line.str(), 2) << '\n';
  }
  if (!request.correct_small_sample)
    out << wrapped(
               "Runs of tasks trained together share their luck: trust run-cluster there. With few "
               "runs all intervals are too narrow; --correct-small-sample widens them by "
               "sqrt(R / (R - 1)).",
               0)
        << '\n';
}

void stats_json(Json& json, const StatsRequest& request, const StatsReport& report) {
  Writer(json, request, report).write();
}

void write_stats_json(const StatsRequest& request, const StatsReport& report, std::ostream& out) {
  Json json;
  stats_json(json, request, report);
  out << std::move(json).text() << '\n';
}

}  // namespace mneme::lab
