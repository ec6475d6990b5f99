// agents/baseline/config.cpp - presets, and what the baseline cannot do.
#include "agents/baseline/config.h"

#include "agents/baseline/learner.h"
#include "agents/checks.h"

namespace mneme {
namespace {

std::unique_ptr<AgentConfig> preset(std::string_view name, const AgentShape&) {
  auto config = std::make_unique<BaselineConfig>();
  BaselineSettings& own = config->own;
  RunSettings& run = config->run;

  run.steps = 1'000'000;
  run.eval_every = 10'000;
  run.eval_episodes = 5;
  if (name == "upstream_td3") {
    own.algorithm = "td3";
    own.actor_layers = own.critic_layers = "400-300";
    own.rate = 1e-3;
  } else if (name == "laptop") {
    own.actor_layers = own.critic_layers = "128-128";
    own.rate = 1e-3;
    run.batch = 128;
    run.steps = 50'000;
    run.capacity = 100'000;
    run.random_steps = run.first_update = 1'000;
    run.eval_every = 5'000;
  } else if (name != "upstream" && name != "paper") {
    throw NotFound(
        unknown_name("preset of baseline", name, {"upstream", "upstream_td3", "paper", "laptop"}));
  }
  return config;
}

}  // namespace

std::vector<std::int64_t> layer_sizes(const char* name, const std::string& text) {
  std::vector<std::int64_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('-', begin), text.size());
    const std::string number = text.substr(begin, end - begin);
    const bool digits = !number.empty() && number.size() < 7 &&
                        number.find_first_not_of("0123456789") == std::string::npos;
    sizes.push_back(digits ? std::stoll(number) : 0);
    if (sizes.back() < 1)
      throw InvalidArgument(concat(name, " is '", text, "'; it is the units of each layer, 1 to ",
                                   "999999, with dashes between them, for example 256-256"));
    begin = end + 1;
  }
  return sizes;
}

AgentInfo baseline_info() {
  return {.name = "baseline",
          .summary = "plain SAC, or TD3 by algorithm=td3, on small networks; one task",
          .presets = {"upstream", "upstream_td3", "paper", "laptop"},
          .config = &preset};
}

void BaselineConfig::check(const AgentShape& shape) const {
  mneme::check(run);
  check_warm_up(run, shape.streams());
  if (shape.tasks.size() != 1)
    throw InvalidArgument(concat("baseline learns one task, ", shape.tasks.size(),
                                 " were given; brc learns several"));
  one_of("algorithm", own.algorithm, {"sac", "td3"});
  layer_sizes("actor_layers", own.actor_layers);
  layer_sizes("critic_layers", own.critic_layers);
  at_least("rate", own.rate, 0);
  within("tau", own.tau, 0, 1);
  within("temperature", own.temperature, 1e-12, 1e6);
  at_least("delay", own.delay, 1);
  at_least("target_noise", own.target_noise, 0);
  at_least("target_noise_bound", own.target_noise_bound, 0);
  at_least("exploration", own.exploration, 0);
}

std::unique_ptr<Agent> BaselineConfig::make(const AgentShape& shape, const AgentReaders& readers,
                                            const ComputeOptions& compute) const {
  check(shape);
  return std::make_unique<baseline::Learner>(*this, shape, readers, compute);
}

}  // namespace mneme
