// bindings/stats.cpp - mneme.stats: aggregates, comparisons and intervals of score matrices (runs x
// tasks).
#include "mneme/stats.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "mneme/bootstrap.h"
#include "mneme/error.h"

namespace mneme::python {
namespace {

using namespace mneme::stats;
using Numbers = std::vector<double>;

// A 2-D array or a rectangular list of runs x tasks; a ragged list holds one list of runs per task.
ScoreMatrix from_lists(const std::vector<Numbers>& lists) {
  Numbers flat;
  for (const Numbers& list : lists) {
    if (list.size() != lists.front().size()) return ScoreMatrix(lists);
    flat.insert(flat.end(), list.begin(), list.end());
  }
  return {lists.size(), lists.empty() ? 0 : lists.front().size(), flat};
}

ScoreMatrix matrix(nb::handle scores) {
  if (nb::isinstance<ScoreMatrix>(scores)) return nb::cast<const ScoreMatrix&>(scores);
  if (nb::isinstance<nb::list>(scores) || nb::isinstance<nb::tuple>(scores))
    return from_lists(nb::cast<std::vector<Numbers>>(scores));
  nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> array;
  if (!nb::try_cast(scores, array))
    throw InvalidArgument(
        "scores must be a 2-D float64 array or nested list of runs x tasks, or lists of runs of "
        "different lengths, one for each task");
  return {array.shape(0), array.shape(1), {array.data(), array.size()}};
}

BootstrapOptions options(std::size_t repetitions, double confidence, std::uint64_t seed,
                         const std::string& resampling, const std::string& seed_compat,
                         bool task_bootstrap, bool correct_small_sample) {
  if (resampling != "stratified" && resampling != "run_cluster")
    throw InvalidArgument("resampling is '" + resampling + "'; allowed: stratified, run_cluster");
  if (!seed_compat.empty() && seed_compat != "rliable")
    throw InvalidArgument("seed_compat is '" + seed_compat + "'; allowed: '' and rliable");
  return {
      .repetitions = repetitions,
      .confidence = confidence,
      .seed = seed,
      .resampling = resampling == "stratified" ? Resampling::stratified : Resampling::run_cluster,
      .generator = seed_compat.empty() ? Generator::mneme : Generator::rliable,
      .task_bootstrap = task_bootstrap,
      .correct_small_sample = correct_small_sample};
}

// Adds the options of every bootstrap after the function's own arguments.
template <class Function, class... Extra>
void def_bootstrap(nb::module_& m, const char* name, Function&& function, const Extra&... extra) {
  m.def(name, std::forward<Function>(function), extra..., nb::kw_only(),
        nb::arg("repetitions") = 50'000, nb::arg("confidence") = 0.95, nb::arg("seed") = 0,
        nb::arg("resampling") = "stratified", nb::arg("seed_compat") = "",
        nb::arg("task_bootstrap") = false, nb::arg("correct_small_sample") = false);
}

void bind_results(nb::module_& m) {
  nb::class_<Interval>(m, "Interval", "An estimate and its percentile interval.")
      .def_ro("estimate", &Interval::estimate)
      .def_ro("low", &Interval::low)
      .def_ro("high", &Interval::high)
      .def_ro("undefined", &Interval::undefined, "Repetitions in which it was undefined.")
      .def("__repr__", [](nb::handle self) {
        return nb::str("Interval({:.6g}, {:.6g} to {:.6g})")
            .attr("format")(self.attr("estimate"), self.attr("low"), self.attr("high"));
      });
  nb::class_<Aggregates>(m, "Aggregates", "All four from the same resamples.")
      .def_ro("mean", &Aggregates::mean)
      .def_ro("median", &Aggregates::median)
      .def_ro("iqm", &Aggregates::iqm)
      .def_ro("optimality_gap", &Aggregates::optimality_gap);
  nb::class_<Comparison>(m, "Comparison", "A method against a baseline.")
      .def_ro("gain", &Comparison::gain)
      .def_ro("difference", &Comparison::difference)
      .def_ro("optimality_gap_reduction", &Comparison::optimality_gap_reduction)
      .def_ro("probability_of_improvement", &Comparison::probability_of_improvement);
  nb::class_<Shapley>(m, "Shapley", "Two-player Shapley values, in % of gain.")
      .def_ro("critic", &Shapley::critic)
      .def_ro("actor", &Shapley::actor)
      .def_ro("both", &Shapley::both);
  nb::class_<SpeedUp>(m, "SpeedUp", "How much sooner a curve reaches what the baseline reaches.")
      .def_ro("level", &SpeedUp::level)
      .def_ro("at_final", &SpeedUp::at_final)
      .def_ro("fraction_of_training", &SpeedUp::fraction_of_training)
      .def_ro("up_to", &SpeedUp::up_to)
      .def_ro("up_to_level", &SpeedUp::up_to_level);
  nb::class_<ScoreMatrix>(m, "ScoreMatrix", "Scores of one method: runs (seeds) by tasks.")
      .def_prop_ro("tasks", &ScoreMatrix::tasks)
      .def_prop_ro("fewest_runs", &ScoreMatrix::fewest_runs)
      .def_prop_ro("most_runs", &ScoreMatrix::most_runs)
      .def("__len__", &ScoreMatrix::size);
}

void bind_estimates(nb::module_& m) {
  m.def(
      "scores", [](nb::handle scores) { return matrix(scores); }, nb::arg("scores"),
      "A score matrix from a 2-D array or nested list (runs x tasks). Lists of different lengths "
      "are one list of runs per task.");
  m.def(
      "mean", [](nb::handle s) { return mean(matrix(s)); }, nb::arg("scores"),
      "Mean over tasks of the mean over runs.");
  m.def(
      "median", [](nb::handle s) { return median(matrix(s)); }, nb::arg("scores"),
      "Median over tasks of the mean over runs.");
  m.def(
      "iqm", [](nb::handle s) { return iqm(matrix(s)); }, nb::arg("scores"),
      "Interquartile mean of all scores.");
  m.def(
      "optimality_gap", [](nb::handle s, double gamma) { return optimality_gap(matrix(s), gamma); },
      nb::arg("scores"), nb::arg("gamma") = 1.0,
      "gamma - mean of min(score, gamma): how far from gamma, with no credit beyond it.");
  m.def(
      "score_profile",
      [](nb::handle s, const Numbers& taus) { return score_profile(matrix(s), taus); },
      nb::arg("scores"), nb::arg("taus"), "For each tau the fraction of scores above it.");
  m.def(
      "average_score_profile",
      [](nb::handle s, const Numbers& taus) { return average_score_profile(matrix(s), taus); },
      nb::arg("scores"), nb::arg("taus"), "For each tau the fraction of task means above it.");
  m.def(
      "probability_of_improvement",
      [](nb::handle x, nb::handle y) { return probability_of_improvement(matrix(x), matrix(y)); },
      nb::arg("x"), nb::arg("y"), "How likely a run of x scores higher than a run of y.");
  m.def(
      "gain", [](nb::handle x, nb::handle b) { return gain(matrix(x), matrix(b)); }, nb::arg("x"),
      nb::arg("baseline"), "100 (mean(x) / mean(baseline) - 1).");
  m.def(
      "optimality_gap_reduction",
      [](nb::handle x, nb::handle b) { return optimality_gap_reduction(matrix(x), matrix(b)); },
      nb::arg("x"), nb::arg("baseline"),
      "The share of the remaining distance that x covers, in %.");
  m.def(
      "shapley",
      [](nb::handle baseline, nb::handle critic, nb::handle actor, nb::handle both) {
        return shapley(matrix(baseline), matrix(critic), matrix(actor), matrix(both));
      },
      nb::arg("baseline"), nb::arg("critic"), nb::arg("actor"), nb::arg("both"),
      "The gain of `both` over the baseline, split between two components.");
  m.def(
      "time_to_reach",
      [](const Numbers& steps, const Numbers& curve, double level) {
        return time_to_reach(steps, curve, level);
      },
      nb::arg("steps"), nb::arg("curve"), nb::arg("level"),
      "The first step at which the running maximum of a curve reaches a level; NaN if never.");
  m.def(
      "speed_up",
      [](const Numbers& steps, const Numbers& baseline, const Numbers& curve) {
        return speed_up(steps, baseline, curve);
      },
      nb::arg("steps"), nb::arg("baseline"), nb::arg("curve"),
      "How much sooner a curve reaches what the baseline reaches.");
  m.def(
      "true_coverage",
      [](std::size_t runs, std::size_t tasks, double confidence) {
        return true_coverage(runs, tasks, {.confidence = confidence});
      },
      nb::arg("runs"), nb::arg("tasks"), nb::arg("confidence") = 0.95,
      "How often a nominal interval really holds the truth, with this many runs and tasks.");
}

void bind_bootstraps(nb::module_& m) {
  def_bootstrap(
      m, "bootstrap_aggregates",
      [](nb::handle scores, std::size_t n, double c, std::uint64_t seed, const std::string& r,
         const std::string& g, bool t, bool k) {
        const ScoreMatrix s = matrix(scores);
        const BootstrapOptions o = options(n, c, seed, r, g, t, k);
        nb::gil_scoped_release unlocked;
        return bootstrap_aggregates(s, o);
      },
      nb::arg("scores"), "Mean, median, IQM and optimality gap with intervals.");
  def_bootstrap(
      m, "bootstrap_comparison",
      [](nb::handle x, nb::handle baseline, std::size_t n, double c, std::uint64_t seed,
         const std::string& r, const std::string& g, bool t, bool k) {
        const ScoreMatrix mx = matrix(x), mb = matrix(baseline);
        const BootstrapOptions o = options(n, c, seed, r, g, t, k);
        nb::gil_scoped_release unlocked;
        return bootstrap_comparison(mx, mb, o);
      },
      nb::arg("x"), nb::arg("baseline"), "x against a baseline, with intervals.");
  def_bootstrap(
      m, "bootstrap_score_profile",
      [](nb::handle scores, const Numbers& taus, std::size_t n, double c, std::uint64_t seed,
         const std::string& r, const std::string& g, bool t, bool k) {
        const ScoreMatrix s = matrix(scores);
        const BootstrapOptions o = options(n, c, seed, r, g, t, k);
        nb::gil_scoped_release unlocked;
        return bootstrap_score_profile(s, taus, o);
      },
      nb::arg("scores"), nb::arg("taus"), "A score profile with pointwise intervals.");
}

}  // namespace

void bind_stats(nb::module_& module) {
  nb::module_ m = module.def_submodule("stats", "What a set of scores says; `mneme stats`.");
  bind_results(m);
  bind_estimates(m);
  bind_bootstraps(m);
}

}  // namespace mneme::python
