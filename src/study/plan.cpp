// study/plan.cpp - tasks x points x arms x seeds.
#include "study/plan.h"

#include <algorithm>
#include <map>

#include "agents/settings/old_names.h"
#include "base/text.h"
#include "mneme/error.h"
#include "mneme/sampler.h"
#include "os/command_line.h"
#include "suites/task_lookup.h"

namespace mneme::lab {
namespace {

// The tasks of one run: one, or a set that is learned together.
struct Subject {
  std::string name;
  std::vector<std::string> tasks;
};

std::vector<Subject> subjects_of(const Part& part) {
  std::vector<Subject> subjects;
  if (part.together) {
    subjects.push_back({join(part.tasks, "+"), {}});
    for (const std::string& name : part.tasks)
      for (std::string& task : tasks_named(name)) subjects.back().tasks.push_back(std::move(task));
    return subjects;
  }
  for (const std::string& name : part.tasks)
    for (const std::string& task : tasks_named(name)) subjects.push_back({task, {task}});
  return subjects;
}

bool sampler_has(const std::string& spec, const std::string& parameter) {
  const std::string name = spec.substr(0, spec.find(':'));
  for (const SamplerInfo* info : registered_samplers()) {
    if (info->name != name) continue;
    return std::any_of(info->params.begin(), info->params.end(),
                       [&](const ParamSpec& param) { return param.name == parameter; });
  }
  return false;
}

// "tg:alpha=10,anchor=size" with alpha 5: the parameter replaced where it stands, or added.
std::string with_parameter(const std::string& spec, const std::string& name,
                           const std::string& value) {
  const std::size_t colon = spec.find(':');
  if (colon == std::string::npos) return concat(spec, ':', name, '=', value);
  const std::size_t at = spec.find(name + "=", colon);
  if (at == std::string::npos || (spec[at - 1] != ':' && spec[at - 1] != ','))
    return concat(spec, ',', name, '=', value);
  const std::size_t end = std::min(spec.find(',', at), spec.size());
  return concat(spec.substr(0, at), name, '=', value, spec.substr(end));
}

// The settings of one combination in the order they are applied, and which of them vary.
struct Combination {
  Settings settings, factors;
  std::string method;
};

Combination combine(const Part& part, const Settings& point, const Arm& arm) {
  Combination all{{}, {}, arm.name};
  const auto put = [](Settings& list, const std::string& key, const std::string& value) {
    for (auto& [known, old] : list)
      if (known == key) {
        old = value;
        return;
      }
    list.emplace_back(key, value);
  };
  // A study of an older version sets former names; its runs keep the keys they have.
  const auto set = [&](const std::string& key, const std::string& value) {
    put(all.settings, std::string(current_setting(key)), value);
  };
  for (const auto& [key, value] : part.settings) set(key, value);
  for (const auto& [key, value] : arm.settings) set(key, value);
  for (const auto& [key, value] : point) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos) {
      set(key, value);
      put(all.factors, key, value);
      continue;
    }
    // sampler.alpha: of the samplers that have an alpha; the others are the same run for each.
    const std::string setting = key.substr(0, dot), parameter = key.substr(dot + 1);
    for (auto& [known, spec] : all.settings) {
      if (known != setting || !sampler_has(spec, parameter)) continue;
      const bool named_after = all.method == spec;
      spec = with_parameter(spec, parameter, value);
      if (named_after) all.method = spec;
      put(all.factors, key, value);
    }
  }
  return all;
}

std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '=' ||
                      c == '_' || c == '+';
    out += kept ? c : '-';
  }
  return out;
}

std::string key_of(const Part& part, const Subject& subject, const Combination& all, Index seed) {
  std::string key = part.name.empty() ? "" : plain(part.name) + ",";
  key += plain(subject.name);
  for (const auto& [name, value] : all.factors)
    if (name.find('.') == std::string::npos) key += concat(',', plain(name), '=', plain(value));
  key += concat(',', plain(all.method));
  // Names of files have at most 255 bytes. A long key is cut in the middle; plan_runs refuses two
  // different runs of one key.
  if (key.size() > 180) key = concat(key.substr(0, 150), "..", key.substr(key.size() - 28));
  return concat(key, ",s", seed);
}

