// report/statistics.cpp - from files to numbers: read, normalize, average over training, bootstrap,
// compare.
//
// Every bootstrap starts at the seed, so a number does not depend on which others were asked for.
#include "report/statistics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

using stats::BootstrapOptions;
using stats::Resampling;

// Prints the stage on standard error once it takes more than two seconds, and then every two.
class Progress {
 public:
  explicit Progress(std::ostream& out) : out_(out) {}
  void begin(std::string stage) { stage_ = std::move(stage); }
  void operator()(double fraction) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(2)) return;
    last_ = now;
    out_ << concat("mneme stats: ", stage_, ", ", std::floor(100 * fraction), "%\n") << std::flush;
  }

 private:
  std::ostream& out_;
  std::string stage_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// "NAME=FILE", or "FILE" with the name taken from the file.
struct Source {
  std::string name, path;
  bool named = false;
};
Source source_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && text.find('/') > equals) {
    if (equals == 0 || equals + 1 == text.size())
      throw InvalidArgument(concat("--scores '", text, "' lacks a ", equals == 0 ? "name" : "file",
                                   "; write NAME=FILE, such as tg=tg.csv"));
    return {text.substr(0, equals), text.substr(equals + 1), true};
  }
  const std::size_t slash = text.rfind('/');
  const std::string file = slash == std::string::npos ? text : text.substr(slash + 1);
  const std::size_t dot = file.rfind('.');
  return {dot == std::string::npos || dot == 0 ? file : file.substr(0, dot), text, false};
}

std::vector<stats::MethodCurves> read_all(const StatsRequest& request) {
  if (request.scores.empty())
    throw InvalidArgument("no scores given; pass a CSV file, such as `mneme stats scores.csv`");
  std::vector<stats::ScoreTable> tables;
  for (const std::string& text : request.scores) {
    const Source source = source_of(text);
    tables.push_back(stats::read_scores(source.path, source.name));
    if (!source.named) continue;
    for (const stats::ScoreRow& row : tables.back().rows) {
      if (row.method != source.name)
        throw InvalidArgument(concat(source.path, ", line ", row.line, ": the method column says '",
                                     row.method, "', the command line '", source.name,
                                     "'; pass the file without a name, or remove the column"));
    }
  }
  return stats::arrange(tables, request.unequal_runs);
}

std::vector<std::string> names_of(const std::vector<stats::MethodCurves>& methods) {
  std::vector<std::string> names;
  for (const auto& method : methods) names.push_back(method.name);
  return names;
}

std::size_t find_method(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw NotFound(unknown_name("method", name, names));
  return static_cast<std::size_t>(found - names.begin());
}

std::size_t find_baseline(const std::vector<std::string>& names, const std::string& asked) {
  if (!asked.empty()) return find_method(names, asked);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string lower = names[i];
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower == "uniform") return i;
  }
  return 0;
}

std::vector<stats::Scale> scales_of(const StatsRequest& request, const stats::Curves& baseline) {
  const stats::Suite suite = stats::suite_of(request.normalise);
  if (suite == stats::Suite::isaaclab) return stats::final_return_scales(baseline);
  std::vector<stats::Scale> scales;
  for (const std::string& task : baseline.tasks)
    scales.push_back(stats::scale_of(task, suite, request.crawl_threshold));
  return scales;
}

BootstrapOptions options_of(const StatsRequest& request, Progress& progress) {
  BootstrapOptions options;
  options.repetitions = request.reps;
  options.confidence = request.confidence;
  options.seed = request.seed;
  options.correct_small_sample = request.correct_small_sample;
  if (request.seed_compat == "rliable")
    options.generator = stats::Generator::rliable;
  else if (!request.seed_compat.empty())
    throw NotFound(unknown_name("generator for --seed-compat", request.seed_compat, {"rliable"}));
  options.progress = [&progress](double fraction) { progress(fraction); };
  return options;
}

// The same computation under both ways to draw runs.
template <class F>
auto both_ways(BootstrapOptions options, bool cluster_possible, F compute) {
  Both<decltype(compute(options))> result{compute(options), std::nullopt};
  options.resampling = Resampling::run_cluster;
  if (cluster_possible) result.run_cluster = compute(options);
  return result;
}

Coverage coverage_of(std::size_t runs, std::size_t tasks, bool cluster_possible,
                     const BootstrapOptions& options) {
  return {.nominal = options.confidence,
          .actual = both_ways(
              options, cluster_possible,
              [&](const BootstrapOptions& o) { return stats::true_coverage(runs, tasks, o); }),
          .runs = runs,
          .tasks = tasks};
}

