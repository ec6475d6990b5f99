// explorer/explorer.cpp - the C interface of the explorer: arguments checked, the library called, JSON written.
#include "explorer/explorer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/elementary.h"
#include "base/json.h"
#include "base/sampler_spec.h"
#include "base/text.h"
#include "mneme/advise.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"
#include "mneme/frontier.h"
#include "mneme/sampler.h"

namespace mneme {
namespace {

// Runs `write` on an empty JSON text; whatever it throws becomes the answer.
template <class Write>
const char* answer(const Write& write) {
  static std::string text;
  try {
    Json json;
    write(json);
    text = std::move(json).text();
  } catch (const std::exception& error) {
    Json json;
    json.begin_object().field("error", error.what()).end_object();
    text = std::move(json).text();
  }
  return text.c_str();
}

Index whole(const char* name, double value) {
  if (!(value >= 0 && value <= 0x1p53) || value != std::floor(value))
    throw InvalidArgument(
        concat(name, " must be a whole number from 0 to 2^53, got ", shortest_number(value)));
  return static_cast<Index>(value);
}

int points_of(double points) {
  if (!(points >= 2 && points <= 10'000))
    throw InvalidArgument(concat("points must be from 2 to 10000, got ", points));
  return static_cast<int>(points);
}

BufferView full_buffer(double capacity) {
  const Index places = whole("capacity", capacity);
  return {.size = places, .capacity = places};
}

EreSetting ere_setting(double cycle, double span, double minimum) {
  return {.cycle = whole("cycle", cycle), .span = span, .minimum = minimum};
}

// `count` whole numbers from `first` to `last`, spaced by ratio; fewer where they coincide.
std::vector<Index> by_ratio(Index first, Index last, int count) {
  std::vector<Index> numbers;
  const double ratio = std::log(static_cast<double>(last) / static_cast<double>(first));
  for (int k = 0; k < count; ++k) {
    const double at = static_cast<double>(first) * std::exp(ratio * k / (count - 1));
    const Index number = std::clamp(static_cast<Index>(std::llround(at)), first, last);
    if (numbers.empty() || number > numbers.back()) numbers.push_back(number);
  }
  return numbers;
}

double probability_of(const Sampler& sampler, const BufferView& view, Index index) {
  double p = 0;
  sampler.probabilities(view, index, {&p, 1});
  return p;
}

void write_params(Json& json, std::span<const ParamSpec> params) {
  json.begin_array();
  for (const ParamSpec& param : params) {
    constexpr std::array kKinds{"number", "whole", "choice", "sampler"};
    json.begin_object()
        .field("name", param.name)
        .field("kind", kKinds[static_cast<std::size_t>(param.kind)]);
    if (param.kind == ParamSpec::Kind::choice) {
      const std::vector<std::string> words = choices_of(param);
      json.field("default", words.at(static_cast<std::size_t>(param.fallback)));
      json.key("choices").begin_array();
      for (const std::string& word : words) json.value(word);
      json.end_array();
    } else if (param.kind == ParamSpec::Kind::sampler) {
      json.field("default", param.choices);
    } else {
      json.field("default", param.fallback)
          .field("lowest", param.lowest)
          .field("highest", param.highest);
    }
    json.field("help", param.help).end_object();
  }
  json.end_array();
}

// Prioritized samplers need a buffer with feedback: without one they cannot be made or inspected.
bool works_alone(const SamplerInfo& info) {
  try {
    make_sampler(info.name);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void write_reasons(Json& json, const char* key, const std::vector<Reason>& reasons) {
  json.key(key).begin_array();
  for (const Reason& reason : reasons)
    json.begin_object().field("text", reason.text).field("evidence", reason.evidence).end_object();
  json.end_array();
}

// Expected recencies of the frontier's curves, closer together where they fall steeply.
std::vector<double> frontier_recencies() {
  std::vector<double> recencies;
  for (int k = 1; k <= 44; ++k) recencies.push_back(0.5 + 0.01 * k);
  for (int k = 1; k <= 11; ++k) recencies.push_back(0.94 + 0.005 * k);
  return recencies;
}

}  // namespace
}  // namespace mneme

using namespace mneme;  // NOLINT: a source file whose functions must stand outside

const char* mneme_samplers() {
  return answer([](Json& json) {
    json.begin_object().key("samplers").begin_array();
    for (const SamplerInfo* info : age_samplers()) {
      if (!works_alone(*info)) continue;
      json.begin_object().field("name", info->name).field("summary", info->summary);
      write_params(json.key("parameters"), info->params);
      json.key("examples").begin_array();
      for (const std::string_view example : info->examples) json.value(example);
      json.end_array().end_object();
    }
    write_params(json.end_array().key("common_parameters"), common_params());
    json.end_object();
  });
}

const char* mneme_inspect(const char* spec, double size, double capacity, double streams,
                          double updates_per_step, double batch, double reference,
                          double progress) {
  return answer([&](Json& json) {
    const auto sampler = make_sampler(spec);
    const BufferView view{
        .size = whole("size", size), .capacity = whole("capacity", capacity), .progress = progress};
    const Diagnosis d = inspect(*sampler, view,
                                {.updates_per_step = updates_per_step,
                                 .batch = batch,
                                 .streams = whole("streams", streams),
                                 .reference_capacity = whole("reference", reference)});
    json.begin_object().field("sampler", sampler->spec()).field("size", view.size);
    json.field("capacity", view.capacity)
        .field("streams", streams)
        .field("updates_per_step", updates_per_step)
        .field("batch", batch)
        .field("reference_capacity", reference == 0 ? capacity : reference);
    json.field("expected_recency", d.expected_recency)
        .field("reference_recency", d.reference_recency)
        .field("sampling_entropy", d.sampling_entropy)
        .field("conditional_entropy", d.conditional_entropy)
        .field("perplexity", d.perplexity)
        .field("collision_entropy", d.collision_entropy)
        .field("newest_probability", d.newest_probability)
        .field("oldest_probability", d.oldest_probability);
    json.key("newest_mass").begin_array();
    for (const NewestMass& m : d.newest_mass)
      json.begin_object().field("share", m.share).field("mass", m.mass).end_object();
    json.end_array().key("expected_replays").begin_array();
    for (const IndexReplays& r : d.expected_replays)
      json.begin_object()
          .field("recency", r.recency)
          .field("index", r.index)
          .field("replays_per_step", r.replays_per_step)
          .end_object();
    json.end_array()
        .field("replay_volume", d.replay_volume)
        .field("updates_per_transition", d.updates_per_transition)
        .field("first_replay_median", d.first_replay_median)
        .field("first_replay_mean", d.first_replay_mean)
        .field("never_replayed_probability", d.never_replayed_probability)
        .field("exact", d.exact)
        .end_object();
  });
}

const char* mneme_density(const char* spec, double size, double capacity, double progress,
                          double replay_volume, double points) {
  return answer([&](Json& json) {
    const auto sampler = make_sampler(spec);
    const BufferView view{
        .size = whole("size", size), .capacity = whole("capacity", capacity), .progress = progress};
    std::vector<std::pair<Index, double>> curve;  // age, replays per step
    for (const IndexReplays& point :
         replay_density(*sampler, view, replay_volume, points_of(points)))
      curve.emplace_back(view.size - 1 - point.index, point.replays_per_step);
    // The newest end in detail: one evenly spaced point covers thousands of ages.
    for (const Index place : by_ratio(1, view.size, points_of(points))) {
      const Index age = place - 1;
      curve.emplace_back(age, replay_volume * probability_of(*sampler, view, view.size - 1 - age));
    }
    std::sort(curve.begin(), curve.end());
    const auto same_age = [](const auto& a, const auto& b) { return a.first == b.first; };
    curve.erase(std::unique(curve.begin(), curve.end(), same_age), curve.end());
    json.begin_object().key("age").begin_array();
    for (const auto& [age, replays] : curve) json.value(age);
    json.end_array().key("replays_per_step").begin_array();
    for (const auto& [age, replays] : curve) json.value(replays);
    json.end_array().end_object();
  });
}

const char* mneme_delay(const char* spec, double capacity, double replay_volume, double points) {
  return answer([&](Json& json) {
    if (!(replay_volume > 0) || !std::isfinite(replay_volume))
      throw InvalidArgument(concat("replay_volume must be above 0, got ", replay_volume));
    const auto sampler = make_sampler(spec);
    const BufferView full = full_buffer(capacity);
    const AgeDistribution ages = sampler->age_distribution(full);
    std::vector<double> steps, unseen;
    // A transition of age a is missed once more with probability (1 - q(a))^volume.
    auto part = ages.segments.begin();
    double log_unseen = 0, age = 0;  // up to the beginning of `part`
    const auto log_missed = [&](double q) {
      return q >= 1 ? -1e6 : replay_volume * detail::log1p_of(-q);
    };
    for (const Index step : by_ratio(1, full.capacity, points_of(points))) {
      const auto wanted = static_cast<double>(step);
      while (part + 1 != ages.segments.end() && age + static_cast<double>(part->length) < wanted) {
        log_unseen += log_missed(part->probability) * static_cast<double>(part->length);
        age += static_cast<double>(part->length);
        ++part;
      }
      steps.push_back(wanted);
      unseen.push_back(std::exp(log_unseen + log_missed(part->probability) * (wanted - age)));
    }
    json.begin_object().key("steps").values(steps).key("unseen").values(unseen).end_object();
  });
}

const char* mneme_exposure(const char* spec, double capacity, double steps, double inserted) {
  return answer([&](Json& json) {
    const auto sampler = make_sampler(spec);
    json.begin_object()
        .field("inserted", inserted)
        .field("exposure", lifetime_exposure(*sampler, whole("capacity", capacity),
                                             whole("steps", steps), inserted))
        .end_object();
  });
}

const char* mneme_filling(const char* spec, double capacity, double steps, double points) {
  return answer([&](Json& json) {
    const auto sampler = make_sampler(spec);
    const Index places = whole("capacity", capacity), run = whole("steps", steps);
    if (run < 1) throw InvalidArgument("steps must be at least 1, got 0");
    const int count = points_of(points);
    std::vector<double> progress, stored, recency, odds;
    for (int k = 1; k <= count; ++k) {
      const double share = static_cast<double>(k) / count;
      const auto size =
          std::clamp(static_cast<Index>(share * static_cast<double>(run)), Index{1}, places);
      const BufferView view{.size = size, .capacity = places, .progress = share};
      progress.push_back(share);
      stored.push_back(static_cast<double>(size));
      recency.push_back(expected_recency(*sampler, view));
      odds.push_back(
          std::log2(probability_of(*sampler, view, size - 1) / probability_of(*sampler, view, 0)));
    }
    json.begin_object().key("progress").values(progress).key("stored").values(stored);
    json.key("expected_recency").values(recency).key("log2_odds").values(odds).end_object();
  });
}

const char* mneme_frontier(double capacity, double cycle, double span, double minimum) {
  return answer([&](Json& json) {
    json.begin_array();
    for (const FrontierRow& row : frontier(frontier_recencies(), whole("capacity", capacity),
                                           ere_setting(cycle, span, minimum)))
      json.begin_object()
          .field("expected_recency", row.expected_recency)
          .field("truncated_geometric", row.truncated_geometric_entropy)
          .field("uniform_fifo", row.uniform_fifo_entropy)
          .field("ere", row.ere_sampling_entropy)
          .field("ere_conditional", row.ere_conditional_entropy)
          .end_object();
    json.end_array();
  });
}

const char* mneme_match(double recency, double capacity, double cycle, double span,
                        double minimum) {
  return answer([&](Json& json) {
    json.begin_array();
    for (const Match& m :
         match(recency, whole("capacity", capacity), ere_setting(cycle, span, minimum))) {
      json.begin_object()
          .field("family", m.family)
          .field("parameter", m.parameter)
          .field("reachable", m.reachable);
      if (m.reachable) {
        json.field("value", m.value)
            .field("sampler", m.spec)
            .field("expected_recency", m.expected_recency);
      } else {
        json.field("reason", m.reason);
      }
      json.end_object();
    }
    json.end_array();
  });
}

const char* mneme_advise(double envs, double updates_per_step, double batch, double capacity,
                         double steps) {
  return answer([&](Json& json) {
    const Advice a = advise({.envs = whole("envs", envs),
                             .updates_per_step = updates_per_step,
                             .batch = batch,
                             .capacity = whole("capacity", capacity),
                             .steps = whole("steps", steps)});
    json.begin_object()
        .field("updates_per_transition", a.updates_per_transition)
        .field("replay_volume", a.replay_volume)
        .field("fill", a.fill)
        .field("total_updates", a.total_updates)
        .field("regime", a.regime)
        .field("per_transition", a.per_transition)
        .field("nearest_setting", a.nearest_setting)
        .field("uniform_first_use_updates", a.uniform_first_use_updates)
        .field("first_use_updates", a.first_use_updates)
        .field("sampler", a.sampler);
    write_reasons(json, "reasons", a.reasons);
    write_reasons(json, "cautions", a.cautions);
    json.end_object();
  });
}
