// cli/buffer/check.cpp - `mneme check seams`: sampled rows compared with the rows that were added.
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "mneme/error.h"
#include "replay/seam_check.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct Options {
  Index rows = 1'000'000;
  std::uint64_t seed = 1;
  bool naive_ring = false, json = false;
};

struct Case {
  std::string name;
  SeamSettings settings;
  SeamReport report;
};

std::vector<Case> cases(const Options& o) {
  std::vector<Case> all;
  const auto add = [&](std::string name, SeamSettings settings) {
    settings.seed = o.seed;
    settings.naive_ring = o.naive_ring && !settings.sequences;
    all.push_back({std::move(name), settings, {}});
  };
  add("one step", {.n_step = 1});
  add("3 steps", {.n_step = 3});
  add("8 steps, short windows kept", {.n_step = 8, .horizon = Horizon::clip});
  add("ring of 13, 5 steps", {.capacity = 13, .n_step = 5});
  add("stack of 4", {.capacity = 97, .n_step = 2, .stack = 4});
  add("32 streams, equal shares", {.streams = 32, .capacity = 61, .stream_policy = "equal_share"});
  add("episodes of one or two steps", {.capacity = 29, .mean_length = 0.7});
  add("windows of 5 with burn-in", {.capacity = 83, .n_step = 1, .sequences = true});
  for (Case& c : all) c.settings.rows = o.rows / static_cast<Index>(all.size()) + 1;
  return all;
}

}  // namespace

void add_check_command(CLI::App& app, std::ostream& out) {
  CLI::App* command =
      app.add_subcommand("check", "whether the store serves rows that never happened");
  command->require_subcommand(1);
  CLI::App* seams = command->add_subcommand(
      "seams", "self-describing rows through episode ends, cuts, wraps and windows");
  auto o = std::make_shared<Options>();
  add_count(seams, "--rows", o->rows, "rows to sample and compare, over all cases (1000000)");
  seams->add_option("--seed", o->seed, "seed of episodes and draws (1)")
      ->type_name("N")
      ->check(seed_number());
  seams->add_flag("--naive-ring", o->naive_ring,
                  "compare what a ring without seams would serve: shows that the check can fail");
  add_json(seams, o->json);
  seams->footer("Example: mneme check seams --rows 10M");
  seams->callback([o, &out] {
    constexpr Index kMost = 1'000'000'000'000;
    if (o->rows < 1 || o->rows > kMost)
      throw InvalidArgument(concat("--rows must be from 1 to ", kMost, ", got ", o->rows));
    std::vector<Case> all = cases(*o);
    Index rows = 0, wrong = 0;
    ProgressLine line("checking");
    for (Case& c : all) {
      const auto before = static_cast<double>(&c - all.data());
      c.report = check_seams(c.settings, [&](double share) {
        line.show((before + share) / static_cast<double>(all.size()));
      });
      rows += c.report.rows;
      wrong += c.report.wrong;
    }
    if (o->json) {
      Json json;
      json.begin_object().field("rows", rows).field("wrong", wrong).key("cases").begin_array();
      for (const Case& c : all) {
        json.begin_object()
            .field("name", c.name)
            .field("rows", c.report.rows)
            .field("wrong", c.report.wrong);
        json.field("episodes", c.report.episodes).field("silent_resets", c.report.silent_resets);
        json.field("first_wrong", c.report.first_wrong).end_object();
      }
      out << std::move(json.end_array().end_object()).text() << '\n';
    } else {
      Table table({"case", "rows", "wrong", "episodes", "silent resets"});
      for (const Case& c : all)
        table.add({c.name, count(static_cast<double>(c.report.rows)),
                   count(static_cast<double>(c.report.wrong)),
                   count(static_cast<double>(c.report.episodes)),
                   count(static_cast<double>(c.report.silent_resets))});
      out << table << '\n'
          << count(static_cast<double>(rows)) << " rows, " << count(static_cast<double>(wrong))
          << " wrong\n";
    }
    for (const Case& c : all) {
      if (c.report.wrong > 0) throw CorruptData(concat(c.name, ": ", c.report.first_wrong));
    }
  });
}

}  // namespace mneme::lab
