// run/trained_policy.cpp - the agent of a checkpoint as a policy.
#include "base/text.h"
#include "mneme/error.h"
#include "run/policy.h"
#include "run/trainer.h"

namespace mneme::lab {
namespace {

class Trained final : public Policy {
 public:
  explicit Trained(const std::string& directory) : trained_(load_agent(directory)) {
    prepare_compute(1);
  }

  std::string spec(const std::string& task) const override {
    return task.find("repeat=") == std::string::npos
               ? with_repeat(task, trained_.config.settings->run.action_repeat)
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

}  // namespace

std::unique_ptr<Policy> trained_policy(const std::string& directory) {
  return std::make_unique<Trained>(directory);
}

}  // namespace mneme::lab
