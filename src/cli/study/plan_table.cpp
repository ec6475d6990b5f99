// cli/study/plan_table.cpp - grouping by what varies.
#include "cli/study/plan_table.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "os/command_line.h"
#include "os/machine.h"
#include "run/requirements.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

std::string factors_text(const PlannedRun& run) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : run.factors)
    if (name != "part" && name.find('.') == std::string::npos)
      parts.push_back(concat(name, '=', value));
  return join(parts, " ");
}

std::string part_of(const PlannedRun& run) {
  for (const auto& [name, value] : run.factors)
    if (name == "part") return value;
  return {};
}

// Rows sampled per row stored.
double volume_of(const RunConfig& run) {
  const RunSettings& s = run.settings->run;
  return s.utd * static_cast<double>(s.batch_size) / static_cast<double>(run.shape.streams());
}

struct Group {
  std::set<std::string> tasks;
  std::set<Index> seeds;
  std::size_t runs = 0;
  const PlannedRun* example = nullptr;
  double seconds = 0;
};

}  // namespace

void print_plan(std::ostream& out, const StudyPlan& plan, Index jobs,
                const std::string& directory) {
  const auto& [study, runs, totals] = plan;
  using Key = std::pair<std::string, std::pair<std::string, std::string>>;
  std::vector<Key> order;
  std::map<Key, Group> groups;
  std::map<std::string, std::set<std::string>> missing;
  for (const StudyRun& run : runs) {
    const Key key{part_of(run.plan), {factors_text(run.plan), run.plan.method}};
    const auto [at, fresh] = groups.try_emplace(key);
    if (fresh) order.push_back(key);
    Group& group = at->second;
    group.tasks.insert(run.plan.task);
    group.seeds.insert(run.plan.seed);
    ++group.runs;
    group.seconds += run.estimate.seconds;
    if (run.plan.missing.empty())
      group.example = &run.plan;
    else
      missing[run.plan.missing.substr(run.plan.missing.find(' ') + 1)].insert(run.plan.task);
  }
  out << study.name << ": " << study.title << "\n\n";
  // Columns that would be empty are left out.
  const bool parts =
      std::any_of(order.begin(), order.end(), [](auto& k) { return !k.first.empty(); });
  const bool combinations =
      std::any_of(order.begin(), order.end(), [](auto& k) { return !k.second.first.empty(); });
  const auto row_of = [&](const std::string& part, const std::string& combination,
                          std::vector<std::string> rest) {
    if (combinations) rest.insert(rest.begin(), combination);
    if (parts) rest.insert(rest.begin(), part);
    return rest;
  };
  Table table(row_of("part", "combination",
                     {"method", "agent", "tasks", "seeds", "runs", "steps", "volume", "each"}));
  for (const Key& key : order) {
    const Group& group = groups[key];
    const bool known = group.example != nullptr;
    table.add(row_of(
        key.first, key.second.first,
        {key.second.second, known ? group.example->config.agent : "-",
         count(static_cast<double>(group.tasks.size())),
         count(static_cast<double>(group.seeds.size())), count(static_cast<double>(group.runs)),
         known ? count(static_cast<double>(group.example->config.settings->run.steps)) : "-",
         known ? number(volume_of(group.example->config), 4) : "-",
         known ? duration_text(group.seconds / static_cast<double>(group.runs)) : "-"}));
  }
  out << table;
  for (const auto& [why, tasks] : missing)
    out << '\n'
        << wrapped(concat("cannot run on this machine, ", why, ": ",
                          join({tasks.begin(), tasks.end()})),
                   4)
        << '\n';
  out << '\n' << totals.runs << (totals.runs == 1 ? " run" : " runs");
  if (totals.available < totals.runs) out << ", " << totals.available << " can run on this machine";
  if (totals.to_do < totals.available) out << ", " << totals.to_do << " left to do";
  if (totals.to_do > 0)
    out << "; about " << duration_text(totals.seconds) << " with " << jobs
        << (jobs == 1 ? " job" : " jobs") << " on this machine, " << bytes_text(totals.memory)
        << " of memory (" << bytes_text(free_memory()) << " free), " << bytes_text(totals.disk)
        << " of disk (" << bytes_text(free_disk(directory)) << " free)";
  out << '\n';
}

void plan_json(Json& json, const StudyPlan& plan) {
  const auto& [study, runs, totals] = plan;
  json.begin_object().field("study", study.name).field("title", study.title);
  json.field("runs_total", totals.runs).field("runs_to_do", totals.to_do);
  json.field("seconds", totals.seconds).field("memory", totals.memory).field("disk", totals.disk);
  json.key("runs").begin_array();
  for (const StudyRun& run : runs) {
    json.begin_object().field("key", run.plan.key).field("method", run.plan.method);
    json.field("task", run.plan.task).field("seed", run.plan.seed);
    json.field("command", command_line(run.plan.arguments)).field("missing", run.plan.missing);
    json.key("factors").begin_object();
    for (const auto& [name, value] : run.plan.factors) json.field(name, value);
    json.end_object();
    if (run.plan.missing.empty()) {
      json.field("steps", run.plan.config.settings->run.steps);
      json.field("volume", volume_of(run.plan.config)).field("seconds", run.estimate.seconds);
    }
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace mneme::lab
