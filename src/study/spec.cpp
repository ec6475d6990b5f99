// study/spec.cpp - layers of TOML into one table, that table into a study.
#include "study/spec.h"

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <set>

#include "agents/settings/old_names.h"
#include "base/quantity.h"
#include "base/text.h"
#include "mneme/error.h"
#include "os/toml_limits.h"
#include "study/allowed_commands.h"
#include "study/names.h"

namespace mneme::lab {
namespace {

// Keys a study has, those of them a part may have too, and those of smaller tables.
const std::vector<std::string> kPartKeys{"agent",    "preset", "tasks", "together",
                                         "samplers", "seeds",  "steps", "points",
                                         "settings", "sweep",  "arm",   "evaluation"};
const std::vector<std::string> kStudyKeys{"title",    "about",   "needs",
                                          "commands", "runs_of", "part",
                                          "device",   "threads", "checkpoint_minutes",
                                          "keep",     "laptop",  "paper"};
const std::vector<std::string> kEvaluationKeys{"every", "checkpoints", "episodes", "at_start"};

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void check_keys(const toml::table& table, const std::string& where,
                const std::vector<std::string>& known) {
  for (const auto& [key, value] : table)
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      throw InvalidArgument(concat(where, unknown_name("key", key.str(), known), " (line ",
                                   value.source().begin.line, ")"));
}

[[noreturn]] void refuse(const std::string& key, const std::string& wanted) {
  throw InvalidArgument(concat(key, " must be ", wanted));
}

// A value as `mneme train --set` takes it: 250k is 250000.
std::string as_setting(const std::string& key, const toml::node& node) {
  if (node.is_boolean()) return *node.value<bool>() ? "true" : "false";
  if (node.is_integer()) return std::to_string(*node.value<std::int64_t>());
  if (node.is_floating_point()) return shortest_number(*node.value<double>());
  if (!node.is_string()) refuse(key, "text, a number, true or false");
  const std::string text = *node.value<std::string>();
  const bool counted = text.size() > 1 &&
                       std::string("kMG").find(text.back()) != std::string::npos &&
                       parse_number(text.substr(0, text.size() - 1)).has_value();
  return counted ? std::to_string(parse_count(key, text)) : text;
}

std::string text_of(const toml::table& table, const std::string& key, std::string otherwise = {}) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  if (!node->is_string()) refuse(key, "text in quotes");
  return *node->value<std::string>();
}

Index whole_of(const toml::table& table, const std::string& key, Index otherwise) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  if (!node->is_integer()) refuse(key, "a whole number");
  return *node->value<std::int64_t>();
}

bool flag_of(const toml::table& table, const std::string& key, bool otherwise) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  if (!node->is_boolean()) refuse(key, "true or false");
  return *node->value<bool>();
}

double minutes_of(const toml::table& table, const std::string& key, double otherwise) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  const double minutes = node->is_number() ? *node->value<double>() : std::nan("");
  if (!(minutes > 0) || std::isinf(minutes)) refuse(key, "a number of minutes above 0, such as 5");
  return minutes;
}

std::vector<std::string> texts_of(const toml::table& table, const std::string& key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  if (node->is_string()) return {*node->value<std::string>()};
  if (!node->is_array()) refuse(key, "a list such as [\"a\", \"b\"]");
  std::vector<std::string> list;
  for (const toml::node& one : *node->as_array()) {
    if (!one.is_string()) refuse(key, "a list such as [\"a\", \"b\"]");
    list.push_back(*one.value<std::string>());
  }
  return list;
}

const toml::table* table_of(const toml::table& table, const std::string& key) {
  const toml::node* node = table.get(key);
  if (node != nullptr && !node->is_table()) refuse(key, concat("a table, [", key, "]"));
  return node == nullptr ? nullptr : node->as_table();
}

std::vector<const toml::table*> tables_of(const toml::table& table, const std::string& key) {
  const toml::node* node = table.get(key);
  std::vector<const toml::table*> list;
  if (node == nullptr) return list;
  if (!node->is_array()) refuse(key, concat("a list of tables, [[", key, "]]"));
  for (const toml::node& one : *node->as_array()) {
    if (!one.is_table()) refuse(key, concat("a list of tables, [[", key, "]]"));
    list.push_back(one.as_table());
  }
  return list;
}

