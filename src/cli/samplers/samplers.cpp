// cli/samplers/samplers.cpp - `mneme samplers`: the registry, with parameters, ranges and defaults.
#include "base/json.h"
#include "base/sampler_spec.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "mneme/sampler.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

std::string fallback_of(const ParamSpec& param) {
  if (param.kind == ParamSpec::Kind::choice)
    return choices_of(param).at(static_cast<std::size_t>(param.fallback));
  if (param.kind == ParamSpec::Kind::sampler) return std::string(param.choices);
  return number(param.fallback);
}

std::string range_of(const ParamSpec& param) {
  if (param.kind == ParamSpec::Kind::choice) return join(choices_of(param), " | ");
  if (param.kind == ParamSpec::Kind::sampler) return "a sampler";
  return concat(number(param.lowest), " to ", number(param.highest));
}

void write_params(Json& json, std::span<const ParamSpec> params) {
  json.begin_array();
  for (const ParamSpec& param : params) {
    constexpr std::array kKinds{"number", "whole", "choice", "sampler"};
    json.begin_object()
        .field("name", param.name)
        .field("kind", kKinds[static_cast<std::size_t>(param.kind)]);
    if (param.kind == ParamSpec::Kind::choice) {
      json.field("default", fallback_of(param)).key("choices").begin_array();
      for (const std::string& word : choices_of(param)) json.value(word);
      json.end_array();
    } else if (param.kind == ParamSpec::Kind::sampler) {
      json.field("default", fallback_of(param));
    } else {
      json.field("default", param.fallback)
          .field("lowest", param.lowest)
          .field("highest", param.highest);
    }
    json.field("help", param.help).end_object();
  }
  json.end_array();
}

void write_samplers(Json& json, bool needing_feedback) {
  json.begin_array();
  for (const SamplerInfo* info : registered_samplers()) {
    if (info->needs_feedback != needing_feedback) continue;
    json.begin_object().field("name", info->name).field("summary", info->summary).key("parameters");
    write_params(json, info->params);
    json.key("examples").begin_array();
    for (const std::string_view example : info->examples) json.value(example);
    json.end_array().end_object();
  }
  json.end_array();
}

void print_json(std::ostream& out) {
  Json json;
  json.begin_object().key("samplers");
  write_samplers(json, false);
  json.key("common_parameters");
  write_params(json, common_params());
  json.key("prioritized_samplers");
  write_samplers(json, true);
  out << std::move(json.end_object()).text() << '\n';
}

void print_params(std::ostream& out, std::span<const ParamSpec> params) {
  Table table({"  parameter", "default", "allowed", ""});
  for (const ParamSpec& param : params)
    table.add(
        {concat("  ", param.name), fallback_of(param), range_of(param), std::string(param.help)});
  if (!params.empty()) out << table;
}

void print_samplers(std::ostream& out, bool needing_feedback) {
  for (const SamplerInfo* info : registered_samplers()) {
    if (info->needs_feedback != needing_feedback) continue;
    out << info->name << ": " << info->summary << '\n';
    print_params(out, info->params);
    out << '\n';
  }
}

void print_text(std::ostream& out) {
  print_samplers(out, false);
  out << "every sampler above also takes\n";
  print_params(out, common_params());
  out << "\nIn a replay buffer, where learners give feedback, also\n\n";
  print_samplers(out, true);
  out << "Write name or name:key=value,key=value wherever a sampler is asked for, for example\n"
         "  mneme inspect --sampler truncated_geometric:alpha=10,anchor=size --size 50k --capacity "
         "1M\n";
}

}  // namespace

void add_samplers_command(CLI::App& app, std::ostream& out) {
  CLI::App* command =
      app.add_subcommand("samplers", "every sampler with its parameters, ranges and defaults");
  auto json = std::make_shared<bool>(false);
  add_json(command, *json);
  command->callback([json, &out] { *json ? print_json(out) : print_text(out); });
}

}  // namespace mneme::lab
