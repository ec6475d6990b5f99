// cli/samplers/densities.cpp - `mneme densities`: expected replays over the buffer (the paper's
// figures 2, 8 and 9).
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/samplers/priorities_file.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"
#include "mneme/frontier.h"
#include "os/version.h"
#include "report/page.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct Series {
  std::string label, spec;
};

struct Panel {
  std::string id, title;
  double volume;
  std::vector<Series> series;
};

struct Options {
  Index capacity = 1'000'000;
  double low = 256, high = 2048;
  std::vector<std::string> samplers;
  std::string priorities_file;
  std::vector<float> priorities;
  std::string html;
  bool json = false;
};

// ERE as recent on average as the paper's truncated geometric sampler.
std::string matched_ere(Index capacity) {
  const auto tg = make_sampler("truncated_geometric:alpha=10");
  const double recency = expected_recency(*tg, {.size = capacity, .capacity = capacity});
  return concat("ere:eta=", shortest_number(eta_for_recency(recency, capacity)));
}

std::vector<Panel> panels(const Options& o) {
  std::vector<Series> main{{"Uniform", "uniform"},
                           {"Truncated geometric, alpha 10", "truncated_geometric:alpha=10"},
                           {"Uniform FIFO, 0.288 N", "uniform_fifo:window=0.288"},
                           {"ERE, eta 0.996", "ere:eta=0.996"}};
  if (!o.samplers.empty()) {
    main.clear();
    for (const std::string& spec : o.samplers) main.push_back({spec, spec});
    return {{"low", concat("Replay volume ", o.low), o.low, main},
            {"high", concat("Replay volume ", o.high), o.high, main}};
  }
  main.push_back({"ERE, recency matched", matched_ere(o.capacity)});
  const std::vector<Series> ablation{
      {"Uniform", "uniform"},
      {"Truncated geometric, alpha 10", "truncated_geometric:alpha=10"},
      {"Reverse truncated geometric", "reverse_truncated_geometric:alpha=10"},
      {"Linear", "linear"},
      {"Reverse linear", "reverse_linear"},
      {"Gaussian", "gaussian"}};
  return {{"low", concat("Replay volume ", o.low), o.low, main},
          {"high", concat("Replay volume ", o.high), o.high, main},
          {"ablation", concat("Ablation, replay volume ", o.low), o.low, ablation}};
}

std::string to_json(const Options& o, const std::vector<Panel>& panels_) {
  const BufferView full{.size = o.capacity, .capacity = o.capacity};
  Json json;
  json.begin_object()
      .field("kind", "densities")
      .field("title", "How often each transition is replayed");
  json.field("command", concat("mneme densities --capacity ", o.capacity))
      .field("version", kVersion)
      .field("capacity", o.capacity);
  json.key("panels").begin_array();
  std::vector<Series> seen;
  for (const Panel& panel : panels_) {
    json.begin_object()
        .field("id", panel.id)
        .field("title", panel.title)
        .field("replay_volume", panel.volume);
    json.key("series").begin_array();
    for (const Series& series : panel.series) {
      const auto sampler = make_sampler(series.spec, o.priorities);
      json.begin_object()
          .field("sampler", series.spec)
          .field("name", sampler->info().name)
          .field("label", series.label);
      json.key("points").begin_array();
      for (const IndexReplays& point : replay_density(*sampler, full, panel.volume))
        json.begin_object()
            .field("recency", point.recency)
            .field("replays_per_step", point.replays_per_step)
            .end_object();
      json.end_array().end_object();
      const bool known = std::any_of(seen.begin(), seen.end(),
                                     [&](const Series& s) { return s.spec == series.spec; });
      if (!known) seen.push_back(series);
    }
    json.end_array().end_object();
  }
  json.end_array().key("samplers").begin_array();
  for (const Series& series : seen) {
    const Diagnosis d = inspect(*make_sampler(series.spec, o.priorities), full);
    json.begin_object().field("label", series.label).field("sampler", series.spec);
    json.field("expected_recency", d.expected_recency)
        .field("reference_recency", d.reference_recency);
    json.field("sampling_entropy", d.sampling_entropy)
        .field("conditional_entropy", d.conditional_entropy);
    json.field("newest_probability", d.newest_probability)
        .field("oldest_probability", d.oldest_probability)
        .end_object();
  }
  return std::move(json.end_array().end_object()).text();
}

void print_text(std::ostream& out, const Options& o, const std::vector<Panel>& panels_) {
  const BufferView full{.size = o.capacity, .capacity = o.capacity};
  for (const Panel& panel : panels_) {
    out << panel.title << ": expected replays per transition and step, full buffer of "
        << count(static_cast<double>(o.capacity)) << '\n';
    Table table({"recency", "0", "0.25", "0.5", "0.75", "0.9", "1"});
    for (const Series& series : panel.series) {
      const Diagnosis d = inspect(*make_sampler(series.spec, o.priorities), full,
                                  {.updates_per_step = 1, .batch = panel.volume});
      std::vector<std::string> row{series.label};
      for (const IndexReplays& point : d.expected_replays)
        row.push_back(number(point.replays_per_step));
      table.add(row);
    }
    out << table << '\n';
  }
}

}  // namespace

void add_densities_command(CLI::App& app, std::ostream& out) {
  CLI::App* command =
      app.add_subcommand("densities", "how often each stored transition is replayed, by sampler");
  auto o = std::make_shared<Options>();
  add_count(command, "--capacity", o->capacity, "places in the buffer (1000000)");
  add_ratio(command, "--low", o->low,
            "replay volume of the first panel (256 = 2 updates of 128 per step)");
  add_ratio(command, "--high", o->high, "replay volume of the second panel (2048)");
  command->add_option("--sampler", o->samplers, "samplers to draw instead of the paper's")
      ->type_name("SPEC ...");
  command
      ->add_option("--priorities", o->priorities_file,
                   "priorities of a full buffer for per and the like, one per line, oldest first")
      ->type_name("FILE");
  add_html(command, o->html, "file for a page with the plots");
  add_json(command, o->json, "print JSON; numbers with 17 digits");
  command->footer("Example: mneme densities --html out/densities.html");
  command->callback([o, &out] {
    if (o->capacity < 2)
      throw InvalidArgument(
          concat("--capacity must be at least 2 for a density, got ", o->capacity));
    if (!o->priorities_file.empty()) o->priorities = read_priorities(o->priorities_file);
    check_priorities(o->priorities, o->samplers, o->capacity);
    const std::vector<Panel> all = panels(*o);
    const std::string json = o->json || !o->html.empty() ? to_json(*o, all) : "";
    if (!o->html.empty()) write_page(o->html, json);
    if (o->json) {
      out << json << '\n';
    } else if (o->html.empty()) {
      print_text(out, *o, all);
    } else {
      out << "wrote " << o->html << '\n';
    }
  });
}

}  // namespace mneme::lab
