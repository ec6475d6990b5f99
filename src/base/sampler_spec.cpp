// base/sampler_spec.cpp - parsing spec strings and checking parameter values.
#include "base/sampler_spec.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

constexpr std::size_t kLongest = 4096;
constexpr int kDeepest = 8;
constexpr std::string_view kForm =
    "write name or name:key=value,key=value, for example truncated_geometric:alpha=10";

// Printable and short enough to stand in a message.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 80)) out += (c < 0x20 || c == 0x7f) ? '?' : c;
  return text.size() > 80 ? out + "..." : out;
}

[[noreturn]] void malformed(std::string_view text, std::string_view what) {
  throw InvalidArgument(concat("sampler spec '", shown(text), "': ", what, "; ", kForm));
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The commas outside parentheses split the list of values.
std::vector<std::string_view> split_values(std::string_view whole, std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '(' && ++depth > kDeepest)
      malformed(whole, "samplers are nested deeper than eight levels");
    if (list[i] == ')' && --depth < 0) malformed(whole, "a ')' has no '('");
    if (list[i] == ',' && depth == 0) {
      parts.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (depth != 0) malformed(whole, "a '(' is not closed");
  parts.push_back(list.substr(begin));
  return parts;
}

std::string range_of(const ParamSpec& spec) {
  return concat(spec.kind == ParamSpec::Kind::whole ? "whole numbers from " : "",
                shortest_number(spec.lowest), " to ", shortest_number(spec.highest));
}

double checked_number(std::string_view sampler, const ParamSpec& spec, const std::string& given) {
  const std::optional<double> number = parse_number(given);
  const bool fits = number && *number >= spec.lowest && *number <= spec.highest &&
                    (spec.kind != ParamSpec::Kind::whole || *number == std::floor(*number));
  if (!fits) {
    throw InvalidArgument(concat(sampler, ": ", spec.name, " is '", shown(given),
                                 "'; allowed: ", range_of(spec), " (", spec.help, ")"));
  }
  return *number;
}

constexpr std::array kCommon{ParamSpec{
    .name = "draws",
    .fallback = 0,
    .lowest = 0,
    .highest = 1,
    .help = "stratified: one draw from each of B equal shares of the probability, in random order",
    .choices = "independent|stratified",
    .kind = ParamSpec::Kind::choice}};

}  // namespace

std::span<const ParamSpec> common_params() { return kCommon; }

std::vector<std::string> choices_of(const ParamSpec& spec) {
  std::vector<std::string> words;
  std::string_view rest = spec.choices;
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    words.emplace_back(rest.substr(0, bar));
    rest = bar == std::string_view::npos ? std::string_view{} : rest.substr(bar + 1);
  }
  return words;
}

Spec parse_spec(std::string_view text) {
  if (text.size() > kLongest) malformed(text, "it is longer than 4096 characters");
  const std::string_view whole = trimmed(text);
  const std::size_t colon = whole.find(':');
  Spec spec{std::string(trimmed(whole.substr(0, colon))), {}};
  if (!is_name(spec.name))
    malformed(text, spec.name.empty() ? "the name is missing" : "the name is not a plain word");
  if (colon == std::string_view::npos) return spec;
  for (const std::string_view part : split_values(text, whole.substr(colon + 1))) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) malformed(text, concat("'", shown(part), "' has no '='"));
    const std::string key(trimmed(part.substr(0, equals)));
    std::string_view value = trimmed(part.substr(equals + 1));
    if (!is_name(key)) malformed(text, concat("'", shown(part), "' has no key"));
    if (value.empty()) malformed(text, concat("'", key, "' has no value"));
    if (value.front() == '(' && value.back() == ')') {
      value = trimmed(value.substr(1, value.size() - 2));
    } else if (value.find_first_of(":=") != std::string_view::npos) {
      // Without them nesting would escape the limit above, and the canonical form, which has them,
      // would not.
      malformed(text, concat("the value of '", key,
                             "' has parameters of its own; put it in parentheses"));
    }
    for (const auto& [known, unused] : spec.values) {
      if (known == key) malformed(text, concat("'", key, "' is given twice"));
    }
    spec.values.emplace_back(key, std::string(value));
  }
  return spec;
}

Params::Params(const Spec& spec, const SamplerInfo& info) : sampler_(info.name) {
  // Start from the defaults ...
  std::vector<std::string> known;
  const auto add_defaults = [&](std::span<const ParamSpec> specs) {
    for (const ParamSpec& param : specs) {
      // a sampler's own parameter hides a common one of that name
      if (std::find(known.begin(), known.end(), param.name) != known.end()) continue;
      Entry entry{&param, param.fallback, {}};
      if (param.kind == ParamSpec::Kind::choice) {
        entry.text = choices_of(param).at(static_cast<std::size_t>(param.fallback));
      } else if (param.kind == ParamSpec::Kind::sampler) {
        entry.text = param.choices;
      } else {
        entry.text = shortest_number(param.fallback);
      }
      entries_.push_back(std::move(entry));
      known.emplace_back(param.name);
    }
  };
  add_defaults(info.params);
  add_defaults(common_params());

  // ... and put in what the spec says.
  for (const auto& [key, value] : spec.values) {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(),
                     [&, &wanted = key](const Entry& entry) { return entry.spec->name == wanted; });
    if (found == entries_.end())
      throw NotFound(concat(info.name, ": ", unknown_name("parameter", key, known)));
    const ParamSpec& param = *found->spec;
    if (param.kind == ParamSpec::Kind::choice) {
      const std::vector<std::string> words = choices_of(param);
      const auto word = std::find(words.begin(), words.end(), value);
      if (word == words.end())
        throw InvalidArgument(
            concat(info.name, ": ", unknown_name(concat("value of ", param.name), value, words)));
      found->number = static_cast<double>(word - words.begin());
      found->text = value;
    } else if (param.kind == ParamSpec::Kind::sampler) {
      found->text = value;
    } else {
      found->number = checked_number(info.name, param, value);
      found->text = shortest_number(found->number);
    }
  }
  // The canonical form is longer than what was given, and must be accepted in its place.
  if (canonical().size() > kLongest)
    malformed(canonical(), "with every parameter written out it is longer than 4096 characters");
}

const Params::Entry& Params::entry(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& e) { return e.spec->name == name; });
  MNEME_ASSERT(found != entries_.end());
  return *found;
}

std::string Params::canonical() const {
  std::string out(sampler_);
  char separator = ':';
  for (const Entry& entry : entries_) {
    out += separator;
    out += entry.spec->name;
    out += '=';
    out += entry.spec->kind == ParamSpec::Kind::sampler ? concat('(', entry.text, ')') : entry.text;
    separator = ',';
  }
  return out;
}

}  // namespace mneme