// Tables within tables are merged, anything else is replaced.
void lay_over(toml::table& below, const toml::table& above) {
  for (const auto& [key, value] : above) {
    toml::node* there = below.get(key);
    // A sweep is replaced as a whole: mixed with another scale's it would be a matrix of neither.
    if (there != nullptr && there->is_table() && value.is_table() && key.str() != "sweep")
      lay_over(*there->as_table(), *value.as_table());
    else
      below.insert_or_assign(key, value);
  }
}

// {alpha = [1, 2]} below sampler is sampler.alpha.
void flatten(const toml::table& table, const std::string& prefix,
             std::vector<std::pair<std::string, const toml::node*>>& out) {
  for (const auto& [key, value] : table) {
    const std::string name = prefix + std::string(key.str());
    if (value.is_table())
      flatten(*value.as_table(), name + ".", out);
    else
      out.emplace_back(name, &value);
  }
}

Settings settings_in(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> flat;
  flatten(table, "", flat);
  Settings settings;
  for (const auto& [key, node] : flat) settings.emplace_back(key, as_setting(key, *node));
  return settings;
}

std::vector<Index> seeds_of(const toml::table& table) {
  const toml::node* node = table.get("seeds");
  if (node == nullptr) return {0};
  std::vector<Index> seeds;
  if (node->is_integer()) {
    const auto count = *node->value<std::int64_t>();
    if (count < 1 || count > 100'000)
      throw InvalidArgument(concat("seeds must be from 1 to 100000, or a list, got ", count));
    for (Index seed = 0; seed < count; ++seed) seeds.push_back(seed);
    return seeds;
  }
  if (!node->is_array()) refuse("seeds", "a number of seeds or a list such as [0, 1, 2]");
  for (const toml::node& one : *node->as_array()) {
    if (!one.is_integer()) refuse("seeds", "a list of whole numbers");
    const auto seed = *one.value<std::int64_t>();
    if (seed < 0) throw InvalidArgument(concat("a seed must be at least 0, got ", seed));
    if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end())
      throw InvalidArgument(concat("seeds: ", seed, " is listed twice"));
    seeds.push_back(seed);
  }
  if (seeds.empty()) throw InvalidArgument("seeds must have at least one element");
  return seeds;
}

std::vector<Arm> arms_of(const toml::table& table) {
  std::vector<Arm> arms;
  for (const std::string& spec : texts_of(table, "samplers"))
    arms.push_back({spec, {{"sampler", spec}}});
  for (const toml::table* one : tables_of(table, "arm")) {
    Arm arm{text_of(*one, "name"), {}};
    if (arm.name.empty()) throw InvalidArgument("an [[arm]] has no name; it is what tables show");
    check_label("arm", arm.name);
    for (const auto& [key, value] : settings_in(*one))
      if (key != "name") arm.settings.emplace_back(key, value);
    arms.push_back(std::move(arm));
  }
  std::set<std::string> names;
  for (const Arm& arm : arms)
    if (!names.insert(arm.name).second)
      throw InvalidArgument(concat("'", arm.name, "' is listed twice among samplers and arms"));
  if (arms.empty()) arms.push_back({"uniform", {{"sampler", "uniform"}}});
  return arms;
}

// Before so many combinations are listed.
void check_size(std::size_t points, std::size_t factor) {
  if (points > kMostRuns / std::max<std::size_t>(1, factor))
    throw InvalidArgument(concat("sweep and points have more than ", kMostRuns, " combinations"));
}

// The product of the sweep's lists, times the listed points.
std::vector<Settings> points_of(const toml::table& table) {
  std::vector<Settings> points{{}};
  std::vector<std::pair<std::string, const toml::node*>> swept;
  if (const toml::table* sweep = table_of(table, "sweep")) flatten(*sweep, "", swept);
  for (const auto& [key, node] : swept) {
    if (!node->is_array() || node->as_array()->empty())
      refuse(concat("sweep.", key), "a list of values");
    check_size(points.size(), node->as_array()->size());
    std::vector<Settings> more;
    for (const Settings& so_far : points)
      for (const toml::node& value : *node->as_array()) {
        more.push_back(so_far);
        more.back().emplace_back(key, as_setting(key, value));
      }
    points = std::move(more);
  }
  const auto listed = tables_of(table, "points");
  if (listed.empty()) return points;
  check_size(points.size(), listed.size());
  std::vector<Settings> more;
  for (const toml::table* point : listed)
    for (const Settings& so_far : points) {
      more.push_back(so_far);
      for (auto& setting : settings_in(*point)) more.back().push_back(std::move(setting));
    }
  return more;
}

