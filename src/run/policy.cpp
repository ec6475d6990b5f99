// run/policy.cpp - rules, and agents from checkpoints.
#include "run/policy.h"

#include <filesystem>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/rng.h"
#if MNEME_AGENTS
#include "run/trainer.h"
#endif

namespace mneme::lab {
namespace {

constexpr std::uint32_t kPurpose = 0x706c6179;  // "play"

class ScriptedPolicy final : public Policy {
 public:
  ScriptedPolicy(std::string name, std::uint64_t seed)
      : name_(std::move(name)), rng_(seed, kPurpose) {}

  void begin(const VecEnv& envs) override { width_ = static_cast<std::size_t>(envs.action_size()); }
  void act(std::span<const float>, std::span<float> actions) override {
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (name_ == "random" || (name_ == "scalar" && i % width_ == 0))
        actions[i] = static_cast<float>(2 * rng_.uniform() - 1);
      else
        actions[i] = name_ == "scalar" ? actions[i - 1] : 0;
    }
  }

 private:
  std::string name_;
  Rng rng_;
  std::size_t width_ = 1;
};

#if MNEME_AGENTS
class Trained final : public Policy {
 public:
  explicit Trained(const std::string& directory) : trained_(load_agent(directory)) {
    prepare_compute(1);
  }

  std::string spec(const std::string& task) const override {
    return task.find("repeat=") == std::string::npos
               ? with_repeat(task, trained_.config.settings->run.repeat)
               : task;
  }
  void begin(const VecEnv& envs) override {
    const AgentShape& shape = trained_.config.shape;
    if (shape.tasks.size() != 1)
      throw InvalidArgument(concat("the run learned ", shape.tasks.size(),
                                   " tasks; play takes the policy of one, mneme eval of several"));
    if (envs.observation_size() != shape.observation() || envs.action_size() != shape.action())
      throw InvalidArgument(concat("the run is of ", trained_.config.tasks.front(), " with ",
                                   shape.observation(), " observations and ", shape.action(),
                                   " actions; ", envs.spec(0), " has ", envs.observation_size(),
                                   " and ", envs.action_size()));
  }
  void act(std::span<const float> observations, std::span<float> actions) override {
    trained_.agent->act({observations}, actions, Acting::evaluate);
  }

 private:
  TrainedAgent trained_;
};
#endif

}  // namespace

std::unique_ptr<Policy> make_policy(const std::string& name, std::uint64_t seed) {
  if (name == "random" || name == "zero" || name == "scalar")
    return std::make_unique<ScriptedPolicy>(name, seed);
  std::error_code error;
  if (!std::filesystem::is_directory(name, error))
    throw NotFound(concat("--policy ", name, " is not known; give random, zero, scalar or the ",
                          "directory of a run of mneme train"));
#if MNEME_AGENTS
  return std::make_unique<Trained>(name);
#else
  throw NotFound(concat("--policy ", name, ": this build of mneme has no agents, LibTorch was not ",
                        "found; pip install torch==2.13.0 into .venv, then build again"));
#endif
}

}  // namespace mneme::lab
