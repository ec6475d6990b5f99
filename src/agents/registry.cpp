// agents/registry.cpp - registered agents, and settings by name.
#include "agents/registry.h"

#include <algorithm>

#include "agents/settings/old_names.h"

namespace mneme {

#define MNEME_AGENT(name) AgentInfo name##_info();
#include "agents/registry.def"
#undef MNEME_AGENT

const std::vector<AgentInfo>& registered_agents() {
  static const std::vector<AgentInfo> kAgents{
#define MNEME_AGENT(name) name##_info(),
#include "agents/registry.def"
#undef MNEME_AGENT
  };
  return kAgents;
}

const AgentInfo& agent_info(std::string_view name) {
  std::vector<std::string> known;
  for (const AgentInfo& info : registered_agents()) {
    if (info.name == name) return info;
    known.emplace_back(info.name);
  }
  if (name == kFormerSacTd3)
    throw NotFound(concat("agent ", name, " is now two agents: sac and td3"));
  throw NotFound(unknown_name("agent", name, known));
}

void AgentConfig::set(std::string_view name, std::string_view text) {
  if (set_field(run, name, text) || set_own(name, text)) return;
  if (const std::string_view now = renamed_setting(name); !now.empty())
    throw NotFound(concat("setting ", name, " is now ", now));
  std::vector<std::string> known;
  for (const Field& field : list()) known.push_back(field.name);
  throw NotFound(unknown_name("setting", name, known));
}

std::vector<Field> AgentConfig::list() const {
  std::vector<Field> all = list_fields(run);
  for (Field& field : list_own()) all.push_back(std::move(field));
  return all;
}

Index AgentShape::observation() const {
  Index widest = 0;
  for (const AgentTask& task : tasks) widest = std::max(widest, task.observation);
  return widest;
}

Index AgentShape::action() const {
  Index widest = 0;
  for (const AgentTask& task : tasks) widest = std::max(widest, task.action);
  return widest;
}

}  // namespace mneme