MethodReport report_method(const StatsRequest& request, std::string name, stats::Curves curves,
                           BootstrapOptions options) {
  stats::ScoreMatrix auc = stats::auc(curves);
  const bool rectangular = auc.rectangular();
  options.task_bootstrap = request.task_bootstrap;
  MethodReport report{.name = std::move(name),
                      .curves = std::move(curves),
                      .auc = auc,
                      .coverage = coverage_of(auc.fewest_runs(), auc.tasks(), rectangular, options),
                      .aggregates = both_ways(options, rectangular,
                                              [&](const BootstrapOptions& o) {
                                                return stats::bootstrap_aggregates(auc, o);
                                              }),
                      .score_profile = {},
                      .average_score_profile = {}};
  options.repetitions = request.profile_reps;
  report.score_profile = stats::bootstrap_score_profile(auc, request.taus, options);
  report.average_score_profile = stats::bootstrap_average_score_profile(auc, request.taus, options);
  return report;
}

ComparisonReport compare(const StatsRequest& request, const MethodReport& baseline,
                         const MethodReport& method, const BootstrapOptions& options) {
  const bool rectangular = baseline.auc.rectangular() && method.auc.rectangular();
  ComparisonReport report;
  report.name = method.name;
  report.coverage = coverage_of(std::min(baseline.auc.fewest_runs(), method.auc.fewest_runs()),
                                method.auc.tasks(), rectangular, options);
  report.comparison = both_ways(options, rectangular, [&](const BootstrapOptions& o) {
    stats::Comparison all = stats::bootstrap_comparison(method.auc, baseline.auc, o);
    if (request.gain_interval == "scaled")
      all.gain = stats::bootstrap_gain(method.auc, baseline.auc, o, stats::GainInterval::scaled);
    return all;
  });

  // How much sooner: the estimate on the mean curves, the interval with whole curves drawn.
  const std::vector<double> b = stats::mean_curve(baseline.curves),
                            x = stats::mean_curve(method.curves);
  report.speed_up = stats::speed_up(method.curves.steps, b, x);
  report.speed_up_interval = both_ways(options, rectangular, [&](const BootstrapOptions& o) {
    return stats::bootstrap_speed_up(baseline.curves, method.curves, o);
  });
  for (const double level : request.levels)
    report.speed_up_at.push_back(stats::time_to_reach(method.curves.steps, b, level) /
                                 stats::time_to_reach(method.curves.steps, x, level));
  report.paired = pair_runs(baseline, method, options);
  return report;
}

// The baseline and the three arms of "critic=NAME,actor=NAME,both=NAME" (in any order), by number.
struct Arms {
  std::array<std::size_t, 4> at;  // baseline, critic, actor, both
};
Arms arms_of(const std::string& text, const std::vector<std::string>& names, std::size_t baseline) {
  constexpr std::array<std::string_view, 3> kKeys{"critic", "actor", "both"};
  std::array<std::string, 3> chosen;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::string_view key = part.substr(0, part.find('='));
    const auto known = std::find(kKeys.begin(), kKeys.end(), key);
    if (known == kKeys.end() || key.size() == part.size())
      throw InvalidArgument(concat("--shapley: '", part, "' is not understood; write",
                                   " critic=NAME,actor=NAME,both=NAME"));
    chosen[static_cast<std::size_t>(known - kKeys.begin())] = part.substr(key.size() + 1);
  }
  Arms arms{{baseline}};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (chosen[i].empty())
      throw InvalidArgument(concat("--shapley: no method for '", kKeys[i], "' in '", text,
                                   "'; write critic=NAME,actor=NAME,both=NAME"));
    arms.at[i + 1] = find_method(names, chosen[i]);
  }
  return arms;
}

ShapleyReport report_shapley(const Arms& arms, const std::vector<MethodReport>& methods,
                             const BootstrapOptions& options) {
  std::vector<const stats::ScoreMatrix*> auc;
  std::size_t runs = methods[arms.at[0]].auc.fewest_runs();
  bool rectangular = true;
  for (const std::size_t at : arms.at) {
    auc.push_back(&methods[at].auc);
    runs = std::min(runs, auc.back()->fewest_runs());
    rectangular = rectangular && auc.back()->rectangular();
  }
  ShapleyReport report;
  report.critic = methods[arms.at[1]].name;
  report.actor = methods[arms.at[2]].name;
  report.both = methods[arms.at[3]].name;
  report.coverage = coverage_of(runs, auc[0]->tasks(), rectangular, options);
  report.shares = both_ways(options, rectangular, [&](const BootstrapOptions& o) {
    return stats::bootstrap_shapley(*auc[0], *auc[1], *auc[2], *auc[3], o);
  });
  return report;
}

