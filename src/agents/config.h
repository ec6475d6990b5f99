// agents/config.h - settings of an agent, and the agent made from them.
#pragma once

#include <memory>

#include "agents/agent.h"
#include "agents/common/network_shapes.h"
#include "agents/common/runtime.h"

namespace mneme {

/// An agent's settings: those of the training loop and its own.
class AgentConfig {
 public:
  virtual ~AgentConfig() = default;

  RunSettings run;
  /// Sets either kind by name. Throws NotFound with the known names, or with the present name of a
  /// renamed setting; InvalidArgument for a value of the wrong type.
  void set(std::string_view name, std::string_view text);
  /// All settings: the loop's first.
  std::vector<Field> list() const;

  /// Throws InvalidArgument for tasks that this agent cannot learn and settings that do not fit.
  virtual void check(const AgentShape& shape) const = 0;
  /// Sizes of the networks that make() would create.
  virtual NetworkShapes network_shapes(const AgentShape& shape) const = 0;
  virtual std::unique_ptr<Agent> make(const AgentShape& shape, const AgentReaders& readers,
                                      const ComputeOptions& compute) const = 0;

 private:
  virtual bool set_own(std::string_view name, std::string_view text) = 0;
  virtual std::vector<Field> list_own() const = 0;
};

/// AgentConfig of a settings struct with `fields` (settings/fields.h): the part that is the same
/// for every agent.
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
