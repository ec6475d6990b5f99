// cli/samplers/match.cpp - `mneme match`: every family at one expected recency.
#include <optional>
#include <sstream>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "mneme/diagnostics.h"
#include "mneme/frontier.h"
#include "term/screen.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct Options {
  double recency = 0;
  Index capacity = 0;
  EreSetting ere;
  bool json = false;
};

void print_json(std::ostream& out, const Options& o, const std::vector<Match>& matches) {
  Json json;
  json.begin_object()
      .field("expected_recency", o.recency)
      .field("capacity", o.capacity)
      .key("matches")
      .begin_array();
  for (const Match& m : matches) {
    json.begin_object()
        .field("family", m.family)
        .field("parameter", m.parameter)
        .field("reachable", m.reachable);
    if (m.reachable) {
      json.field("value", m.value)
          .field("sampler", m.spec)
          .field("expected_recency", m.expected_recency);
      json.field("sampling_entropy", m.sampling_entropy)
          .field("conditional_entropy", m.conditional_entropy);
      json.field("collision_entropy", m.collision_entropy);
    } else {
      json.field("reason", m.reason);
    }
    json.end_object();
  }
  out << std::move(json.end_array().end_object()).text() << '\n';
}

std::string six_digits(double value) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << value;
  return std::move(out).str();
}

// The spec with six digits of every number: enough to type, --json has all.
std::string short_spec(const std::string& spec) {
  std::string out, word;
  const auto flush = [&] {
    const std::optional<double> value = parse_number(word);
    std::string text = value && word.size() > 8 ? six_digits(*value) : word;
    out += std::exchange(word, {}).empty() ? "" : text;
  };
  for (const char c : spec) {
    if (c != '=' && c != ',' && c != ':') {
      word += c;
      continue;
    }
    flush();
    out += c;
  }
  flush();
  return out;
}

void print_text(std::ostream& out, const Options& o, const std::vector<Match>& matches) {
  out << "expected_recency " << number(o.recency, 9) << " in a full buffer of "
      << count(static_cast<double>(o.capacity)) << "\n\n";
  Table table({"sampler", "sampling_entropy", "conditional_entropy", "collision_entropy",
               "expected_recency"});
  table.expendable({"expected_recency", "collision_entropy", "conditional_entropy"});
  std::string missing;
  for (const Match& m : matches) {
    if (m.reachable) {
      table.add({short_spec(m.spec), number(m.sampling_entropy, 9),
                 number(m.conditional_entropy, 9), number(m.collision_entropy, 9),
                 number(m.expected_recency, 9)});
    } else {
      missing += wrapped(concat(m.family, ": ", m.reason), 2) + "\n";
    }
  }
  out << table;
  if (!missing.empty()) out << '\n' << missing;
}

}  // namespace

void add_match_command(CLI::App& app, std::ostream& out) {
  CLI::App* command = app.add_subcommand(
      "match", "the parameter of every family that gives a wanted expected recency");
  auto o = std::make_shared<Options>();
  add_share(command, "--expected-recency", o->recency, "above 0, below 1; 1/2 is uniform")
      ->required();
  add_count(command, "--capacity", o->capacity, "places in the buffer")->required();
  add_ere_options(command, o->ere);
  add_json(command, o->json, "print JSON; numbers with 17 digits");
  command->footer("Example: mneme match --expected-recency 0.857 --capacity 1M");
  command->callback([o, &out] {
    (o->json ? print_json : print_text)(out, *o, match(o->recency, o->capacity, o->ere));
  });
}

}  // namespace mneme::lab