std::vector<std::string> notes_of(const StatsRequest& request, const StatsReport& report) {
  std::vector<std::string> notes;
  double highest = 0;
  bool scaled = false, one_run = false, unequal = false;
  for (const stats::Scale& scale : report.scales)
    scaled = scaled || scale.threshold - scale.random != 1;
  for (const MethodReport& method : report.methods) {
    for (const double score : method.auc.values()) highest = std::max(highest, std::abs(score));
    one_run = one_run || method.auc.fewest_runs() == 1;
    unequal = unequal || !method.auc.rectangular();
  }
  if (one_run)
    notes.push_back(
        "one run only: an interval is undefined there; train at least two seeds, better five");
  if (unequal)
    notes.push_back(
        "tasks have different numbers of runs: no run-cluster interval; every task weighs the "
        "same");
  if (scaled && highest < 0.01)
    notes.push_back(concat("the highest AUC is ", shortest_number(highest),
                           ": if the file holds normalized scores already, pass --normalise none"));
  if (!scaled && highest > 10)
    notes.push_back(
        "scores far above 1 were left as they are: the optimality gap means little; see "
        "--normalise");
  if (request.task_bootstrap)
    notes.push_back("tasks are drawn too for aggregates and profiles; comparisons keep the tasks");
  if (request.gain_interval == "scaled")
    notes.push_back(
        "gain intervals are the method's own, scaled: they ignore the spread of the baseline");
  return notes;
}

}  // namespace

PairedReport pair_runs(const MethodReport& baseline, const MethodReport& method,
                       const BootstrapOptions& options) {
  PairedReport report{.method = method.name, .seeds = 0, .comparison = {}};
  std::vector<std::vector<double>> x, b;
  for (std::size_t m = 0; m < method.curves.tasks.size(); ++m) {
    x.emplace_back();
    b.emplace_back();
    const auto& others = baseline.curves.runs[m];
    for (std::size_t r = 0; r < method.curves.runs[m].size(); ++r) {
      const auto at = std::find(others.begin(), others.end(), method.curves.runs[m][r]);
      if (at == others.end()) continue;
      x.back().push_back(method.auc.task(m)[r]);
      b.back().push_back(baseline.auc.task(m)[static_cast<std::size_t>(at - others.begin())]);
    }
    report.seeds = m == 0 ? x.back().size() : std::min(report.seeds, x.back().size());
  }
  if (report.seeds == 0) return report;
  const stats::ScoreMatrix paired_x(x), paired_b(b);
  BootstrapOptions fitting = options;
  if (!paired_x.rectangular()) fitting.resampling = Resampling::stratified;
  report.comparison = stats::bootstrap_paired_comparison(paired_x, paired_b, fitting);
  return report;
}

StatsReport make_stats_report(const StatsRequest& request, std::ostream& progress) {
  return make_stats_report(request, read_all(request), progress);
}

StatsReport make_stats_report(const StatsRequest& request, std::vector<stats::MethodCurves> methods,
                              std::ostream& progress_out) {
  if (request.gain_interval != "both" && request.gain_interval != "scaled")
    throw NotFound(unknown_name("--gain-interval", request.gain_interval, {"both", "scaled"}));
  Progress progress(progress_out);
  const BootstrapOptions options = options_of(request, progress);
  const std::vector<std::string> names = names_of(methods);
  const std::size_t baseline = find_baseline(names, request.baseline);

  std::optional<Arms> arms;
  if (!request.shapley.empty()) arms = arms_of(request.shapley, names, baseline);

  StatsReport report;
  report.baseline = names[baseline];
  report.scales = scales_of(request, methods[baseline].curves);
  for (stats::MethodCurves& method : methods) {
    progress.begin(concat("intervals of ", method.name));
    stats::normalise(method.curves, report.scales);
    report.methods.push_back(report_method(
        request, method.name,
        request.include_step_0 ? method.curves : stats::without_step_zero(method.curves), options));
  }
  for (std::size_t i = 0; i < report.methods.size(); ++i) {
    if (i == baseline) continue;
    progress.begin(concat(names[i], " against ", names[baseline]));
    report.comparisons.push_back(
        compare(request, report.methods[baseline], report.methods[i], options));
  }
  if (arms) {
    progress.begin("Shapley values");
    report.shapley = report_shapley(*arms, report.methods, options);
  }
  report.notes = notes_of(request, report);
  return report;
}

}  // namespace mneme::lab
