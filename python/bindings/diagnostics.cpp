// bindings/diagnostics.cpp - inspect, match, frontier, advise: names and fields as in the tool's
// JSON.
#include "mneme/diagnostics.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "mneme/advise.h"
#include "mneme/frontier.h"

namespace mneme::python {
namespace {

// A struct of numbers: every field readable under its C++ name.
template <class T>
struct Fields : nb::class_<T> {
  using nb::class_<T>::class_;
  template <class M>
  Fields& field(const char* name, M T::* member, const char* doc = "") {
    this->def_ro(name, member, doc);
    names.append(nb::str(name));
    return *this;
  }
  void done() { this->attr("__match_args__") = nb::tuple(names); }
  nb::list names;
};

void bind_structs(nb::module_& m) {
  Fields<NewestMass>(m, "NewestMass", "The newest share of the buffer and its share of the draws.")
      .field("share", &NewestMass::share)
      .field("mass", &NewestMass::mass)
      .done();
  Fields<IndexReplays>(m, "IndexReplays", "Expected draws of one transition per vector step.")
      .field("recency", &IndexReplays::recency)
      .field("index", &IndexReplays::index)
      .field("replays_per_step", &IndexReplays::replays_per_step)
      .done();
  Fields<Diagnosis>(m, "Diagnosis", "What a sampler does to the data, exactly.")
      .field("expected_recency", &Diagnosis::expected_recency, "0 oldest, 1/2 uniform, 1 newest.")
      .field("reference_recency", &Diagnosis::reference_recency,
             "The same against the reference capacity.")
      .field("sampling_entropy", &Diagnosis::sampling_entropy, "Nats, over the sampler's cycle.")
      .field("conditional_entropy", &Diagnosis::conditional_entropy, "Nats, within one batch.")
      .field("perplexity", &Diagnosis::perplexity, "Like drawing uniformly from this many.")
      .field("collision_entropy", &Diagnosis::collision_entropy, "-ln(sum of squares).")
      .field("newest_probability", &Diagnosis::newest_probability)
      .field("oldest_probability", &Diagnosis::oldest_probability)
      .field("newest_mass", &Diagnosis::newest_mass, "For the newest 1, 10, 25 and 50 %.")
      .field("expected_replays", &Diagnosis::expected_replays,
             "At recency 0, 1/4, 1/2, 3/4, 0.9 and 1.")
      .field("replay_volume", &Diagnosis::replay_volume, "Draws per stored transition.")
      .field("updates_per_transition", &Diagnosis::updates_per_transition)
      .field("first_replay_median", &Diagnosis::first_replay_median, "Steps until first drawn.")
      .field("first_replay_mean", &Diagnosis::first_replay_mean)
      .field("never_replayed_probability", &Diagnosis::never_replayed_probability)
      .field("exact", &Diagnosis::exact, "False: too many ages to sum one by one.")
      .done();
  Fields<Match>(m, "Match", "One family of samplers at a given expected recency.")
      .field("family", &Match::family)
      .field("parameter", &Match::parameter)
      .field("reachable", &Match::reachable, "False: `reason` says why.")
      .field("reason", &Match::reason)
      .field("value", &Match::value)
      .field("spec", &Match::spec, "A spec string to use.")
      .field("expected_recency", &Match::expected_recency)
      .field("sampling_entropy", &Match::sampling_entropy)
      .field("conditional_entropy", &Match::conditional_entropy)
      .field("collision_entropy", &Match::collision_entropy)
      .done();
  Fields<FrontierRow>(m, "FrontierRow", "The three recency samplers at one expected recency.")
      .field("expected_recency", &FrontierRow::expected_recency)
      .field("alpha", &FrontierRow::alpha)
      .field("truncated_geometric_entropy", &FrontierRow::truncated_geometric_entropy)
      .field("window", &FrontierRow::window)
      .field("uniform_fifo_entropy", &FrontierRow::uniform_fifo_entropy)
      .field("eta", &FrontierRow::eta, "NaN where ERE cannot reach the recency.")
      .field("ere_sampling_entropy", &FrontierRow::ere_sampling_entropy)
      .field("ere_conditional_entropy", &FrontierRow::ere_conditional_entropy)
      .field("ere_smallest_window", &FrontierRow::ere_smallest_window)
      .done();
  Fields<Reason>(m, "Reason", "A reason and its evidence: paper, derived or measured here.")
      .field("text", &Reason::text)
      .field("evidence", &Reason::evidence)
      .done();
  Fields<RunPoint>(m, "RunPoint", "The state of replay at one point of a run.")
      .field("progress", &RunPoint::progress)
      .field("size", &RunPoint::size)
      .field("effective_alpha", &RunPoint::effective_alpha)
      .field("expected_recency", &RunPoint::expected_recency)
      .field("first_use_updates", &RunPoint::first_use_updates)
      .done();
  Fields<Advice>(m, "Advice", "Which sampler for a training run, and why.")
      .field("updates_per_transition", &Advice::updates_per_transition)
      .field("replay_volume", &Advice::replay_volume)
      .field("fill", &Advice::fill, "Steps / capacity: below 1 the buffer never gets full.")
      .field("total_updates", &Advice::total_updates)
      .field("regime", &Advice::regime)
      .field("per_transition", &Advice::per_transition)
      .field("nearest_setting", &Advice::nearest_setting)
      .field("uniform_first_use_updates", &Advice::uniform_first_use_updates)
      .field("uniform_first_use_steps", &Advice::uniform_first_use_steps)
      .field("sampler", &Advice::sampler, "Recommended, as a spec string.")
      .field("first_use_updates", &Advice::first_use_updates)
      .field("over_training", &Advice::over_training)
      .field("reasons", &Advice::reasons)
      .field("cautions", &Advice::cautions)
      .done();
}

}  // namespace

void bind_diagnostics(nb::module_& module) {
  bind_structs(module);
  module.def(
      "inspect",
      [](nb::handle sampler, Index capacity, nb::object size, Index streams,
         double updates_per_step, double batch, Index reference, double progress) {
        const auto made = make_sampler(spec_of(sampler));
        const Index stored = size.is_none() ? capacity : nb::cast<Index>(size);
        nb::gil_scoped_release unlocked;
        return inspect(*made, {.size = stored, .capacity = capacity, .progress = progress},
                       {.updates_per_step = updates_per_step,
                        .batch = batch,
                        .streams = streams,
                        .reference_capacity = reference});
      },
      nb::arg("sampler"), nb::arg("capacity"), nb::arg("size") = nb::none(), nb::kw_only(),
      nb::arg("streams") = 1, nb::arg("updates_per_step") = 1.0, nb::arg("batch") = 256.0,
      nb::arg("reference") = 0, nb::arg("progress") = 0.0,
      "Recency, entropy, exposure and delays of one sampler, exactly; `mneme inspect`.");
  module.def(
      "match",
      [](double expected_recency, Index capacity, Index cycle, double span, double minimum) {
        nb::gil_scoped_release unlocked;
        return match(expected_recency, capacity, {cycle, span, minimum});
      },
      nb::arg("expected_recency"), nb::arg("capacity"), nb::kw_only(), nb::arg("cycle") = 1000,
      nb::arg("span") = 1000.0, nb::arg("minimum") = 0.005,
      "The parameter of every family that gives a wanted expected recency; `mneme match`.");
  module.def(
      "frontier",
      [](Index capacity, const std::vector<double>& expected_recencies, Index cycle, double span,
         double minimum) {
        nb::gil_scoped_release unlocked;
        return frontier(expected_recencies, capacity, {cycle, span, minimum});
      },
      nb::arg("capacity") = 1'000'000,
      nb::arg("expected_recencies") = std::vector<double>{.55, .6, .65, .7, .75, .8, .85, .9, .95},
      nb::kw_only(), nb::arg("cycle") = 1000, nb::arg("span") = 1000.0, nb::arg("minimum") = 0.005,
      "Largest entropy at given expected recencies in (1/2, 1); `mneme frontier`.");
  module.def(
      "advise",
      [](Index envs, double updates_per_step, double batch, Index capacity, Index steps) {
        nb::gil_scoped_release unlocked;
        return advise({envs, updates_per_step, batch, capacity, steps});
      },
      nb::kw_only(), nb::arg("envs") = 1, nb::arg("updates_per_step") = 1.0,
      nb::arg("batch") = 256.0, nb::arg("capacity") = 1'000'000, nb::arg("steps") = 1'000'000,
      "Which sampler for a training run, with reasons and their evidence; `mneme advise`.");
}

}  // namespace mneme::python
