// bench/agents/cases.h - what `mneme bench agents` measures: sizes, and the matrix products of
// their updates.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/common/matmuls.h"
#include "agents/registry.h"

namespace mneme::lab {

/// One agent at one size. Observations and actions are of that many numbers; there is no task
/// behind them.
struct AgentCase {
  std::string agent, size;  ///< size: "paper" or "laptop"
  Index observation = 0, action = 0, tasks = 1;
  std::vector<std::string> settings;  ///< "name=value", on top of the preset `size`

  std::unique_ptr<AgentConfig> config() const;
  /// For environments of that configuration.
  AgentShape shape(const AgentConfig& config) const;
};

/// Of this agent and size, "" for all. Throws NotFound with the known ones.
std::vector<AgentCase> agent_cases(const std::string& agent, const std::string& size);

/// The update of an agent, or a part of it that has a rhythm of its own.
struct UpdatePart {
  std::string name;                   ///< "update", or "critic" and "policy"
  std::vector<Product> products;      ///< every one that the definition of the update needs
  std::vector<std::string> settings;  ///< an agent with these does this part and those before it
  double per_update = 1;              ///< how often it happens
};

std::vector<UpdatePart> update_parts(const AgentCase& one, const AgentConfig& config);

/// A setting as a number; those of an agent by their names.
double setting(const AgentConfig& config, const std::string& name);

}  // namespace mneme::lab
