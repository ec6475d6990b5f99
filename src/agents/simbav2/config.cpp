// agents/simbav2/config.cpp - presets and checks of SimbaV2.
#include "agents/simbav2/config.h"

#include <algorithm>

#include "agents/settings/checks.h"
#include "agents/simbav2/learner.h"

namespace mneme {
namespace {

std::unique_ptr<AgentConfig> preset(std::string_view name, const AgentShape& shape) {
  auto config = std::make_unique<SimbaV2Config>();
  SimbaV2Settings& own = config->own;
  RunSettings& run = config->run;
  const AgentTask task = shape.tasks.empty() ? AgentTask{} : shape.tasks.front();

  // By suite, not by whether the task ends early: as the public code has it. A suite that it does
  // not know is taken as it comes.
  const auto is_of = [&](std::initializer_list<const char*> suites) {
    return std::find(suites.begin(), suites.end(), task.suite()) != suites.end();
  };
  own.two_critics = is_of({"hb", "humanoid_bench", "gym"});
  run.action_repeat =
      is_of({"gym", "robotics", "metaworld", "isaac", "envpool", "synthetic"}) ? 1 : 2;
  run.steps = 1'000'000 / run.action_repeat;
  run.utd = static_cast<double>(run.action_repeat);
  run.eval_at_start = true;
  if (task.horizon > 0) {
    // MyoSuite's limits differ by task; its discount is that of 100 steps for all.
    run.discount = simbav2_discount(task.suite() == "myo" ? 100 : task.horizon, run.action_repeat);
  }
  if (name == "laptop") {
    own.critic_width = 64;
    own.actor_width = 64;
    own.critic_blocks = 1;
    // Fewer updates than published have to move the scales of the layers as far.
    own.learning_rate = 1e-3;
    own.learning_rate_end = 1e-4;
    run.batch_size = 128;
    run.utd = 1;
    run.steps = 50'000;
    run.capacity = 100'000;
    run.random_steps = run.learning_starts = 1'000;
    run.eval_every = 5'000;
    run.eval_episodes = 5;
  } else if (name != "upstream" && name != "paper") {
    throw NotFound(unknown_name("preset of simbav2", name, {"upstream", "paper", "laptop"}));
  }
  return config;
}

}  // namespace

double simbav2_discount(Index horizon, Index repeat) {
  const double fifth = static_cast<double>(horizon) / static_cast<double>(repeat) / 5;
  return std::clamp((fifth - 1) / fifth, 0.95, 0.995);
}

AgentInfo simbav2_info() {
  return {.name = "simbav2",
          .summary = "SAC on hyperspherical networks with a categorical critic; one task",
          .presets = {"upstream", "paper", "laptop"},
          .config = &preset};
}

void SimbaV2Config::check(const AgentShape& shape) const {
  mneme::check(run);
  check_warm_up(run, shape.streams());
  if (shape.tasks.size() != 1)
    throw InvalidArgument(concat("simbav2 learns one task, got ", shape.tasks.size(),
                                 "; brc and fasttd3 learn several"));
  one_of("priority", own.priority, {"value", "cross_entropy"});
  one_of("scaler", own.scaler, {"new", "old"});
  at_least("num_atoms", own.num_atoms, 2);
  at_least("actor_width", own.actor_width, 1);
  at_least("critic_width", own.critic_width, 1);
  at_least("actor_blocks", own.actor_blocks, 0);
  at_least("critic_blocks", own.critic_blocks, 0);
  at_least("expansion", own.expansion, 1);
  at_least("learning_rate", own.learning_rate, 0);
  at_least("learning_rate_end", own.learning_rate_end, 0);
  within("v_max", own.v_max, 1e-6, 1e6);
  within("tau", own.tau, 0, 1);
  within("temperature", own.temperature, 1e-12, 1e6);
}

NetworkShapes SimbaV2Config::network_shapes(const AgentShape& shape) const {
  const Index observation = shape.observation(), action = shape.action();
  NetworkShapes all;
  all.actor = nn::encoder_shape(observation, own.actor_width, own.actor_blocks, own.expansion);
  nn::add_head_shape(all.actor, own.actor_width, action);  // mean
  nn::add_head_shape(all.actor, own.actor_width, action);  // log_std
  all.actor.stacked = true;
  all.critic =
      nn::encoder_shape(observation + action, own.critic_width, own.critic_blocks, own.expansion);
  nn::add_head_shape(all.critic, own.critic_width, own.num_atoms);
  all.critic.members = own.two_critics ? 2 : 1;
  all.critic.stacked = true;
  all.critic.action = action;
  all.others = 1;
  return all;
}

std::unique_ptr<Agent> SimbaV2Config::make(const AgentShape& shape, const AgentReaders& readers,
                                           const ComputeOptions& compute) const {
  check(shape);
  return std::make_unique<simbav2::Learner>(*this, shape, readers, compute);
}

}  // namespace mneme
