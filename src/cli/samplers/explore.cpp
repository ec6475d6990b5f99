// cli/samplers/explore.cpp - `mneme explore`: the sampler explorer as one HTML file.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"
#include "os/version.h"
#include "report/page.h"

namespace mneme::lab {
namespace {

constexpr std::size_t kMostSamplers = 4;

struct Options {
  std::string file;
  std::vector<std::string> samplers;
  Index capacity = 1'000'000, size = 0, steps = 2'000'000;
  ReplaySetting setting;
};

// What the page could not show is refused here, where the terminal can say why.
void check(const Options& o) {
  if (o.file.empty()) throw InvalidArgument("--output must name a file, such as explorer.html");
  if (o.samplers.size() > kMostSamplers)
    throw InvalidArgument(concat("--sampler must be given at most ", kMostSamplers, " times, got ",
                                 o.samplers.size()));
  if (o.capacity < 2)
    throw InvalidArgument(concat("--capacity must be at least 2, got ", o.capacity));
  if (o.size > o.capacity)
    throw InvalidArgument(
        concat("--size must be at most the capacity ", o.capacity, ", got ", o.size));
  if (o.steps < 1) throw InvalidArgument(concat("--steps must be at least 1, got ", o.steps));
  for (const std::string& spec : o.samplers)
    inspect(*make_sampler(spec), {.size = 1, .capacity = o.capacity}, o.setting);
}

std::string to_json(const Options& o) {
  Json json;
  json.begin_object().field("kind", "explorer").field("version", kVersion);
  json.field("command", concat("mneme explore -o ", o.file)).key("state").begin_object();
  json.field("capacity", o.capacity).field("streams", o.setting.streams);
  if (o.size > 0) json.field("stored", o.size);
  json.field("updates", o.setting.updates_per_step)
      .field("batch", o.setting.batch)
      .field("steps", o.steps);
  json.key("samplers").begin_array();
  for (const std::string& spec : o.samplers) json.value(spec);
  return std::move(json.end_array().end_object().end_object()).text();
}

}  // namespace

void add_explore_command(CLI::App& app, std::ostream& out) {
  CLI::App* command = app.add_subcommand(
      "explore", "a page that computes and compares samplers in the browser, offline");
  auto o = std::make_shared<Options>();
  command->add_option("-o,--output", o->file, "file to write")->type_name("FILE")->required();
  command->add_option("--sampler", o->samplers, "samplers the page starts with, up to 4")
      ->type_name("SPEC ...");
  add_count(command, "--capacity", o->capacity, "places in the buffer, per stream (1000000)");
  add_count(command, "--size", o->size, "transitions stored; as many as fit if not given");
  add_count(command, "--streams", o->setting.streams, "environments or tasks with a ring each (1)");
  add_ratio(command, "--updates-per-step", o->setting.updates_per_step,
            "gradient updates per vector step (1)");
  add_ratio(command, "--batch", o->setting.batch, "transitions per update over all streams (256)");
  add_count(command, "--steps", o->steps, "steps of the run (2000000)");
  command->footer(
      "Example: mneme explore -o explorer.html --sampler truncated_geometric:alpha=10 --sampler "
      "ere");
  command->callback([o, &out] {
    check(*o);
    write_explorer(o->file, to_json(*o));
    out << "wrote " << o->file << '\n';
  });
}

}  // namespace mneme::lab
