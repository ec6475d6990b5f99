// agents/agent.h - the interface between agents and the training loop.
//
//   agent->begin_step(observations);                       // what it is about to act on
//   agent->act({observations, tasks}, actions, Acting::explore);
//   ... the environments step, the buffer gets the transition ...
//   agent->end_step(outcome);
//   agent->learn(updates, progress);                       // draws its own batches
//
// Rows are environments, in the order of the run. Nothing here needs a tensor header.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agents/settings/run_settings.h"
#include "base/state.h"
#include "mneme/replay_reader.h"

namespace mneme {

/// A loss or weight became NaN or infinite. The message says where and when.
struct Diverged : Error {
  using Error::Error;
};

/// One task as an agent sees it.
struct AgentTask {
  std::string name;  ///< "suite/task"
  Index observation = 0, action = 0;
  Index horizon = 0;  ///< simulation steps of an episode
  std::string_view suite() const { return std::string_view(name).substr(0, name.find('/')); }
};

/// Sizes that an agent is made for. Observations and actions are padded to the widest task.
struct AgentShape {
  std::vector<AgentTask> tasks;
  Index environments = 1;  ///< of each task

  Index observation() const;
  Index action() const;
  Index streams() const { return static_cast<Index>(tasks.size()) * environments; }
};

/// Where batches come from: one reader, or another for the actor.
struct AgentReaders {
  ReplayReader critic;
  std::optional<ReplayReader> actor;
};

/// Observations to act on, and the task of each; empty: all of the first task.
struct ActRows {
  std::span<const float> observations;
  std::span<const std::int32_t> tasks = {};
};

enum class Acting { explore, evaluate };

/// Seconds that learn() has spent on batches since the agent was made.
struct BatchSeconds {
  double sampling =
      0;  ///< sampling and gathering (one call of the reader), and the copy to the device
  double feedback = 0;  ///< priorities
};

/// Outcome of a vector step.
struct StepOutcome {
  std::span<const float> rewards;
  std::span<const std::uint8_t> terminated, truncated;
};

/// Means of training metrics since the last call of take_metrics(), by name.
using Metrics = std::map<std::string, double>;

class Agent {
 public:
  virtual ~Agent() = default;

  virtual void begin_step(std::span<const float> observations) = 0;
  virtual void act(const ActRows& rows, std::span<float> actions, Acting how) = 0;
  virtual void end_step(const StepOutcome& outcome) = 0;
  /// Running episodes were interrupted: the next observations begin new ones.
  virtual void on_episodes_interrupted() {}

  /// Throws Diverged; checkpoints saved before remain valid.
  virtual void learn(Index updates, double progress) = 0;

  virtual Metrics take_metrics() = 0;
  virtual BatchSeconds batch_seconds() const = 0;

  /// Everything that decides how training continues, for an agent made with the same settings.
  virtual void save(StateWriter& out) const = 0;
  /// Throws CorruptData.
  virtual void load(StateReader& in) = 0;

  /// A file that Python's torch.jit.load reads: a module that maps observations (rows) to actions,
  /// without exploration. Throws IoError.
  virtual void export_policy(const std::string& path) const = 0;

  virtual Index parameters() const = 0;  ///< learned parameters
};

}  // namespace mneme
