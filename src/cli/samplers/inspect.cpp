// cli/samplers/inspect.cpp - `mneme inspect`: everything the diagnostics know about one sampler and
// one buffer.
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/samplers/priorities_file.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct Options {
  std::string sampler = "truncated_geometric", priorities;
  Index size = 0, capacity = 0, steps = 0;
  ReplaySetting setting;
  double progress = 0;
  bool json = false;
};

// A chance below one in a thousand million is never seen.
std::string chance_text(double chance) { return chance < 1e-9 ? "never" : number(chance, 4); }

struct Exposure {
  double inserted, exposure;
};

std::vector<Exposure> exposures(const Sampler& sampler, const Options& options) {
  std::vector<Exposure> rows;
  if (options.steps == 0) return rows;
  for (const double inserted : {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99})
    rows.push_back(
        {inserted, lifetime_exposure(sampler, options.capacity, options.steps, inserted)});
  return rows;
}

void print_json(std::ostream& out, const Options& o, const Sampler& sampler, const Diagnosis& d,
                const std::vector<Exposure>& exposure) {
  Json json;
  json.begin_object()
      .field("sampler", sampler.spec())
      .field("size", o.size)
      .field("capacity", o.capacity);
  json.field("streams", o.setting.streams).field("updates_per_step", o.setting.updates_per_step);
  json.field("batch", o.setting.batch);
  json.field("reference_capacity",
             o.setting.reference_capacity == 0 ? o.capacity : o.setting.reference_capacity);
  json.field("expected_recency", d.expected_recency)
      .field("reference_recency", d.reference_recency);
  json.field("sampling_entropy", d.sampling_entropy)
      .field("conditional_entropy", d.conditional_entropy);
  json.field("perplexity", d.perplexity).field("collision_entropy", d.collision_entropy);
  json.field("newest_probability", d.newest_probability)
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
  json.end_array();
  json.field("replay_volume", d.replay_volume)
      .field("updates_per_transition", d.updates_per_transition);
  json.field("first_replay_median", d.first_replay_median)
      .field("first_replay_mean", d.first_replay_mean);
  json.field("never_replayed_probability", d.never_replayed_probability).field("exact", d.exact);
  if (!exposure.empty()) {
    json.field("steps", o.steps).key("lifetime_exposure").begin_array();
    for (const Exposure& e : exposure)
      json.begin_object().field("inserted", e.inserted).field("exposure", e.exposure).end_object();
    json.end_array();
  }
  out << std::move(json.end_object()).text() << '\n';
}

