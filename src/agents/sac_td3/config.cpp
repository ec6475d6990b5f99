// agents/sac_td3/config.cpp - presets and checks of `sac` and `td3`.
#include "agents/sac_td3/config.h"

#include "agents/sac_td3/learner.h"
#include "agents/settings/checks.h"

namespace mneme {
namespace {

template <SacTd3Algorithm algorithm>
std::unique_ptr<AgentConfig> preset(std::string_view name, const AgentShape&) {
  auto config = std::make_unique<SacTd3Config>();
  SacTd3Settings& own = config->own;
  RunSettings& run = config->run;

  own.algorithm = algorithm;
  if (!own.sac()) {
    own.actor_layers = own.critic_layers = "400-300";
    own.learning_rate = 1e-3;
  }
  run.steps = 1'000'000;
  run.eval_every = 10'000;
  run.eval_episodes = 5;
  if (name == "laptop") {
    own.actor_layers = own.critic_layers = "128-128";
    own.learning_rate = 1e-3;
    run.batch_size = 128;
    run.steps = 50'000;
    run.capacity = 100'000;
    run.random_steps = run.learning_starts = 1'000;
    run.eval_every = 5'000;
  } else if (name != "upstream" && name != "paper") {
    throw NotFound(
        unknown_name(concat("preset of ", own.agent()), name, {"upstream", "paper", "laptop"}));
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
      throw InvalidArgument(concat(name,
                                   " must be layer widths of 1 to 999999 joined by dashes, such ",
                                   "as 256-256, got '", text, "'"));
    begin = end + 1;
  }
  return sizes;
}

AgentInfo sac_info() {
  return {.name = "sac",
          .summary = "plain SAC on small networks; one task",
          .presets = {"upstream", "paper", "laptop"},
          .config = &preset<SacTd3Algorithm::sac>};
}

AgentInfo td3_info() {
  return {.name = "td3",
          .summary = "plain TD3 on small networks; one task",
          .presets = {"upstream", "paper", "laptop"},
          .config = &preset<SacTd3Algorithm::td3>};
}

void SacTd3Config::check(const AgentShape& shape) const {
  mneme::check(run);
  check_warm_up(run, shape.streams());
  if (shape.tasks.size() != 1)
    throw InvalidArgument(concat(own.agent(), " learns one task, got ", shape.tasks.size(),
                                 "; brc and fasttd3 learn several"));
  layer_sizes("actor_layers", own.actor_layers);
  layer_sizes("critic_layers", own.critic_layers);
  at_least("learning_rate", own.learning_rate, 0);
  within("tau", own.tau, 0, 1);
  within("temperature", own.temperature, 1e-12, 1e6);
  at_least("policy_delay", own.policy_delay, 1);
  at_least("policy_noise", own.policy_noise, 0);
  at_least("noise_clip", own.noise_clip, 0);
  at_least("exploration_noise", own.exploration_noise, 0);
}

NetworkShapes SacTd3Config::network_shapes(const AgentShape& shape) const {
  const auto perceptron = [](Index in, const std::vector<std::int64_t>& hidden, Index out) {
    NetworkShape network;
    for (const std::int64_t width : hidden) {
      network.layers.push_back({in, width});
      in = width;
    }
    network.layers.push_back({in, out});
    for (const LayerShape& layer : network.layers) network.vectors += layer.out;
    return network;
  };
  const Index observation = shape.observation(), action = shape.action();
  NetworkShapes all;
  all.actor = perceptron(observation, layer_sizes("actor_layers", own.actor_layers),
                         own.sac() ? 2 * action : action);
  all.critic = perceptron(observation + action, layer_sizes("critic_layers", own.critic_layers), 1);
  all.critic.members = 2;
  all.critic.stacked = true;
  all.critic.action = action;
  all.others = own.sac() && own.learn_temperature ? 1 : 0;
  return all;
}

std::unique_ptr<Agent> SacTd3Config::make(const AgentShape& shape, const AgentReaders& readers,
                                          const ComputeOptions& compute) const {
  check(shape);
  return std::make_unique<sac_td3::Learner>(*this, shape, readers, compute);
}

}  // namespace mneme
