// agents/registry.h - agents by name, and their presets.
#pragma once

#include "agents/config.h"

namespace mneme {

struct AgentInfo {
  std::string_view name, summary;
  std::vector<std::string_view> presets;
  /// The settings of a preset for these tasks. Throws NotFound.
  std::unique_ptr<AgentConfig> (*config)(std::string_view preset, const AgentShape& shape);
};

const std::vector<AgentInfo>& registered_agents();
/// Throws NotFound with the known names.
const AgentInfo& agent_info(std::string_view name);

}  // namespace mneme