void print_text(std::ostream& out, const Options& o, const Sampler& sampler, const Diagnosis& d,
                const std::vector<Exposure>& exposure) {
  const double log_size = std::log(static_cast<double>(o.size));
  out << sampler.spec() << "\n"
      << count(static_cast<double>(o.size)) << " of " << count(static_cast<double>(o.capacity))
      << " transitions stored\n\n";
  Table table({"quantity", "value", "meaning"});
  table.add({"expected_recency", number(d.expected_recency, 9), "0 oldest, 1/2 uniform, 1 newest"});
  table.add(
      {"reference_recency", number(d.reference_recency, 9),
       concat("the same against ",
              count(static_cast<double>(
                  o.setting.reference_capacity == 0 ? o.capacity : o.setting.reference_capacity)),
              " places")});
  table.add({"sampling_entropy", number(d.sampling_entropy, 9),
             concat("nats; uniform: ", number(log_size, 9))});
  table.add({"conditional_entropy", number(d.conditional_entropy, 9),
             "the same within one batch; lower for cyclic samplers (ERE)"});
  table.add(
      {"perplexity", count(std::round(d.perplexity)), "like drawing uniformly from this many"});
  table.add({"collision_entropy", number(d.collision_entropy, 9),
             concat("two draws are the same once in ", count(std::exp(d.collision_entropy)))});
  table.add(
      {"newest_probability", number(d.newest_probability, 9),
       concat(number(d.newest_probability * static_cast<double>(o.size), 4), " times uniform")});
  table.add(
      {"oldest_probability", number(d.oldest_probability, 9),
       concat(number(d.oldest_probability * static_cast<double>(o.size), 4), " times uniform")});
  table.add(
      {"replay_volume", number(d.replay_volume), "draws per stored transition over its life"});
  table.add({"updates_per_transition", number(d.updates_per_transition),
             "gradient updates per stored transition"});
  table.add({"first_replay_median", number(d.first_replay_median),
             "steps in a full buffer until half of the transitions have been drawn"});
  table.add({"first_replay_mean", number(d.first_replay_mean),
             "steps; those evicted unseen count with the capacity"});
  table.add({"never_replayed_probability", chance_text(d.never_replayed_probability),
             "evicted without having been drawn"});
  out << table << '\n';

  Table masses({"newest share of the buffer", "share of the draws"});
  for (const NewestMass& m : d.newest_mass)
    masses.add({concat(100 * m.share, " %"), number(m.mass)});
  out << masses << '\n';
  Table replays({"recency", "index", "expected replays per step"});
  for (const IndexReplays& r : d.expected_replays)
    replays.add({number(r.recency), std::to_string(r.index), number(r.replays_per_step)});
  out << replays;
  if (!exposure.empty()) {
    out << "\nIn a run of " << count(static_cast<double>(o.steps))
        << " steps from an empty buffer; 1 is the lifetime value in a full one\n";
    Table growing({"inserted at", "replays / replay_volume"});
    for (const Exposure& e : exposure)
      growing.add({concat(100 * e.inserted, " %"), number(e.exposure)});
    out << growing;
  }
  if (!d.exact)
    out << "\nMore ages than can be summed one by one: sums are over stretches, see "
           "docs/diagnostics.md for the error.\n";
}

}  // namespace

void add_inspect_command(CLI::App& app, std::ostream& out) {
  CLI::App* command = app.add_subcommand(
      "inspect", "recency, entropy, exposure and delays of one sampler, exactly");
  auto o = std::make_shared<Options>();
  command->add_option("--sampler,sampler", o->sampler, "sampler to inspect; see `mneme samplers`")
      ->type_name("SPEC");
  add_count(command, "--capacity", o->capacity, "places in the buffer, per stream")->required();
  const CLI::Option* size =
      add_count(command, "--size", o->size, "transitions stored (--capacity)");
  add_count(command, "--streams", o->setting.streams,
            "environments or tasks, each with a ring (1)");
  add_ratio(command, "--updates-per-step", o->setting.updates_per_step,
            "gradient updates per vector step (1)");
  add_ratio(command, "--batch", o->setting.batch, "transitions per update over all streams (256)");
  add_count(command, "--reference", o->setting.reference_capacity,
            "capacity for reference_recency (--capacity)");
  add_count(command, "--steps", o->steps,
            "steps of a run from an empty buffer, to give the exposure in it");
  add_share(command, "--progress", o->progress,
            "share of the run that is done, 0 to 1, for schedules (0)");
  command
      ->add_option("--priorities", o->priorities,
                   "priorities of a full buffer for per and the like, one per line, oldest first")
      ->type_name("FILE");
  add_json(command, o->json, "print JSON; numbers with 17 digits");
  command->footer(
      "Example: mneme inspect --sampler ere:eta=0.996 --capacity 1M --batch 256 --updates-per-step "
      "2");
  command->callback([o, size, &out] {
    if (size->empty()) o->size = o->capacity;
    const std::vector<float> priorities =
        o->priorities.empty() ? std::vector<float>{} : read_priorities(o->priorities);
    check_priorities(priorities, {o->sampler}, o->capacity);
    if (!priorities.empty() && (o->steps != 0 || o->size != o->capacity))
      throw InvalidArgument("with --priorities the buffer is full: leave --size and --steps out");
    const auto sampler = make_sampler(o->sampler, priorities);
    const Diagnosis d = inspect(
        *sampler, {.size = o->size, .capacity = o->capacity, .progress = o->progress}, o->setting);
    (o->json ? print_json : print_text)(out, *o, *sampler, d, exposures(*sampler, *o));
  });
}

}  // namespace mneme::lab
