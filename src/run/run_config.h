// run/run_config.h - everything that decides a training run, and its file config.toml.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/registry.h"

namespace mneme::lab {

struct RunConfig {
  std::string agent, preset = "laptop";
  std::vector<std::string> tasks;  ///< canonical specs, sets resolved
  std::uint64_t seed = 0;
  std::string device = "cpu";
  Index threads = 1;            ///< of the environments and of tensor operations
  std::string replay = "disk";  ///< or memory: no faster; writes no files, cannot be resumed
  std::shared_ptr<AgentConfig> settings;
  AgentShape shape;

  /// As given to make_vec_env: with this run's action repeat.
  std::vector<std::string> env_specs() const;
};

/// A task spec with its action repeat.
std::string with_repeat(const std::string& task, Index repeat);

/// Looks up tasks, fills in the preset, then sets `overrides` ("key=value"). Throws NotFound for
/// unknown names, InvalidArgument for values that do not fit. Makes no files.
RunConfig resolve_run(const std::string& agent, const std::string& preset,
                      const std::vector<std::string>& tasks,
                      const std::vector<std::string>& overrides);

/// Throws what is wrong with a run's samplers; empty ones are the agent's own.
void check_samplers(const std::string& sampler, const std::string& actor_sampler);

std::string to_toml(const RunConfig& config);
/// Throws CorruptData, naming `origin`, if the text is not what to_toml writes.
RunConfig from_toml(const std::string& text, const std::string& origin);

/// What a directory's state is told from, without looking up agents and tasks.
struct RunOutline {
  Index steps = 0;
  std::string replay;
};
/// Throws CorruptData, naming `origin`.
RunOutline outline_of(const std::string& text, const std::string& origin);

/// The largest seed: config.toml holds it as a signed number of 64 bits.
inline constexpr std::uint64_t kLargestSeed = (std::uint64_t{1} << 63) - 1;

}  // namespace mneme::lab
