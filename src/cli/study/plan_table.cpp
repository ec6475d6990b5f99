// study/plan_table.cpp - grouping by what varies.
#include "study/plan_table.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "os/machine.h"
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
  return s.utd * static_cast<double>(s.batch) / static_cast<double>(run.shape.streams());
}

struct Group {
  std::set<std::string> tasks;
  std::set<Index> seeds;
  std::size_t runs = 0;
  const PlannedRun* example = nullptr;
  double seconds = 0;
};

}  // namespace

Totals totals_of(const std::vector<EngineRun>& runs, const std::vector<RunState>& states,
                 Index jobs, bool keep) {
  Totals all;
  all.runs = runs.size();
  std::vector<double> memory, disk;
  for (std::size_t at = 0; at < runs.size(); ++at) {
    if (!runs[at].plan.missing.empty()) continue;
    ++all.can_go;
    if (states[at] == RunState::done || states[at] == RunState::failed) continue;
    ++all.to_do;
    all.seconds += runs[at].estimate.seconds;
    memory.push_back(runs[at].estimate.memory);
    disk.push_back(runs[at].estimate.disk);
  }
  all.seconds /= static_cast<double>(std::max<Index>(1, jobs));
  std::sort(memory.rbegin(), memory.rend());
  std::sort(disk.rbegin(), disk.rend());
  for (std::size_t at = 0; at < memory.size(); ++at) {
    const bool at_once = static_cast<Index>(at) < jobs;
    if (at_once) all.memory += memory[at];
    // What stays of a run: its tables, and its rows in the ledger.
    all.disk += at_once || keep ? disk[at] : 2e5;
  }
  return all;
}

void print_matrix(std::ostream& out, const StudyFile& study, const std::vector<EngineRun>& runs,
                  const Totals& totals, Index jobs, const std::string& directory) {
  using Key = std::pair<std::string, std::pair<std::string, std::string>>;
  std::vector<Key> order;
  std::map<Key, Group> groups;
  std::map<std::string, std::set<std::string>> missing;
  for (const EngineRun& run : runs) {
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
  // Columns that say nothing are left out.
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
        << wrapped(concat("cannot go here, ", why, ": ", join({tasks.begin(), tasks.end()})), 4)
        << '\n';
  out << '\n' << totals.runs << (totals.runs == 1 ? " run" : " runs");
  if (totals.can_go < totals.runs) out << ", " << totals.can_go << " can go here";
  if (totals.to_do < totals.can_go) out << ", " << totals.to_do << " left to do";
  if (totals.to_do > 0)
    out << "; about " << duration_text(totals.seconds) << " with " << jobs
        << (jobs == 1 ? " job" : " jobs") << " on this machine, " << bytes_text(totals.memory)
        << " of memory (" << bytes_text(free_memory()) << " free), " << bytes_text(totals.disk)
        << " of disk (" << bytes_text(free_disk(directory)) << " free)";
  out << '\n';
}

void matrix_json(Json& json, const StudyFile& study, const std::vector<EngineRun>& runs,
                 const Totals& totals) {
  json.begin_object().field("study", study.name).field("title", study.title);
  json.field("runs_total", totals.runs).field("runs_to_do", totals.to_do);
  json.field("seconds", totals.seconds).field("memory", totals.memory).field("disk", totals.disk);
  json.key("runs").begin_array();
  for (const EngineRun& run : runs) {
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
