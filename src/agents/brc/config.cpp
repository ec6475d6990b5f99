// agents/brc/config.cpp - presets and checks of BRC.
#include "agents/brc/config.h"

#include <algorithm>

#include "agents/brc/learner.h"
#include "agents/settings/checks.h"

namespace mneme {
namespace {

// HumanoidBench: the settings of the run in docs/agents.md. They were found together; which of them
// matter was not looked into.
void make_small_for_humanoids(const AgentShape& shape, BrcConfig& config) {
  const auto tasks = static_cast<Index>(shape.tasks.size());
  BrcSettings& own = config.own;
  RunSettings& run = config.run;
  own.tau = 0.01;
  own.policy_delay = 2;
  run.num_envs = std::max<Index>(1, 32 / tasks);
  run.utd = 4;
  run.batch_size = 256;
  run.n_step = 3;
  run.steps = 40'000;
  run.capacity = 50'000;
  run.random_steps = 99;
  run.learning_starts = 100;
  run.eval_every = 2'000;
}

std::unique_ptr<AgentConfig> preset(std::string_view name, const AgentShape& shape) {
  auto config = std::make_unique<BrcConfig>();
  BrcSettings& own = config->own;
  RunSettings& run = config->run;

  run.steps = 1'000'000;
  run.utd = 2;
  run.batch_size = shape.tasks.size() > 1 ? 1024 : 256;
  // The policy acts from the 5000th step on, and that step has the first updates.
  run.random_steps = 4'999;
  run.learning_starts = 5'000;
  run.discount = 0.99;
  run.eval_every = 50'000;
  run.eval_episodes = 10;
  run.truncation_wins = true;
  if (name == "laptop") {
    own.critic_width = 128;
    own.actor_width = 128;
    own.learning_rate = 5e-4;
    // From the public code's 0.1 at its rate the entropy stays the largest for ten thousand
    // updates.
    own.temperature = 0.01;
    own.temperature_learning_rate = 1e-3;
    run.batch_size = 128;
    run.steps = 25'000;
    run.capacity = 100'000;
    run.random_steps = 999;
    run.learning_starts = 1'000;
    run.eval_every = 2'500;
    run.eval_episodes = 5;
    const std::string_view suite = shape.tasks.empty() ? "" : shape.tasks.front().suite();
    if (suite == "hb" || suite == "humanoid_bench") make_small_for_humanoids(shape, *config);
  } else if (name != "upstream" && name != "paper") {
    throw NotFound(unknown_name("preset of brc", name, {"upstream", "paper", "laptop"}));
  }
  return config;
}

}  // namespace

AgentInfo brc_info() {
  return {.name = "brc",
          .summary = "SAC with wide residual categorical critics; one task or many at once",
          .presets = {"upstream", "paper", "laptop"},
          .config = &preset};
}

void BrcConfig::check(const AgentShape& shape) const {
  mneme::check(run);
  if (shape.tasks.empty()) throw InvalidArgument("brc needs at least one task, got 0");
  check_warm_up(run, shape.streams());
  one_of("reward_normalizer", own.reward_normalizer, {"returns", "moments", "none"});
  one_of("priority", own.priority, {"value", "cross_entropy"});
  at_least("actor_width", own.actor_width, 1);
  at_least("critic_width", own.critic_width, 1);
  at_least("actor_blocks", own.actor_blocks, 0);
  at_least("critic_blocks", own.critic_blocks, 0);
  at_least("task_embedding_dim", own.task_embedding_dim, 1);
  at_least("num_atoms", own.num_atoms, 2);
  at_least("policy_delay", own.policy_delay, 1);
  within("v_max", own.v_max, 1e-6, 1e6);
  within("tau", own.tau, 0, 1);
  within("temperature", own.temperature, 1e-12, 1e6);
  within("temperature_beta1", own.temperature_beta1, 0, 0.999999);
  if (own.reward_normalizer == "returns" && !(run.discount < 1))
    throw InvalidArgument(concat("discount must be below 1 with reward_normalizer=returns, got ",
                                 run.discount, "; set another reward_normalizer"));
}

NetworkShapes BrcConfig::network_shapes(const AgentShape& shape) const {
  // Dense layers have a bias; those of the trunk a scale and a shift of their norm too.
  const auto trunk = [](Index in, Index width, Index blocks) {
    NetworkShape network;
    network.layers.push_back({in, width});
    network.layers.insert(network.layers.end(), static_cast<std::size_t>(2 * blocks),
                          {width, width});
    network.vectors = 3 * width * (1 + 2 * blocks);
    return network;
  };
  const auto tasks = static_cast<Index>(shape.tasks.size());
  const Index embedding = tasks > 1 ? own.task_embedding_dim : 0, action = shape.action();
  NetworkShapes all;
  all.actor = trunk(shape.observation() + embedding, own.actor_width, own.actor_blocks);
  all.actor.layers.insert(all.actor.layers.end(), 2, {own.actor_width, action});
  all.actor.vectors += 2 * action;
  all.critic = trunk(shape.observation() + action + embedding, own.critic_width, own.critic_blocks);
  all.critic.layers.push_back({own.critic_width, own.num_atoms});
  all.critic.vectors += own.num_atoms;
  all.critic.members = 2;
  all.critic.action = action;
  all.critic.embedding = embedding;
  all.critic.shared = tasks * embedding;
  all.others = 1;
  return all;
}

std::unique_ptr<Agent> BrcConfig::make(const AgentShape& shape, const AgentReaders& readers,
                                       const ComputeOptions& compute) const {
  check(shape);
  return std::make_unique<brc::Learner>(*this, shape, readers, compute);
}

}  // namespace mneme
