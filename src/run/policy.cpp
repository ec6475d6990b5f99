// run/policy.cpp - scripted policies.
#include "run/policy.h"

#include "mneme/rng.h"

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

}  // namespace

std::unique_ptr<Policy> scripted_policy(const std::string& name, std::uint64_t seed) {
  if (name != "random" && name != "zero" && name != "scalar") return nullptr;
  return std::make_unique<ScriptedPolicy>(name, seed);
}

}  // namespace mneme::lab