// steps and evaluation are settings too; [settings] comes last.
Settings base_settings(const toml::table& table) {
  Settings settings;
  Index steps = 0;
  if (const toml::node* node = table.get("steps")) {
    const std::string text = as_setting("steps", *node);
    steps = parse_count("steps", text);
    if (steps < 1) throw InvalidArgument(concat("steps must be at least 1, got ", steps));
    settings.emplace_back("steps", std::to_string(steps));
  }
  if (const toml::table* evaluation = table_of(table, "evaluation")) {
    check_keys(*evaluation, "[evaluation]: ", kEvaluationKeys);
    if (const toml::node* every = evaluation->get("every"))
      settings.emplace_back("eval_every", as_setting("every", *every));
    if (const toml::node* count = evaluation->get("checkpoints")) {
      const Index wanted = count->value_exact<std::int64_t>().value_or(0);
      if (wanted < 1 || wanted > steps)
        throw InvalidArgument(concat("evaluation.checkpoints must be from 1 to steps, which is ",
                                     steps, ", got ", wanted));
      settings.emplace_back("eval_every", std::to_string(steps / wanted));
    }
    if (const toml::node* episodes = evaluation->get("episodes"))
      settings.emplace_back("eval_episodes", as_setting("episodes", *episodes));
    if (const toml::node* start = evaluation->get("at_start"))
      settings.emplace_back("eval_at_start", as_setting("at_start", *start));
  }
  if (const toml::table* own = table_of(table, "settings"))
    for (auto& setting : settings_in(*own)) settings.push_back(std::move(setting));
  return settings;
}

Part part_of(const toml::table& table) {
  Part part;
  part.name = text_of(table, "name");
  part.agent = text_of(table, "agent");
  if (part.agent.empty()) throw InvalidArgument("no agent; write agent = \"simbav2\", for example");
  part.preset = text_of(table, "preset", "laptop");
  part.tasks = texts_of(table, "tasks");
  if (part.tasks.empty())
    throw InvalidArgument("no tasks; write tasks = [\"dmc/walker-run\"], for example");
  part.together = flag_of(table, "together", false);
  part.arms = arms_of(table);
  part.seeds = seeds_of(table);
  part.settings = base_settings(table);
  part.points = points_of(table);
  return part;
}

toml::array texts(const std::vector<std::string>& list) {
  toml::array array;
  for (const std::string& one : list) array.push_back(one);
  return array;
}

// On the study and on each of its parts, so that a part's own value does not win.
void override_all(toml::table& study, const std::string& key, const auto& value) {
  study.insert_or_assign(key, value);
  if (toml::array* parts = study["part"].as_array())
    for (toml::node& part : *parts)
      if (toml::table* table = part.as_table(); table != nullptr && table->contains(key))
        table->insert_or_assign(key, value);
}

void override_settings(toml::table& table, const std::string& key, const std::string& value) {
  if (!table.contains("settings")) table.insert("settings", toml::table{});
  toml::table* settings = table["settings"].as_table();
  if (settings == nullptr) return;
  // In a file of an older version the setting may have its former name.
  std::vector<std::string> former;
  for (const auto& [name, node] : *settings)
    if (renamed_setting(name.str()) == key) former.emplace_back(name.str());
  for (const std::string& name : former) settings->erase(name);
  settings->insert_or_assign(key, value);
}

void lay_over(toml::table& study, const StudyOverrides& o) {
  if (!o.agent.empty()) override_all(study, "agent", o.agent);
  if (!o.preset.empty()) override_all(study, "preset", o.preset);
  if (!o.steps.empty()) override_all(study, "steps", o.steps);
  if (!o.device.empty()) study.insert_or_assign("device", o.device);
  if (o.threads > 0) study.insert_or_assign("threads", o.threads);
  if (!o.tasks.empty()) override_all(study, "tasks", texts(o.tasks));
  if (!o.samplers.empty()) {
    override_all(study, "samplers", texts(o.samplers));
    override_all(study, "arm", toml::array{});
  }
  if (o.seeds != 0) override_all(study, "seeds", o.seeds);
  for (const std::string& text : o.settings) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InvalidArgument(concat("--set must be name=value, got ", text));
    const std::string key = text.substr(0, equals), value = text.substr(equals + 1);
    if (const std::string_view now = renamed_setting(key); !now.empty())
      throw InvalidArgument(concat("--set ", text, ": setting ", key, " is now ", now));
    override_settings(study, key, value);
    if (toml::array* parts = study["part"].as_array())
      for (toml::node& part : *parts)
        if (toml::table* table = part.as_table()) override_settings(*table, key, value);
  }
}

