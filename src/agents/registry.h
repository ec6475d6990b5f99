// agents/registry.h - agents by name, their presets and settings.
#pragma once

#include "agents/agent.h"

namespace mneme {

/// Once per process, before the first agent: how many threads work on tensors, and that memory is
/// kept between updates.
void prepare_compute(Index threads);

/// Throws NotFound if there is no such device here, saying which there are.
void check_device(const std::string& name);

/// Where tensors live, and what the initial weights and all noise come from.
struct ComputeOptions {
  std::string device = "cpu";  ///< "cpu", "cuda", "cuda:1"
  std::uint64_t seed = 0;
};

/// An agent's settings: those of its loop and its own.
class AgentConfig {
 public:
  virtual ~AgentConfig() = default;

  RunSettings run;
  /// By name, in either. Throws NotFound with the known names, InvalidArgument.
  void set(std::string_view name, std::string_view text);
  /// All of them: the loop's first.
  std::vector<Field> list() const;

  /// Throws InvalidArgument for tasks this agent cannot have or settings that do not fit them.
  virtual void check(const AgentShape& shape) const = 0;
  virtual std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                                      const ComputeOptions& compute) const = 0;

 private:
  virtual bool set_own(std::string_view name, std::string_view text) = 0;
  virtual std::vector<Field> list_own() const = 0;
};

struct AgentInfo {
  std::string_view name, summary;
  std::vector<std::string_view> presets;
  /// The settings of a preset for these tasks. Throws NotFound.
  std::unique_ptr<AgentConfig> (*config)(std::string_view preset, const AgentShape& shape);
};

const std::vector<AgentInfo>& registered_agents();
/// Throws NotFound with the known names.
const AgentInfo& agent_info(std::string_view name);

/// AgentConfig of a settings struct with `fields` (agents/fields.h): what every agent does the same
/// way.
template <class Own>
class AgentConfigOf : public AgentConfig {
 public:
  Own own;

 private:
  bool set_own(std::string_view name, std::string_view text) override {
    return set_field(own, name, text);
  }
  std::vector<Field> list_own() const override { return list_fields(own); }
};

}  // namespace mneme