std::vector<std::string> overrides_of(const Settings& settings) {
  std::vector<std::string> list;
  for (const auto& [key, value] : settings) list.push_back(concat(key, '=', value));
  return list;
}

std::string missing_for_all(const std::vector<std::string>& tasks) {
  for (const std::string& task : tasks)
    if (const std::string missing = missing_for(task); !missing.empty())
      return concat(task, ' ', missing);
  return {};
}

// Also where a suite is missing: then nothing else checks them.
void check_samplers_of(const Settings& settings) {
  const auto spec = [&](const char* name) {
    const auto found = std::find_if(settings.begin(), settings.end(),
                                    [&](const auto& setting) { return setting.first == name; });
    return found == settings.end() ? std::string() : found->second;
  };
  check_samplers(spec("sampler"), spec("actor_sampler"));
}

}  // namespace

std::vector<PlannedRun> plan_runs(const StudyFile& study) {
  std::vector<PlannedRun> runs;
  std::map<std::string, std::string> keys;  // to their commands
  double size = 0;
  for (const Part& part : study.parts) {
    if (part.agent != kFormerSacTd3) agent_info(part.agent);
    const std::vector<Subject> subjects = subjects_of(part);
    size += static_cast<double>(subjects.size()) * static_cast<double>(part.points.size()) *
            static_cast<double>(part.arms.size()) * static_cast<double>(part.seeds.size());
    if (size > static_cast<double>(kMostRuns))
      throw InvalidArgument(
          concat("study ", study.name, " has ", size, " runs; at most ", kMostRuns,
                 " are possible: fewer seeds, tasks or values to sweep, or ", "several studies"));
    for (const Subject& subject : subjects) {
      const std::string missing = missing_for_all(subject.tasks);
      for (const Settings& point : part.points) {
        for (const Arm& arm : part.arms) {
          Combination all = combine(part, point, arm);
          std::string agent = part.agent, preset = part.preset;
          update_names(agent, preset, all.settings);
          const std::vector<std::string> overrides = overrides_of(all.settings);
          RunConfig config;
          try {
            check_samplers_of(all.settings);
            if (missing.empty()) config = resolve_run(agent, preset, subject.tasks, overrides);
          } catch (const Error& error) {
            throw InvalidArgument(concat("study ", study.name, ", ", subject.name, ", ", all.method,
                                         ": ", error.what()));
          }
          for (const Index seed : part.seeds) {
            PlannedRun run{.key = key_of(part, subject, all, seed),
                           .method = all.method,
                           .task = subject.name,
                           .seed = seed,
                           .missing = missing,
                           .config = config};
            if (!part.name.empty()) run.factors.emplace_back("part", part.name);
            for (const auto& factor : all.factors) run.factors.push_back(factor);
            run.arguments = {"train", agent};
            for (const std::string& task : subject.tasks) run.arguments.push_back(task);
            run.arguments.insert(run.arguments.end(), {"--preset", preset});
            for (const std::string& one : overrides)
              run.arguments.insert(run.arguments.end(), {"--set", one});
            run.arguments.insert(run.arguments.end(),
                                 {"--seed", std::to_string(seed), "--device", study.device,
                                  "--threads", std::to_string(study.threads)});
            run.config.seed = static_cast<std::uint64_t>(seed);
            run.config.device = study.device;
            run.config.threads = study.threads;
            const std::string what = command_line(run.arguments);
            const auto [there, fresh] = keys.try_emplace(run.key, what);
            if (!fresh && there->second == what) continue;  // the same run for two points
            if (!fresh)
              throw InvalidArgument(concat("study ", study.name, ": two different runs would be ",
                                           "named ", run.key, "; give the arms other names"));
            runs.push_back(std::move(run));
          }
        }
      }
    }
  }
  return runs;
}

std::string configuration_of(const PlannedRun& run) {
  if (run.missing.empty()) return to_toml(run.config);
  return concat("# cannot run on this machine: ", run.missing, "\n# ", command_line(run.arguments),
                "\n");
}

}  // namespace mneme::lab