// Applies the scale; both are checked, so that a mistake in the other one is found too.
bool lay_scale(toml::table& study, const std::string& scale) {
  bool scaled = false;
  for (const char* one : {"laptop", "paper"}) {
    const toml::table* table = table_of(study, one);
    if (table == nullptr) continue;
    scaled = true;
    std::vector<std::string> known = joined(kStudyKeys, kPartKeys);
    known.erase(std::remove_if(known.begin(), known.end(),
                               [](const auto& k) { return k == "laptop" || k == "paper"; }),
                known.end());
    check_keys(*table, concat("[", one, "]: "), known);
  }
  if (scaled) {
    if (!study.contains(scale))
      throw InvalidArgument(concat("this study has no scale '", scale, "'; it has ",
                                   study.contains("laptop") ? "laptop" : "paper"));
    const toml::table layer = *study[scale].as_table();
    lay_over(study, layer);
  }
  study.erase("laptop");
  study.erase("paper");
  return scaled;
}

std::string canonical(const toml::table& table) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << toml::toml_formatter(
      table, toml::toml_formatter::default_flags & ~toml::format_flags::indentation);
  return std::move(out).str() + "\n";
}

StudyFile study_of(toml::table& table, const std::string& name, const StudyOverrides& o) {
  check_keys(table, "", joined(kStudyKeys, kPartKeys));
  const std::string scale = o.scale.empty() ? "laptop" : o.scale;
  const bool scaled = lay_scale(table, scale);
  lay_over(table, o);
  StudyFile study;
  study.name = !o.name.empty() ? o.name : scaled ? concat(name, "-", scale) : name;
  study.title = text_of(table, "title", name);
  study.about = text_of(table, "about");
  study.needs = text_of(table, "needs");
  study.commands = texts_of(table, "commands");
  study.runs_of = texts_of(table, "runs_of");
  study.device = text_of(table, "device", "cpu");
  study.threads = whole_of(table, "threads", 1);
  if (study.threads < 1 || study.threads > 4096)
    throw InvalidArgument(concat("threads must be from 1 to 4096, got ", study.threads));
  study.checkpoint_minutes = minutes_of(table, "checkpoint_minutes", 5);
  study.keep = flag_of(table, "keep", false);
  check_study_name(study.name);
  for (const std::string& line : study.commands) allowed_command(line);

  std::vector<toml::table> parts;
  std::set<std::string> names;
  for (const toml::table* one : tables_of(table, "part")) {
    check_keys(*one, "[[part]]: ", joined({"name"}, kPartKeys));
    toml::table whole = table;
    whole.erase("part");
    lay_over(whole, *one);
    if (text_of(whole, "name").empty())
      throw InvalidArgument("a [[part]] has no name; its runs are named after it");
    check_label("part", text_of(whole, "name"));
    if (!names.insert(text_of(whole, "name")).second)
      throw InvalidArgument(concat("two parts are named '", text_of(whole, "name"), "'"));
    parts.push_back(std::move(whole));
  }
  const bool runs = study.commands.empty() && study.needs.empty() && study.runs_of.empty();
  if (parts.empty() && (runs || table.contains("agent"))) parts.push_back(table);
  for (const toml::table& part : parts) study.parts.push_back(part_of(part));
  // How long a study runs and what it keeps do not change what it is.
  for (const char* key : {"title", "about", "checkpoint_minutes", "keep"}) table.erase(key);
  study.text = canonical(table);
  return study;
}

}  // namespace

StudyFile read_study(const std::string& text, const std::string& name,
                     const StudyOverrides& overrides) {
  try {
    check_toml_limits(text);
    toml::table table = toml::parse(text);
    return study_of(table, name, overrides);
  } catch (const toml::parse_error& error) {
    throw InvalidArgument(
        concat(name, ": line ", error.source().begin.line, ": ", error.description()));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(concat("study ", name, ": ", error.what()));
  }
}

}  // namespace mneme::lab
