// bench/agents/cases.cpp - sizes to measure, and the matmuls of their updates.
#include "bench/agents/cases.h"

#include <algorithm>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

class Counting {
 public:
  explicit Counting(Index batch) : batch_(batch) {}

  void forward(const NetworkShape& network) {
    for (const LayerShape& layer : network.layers)
      add(network, {Product::Of::output, 1, batch_, layer.in, layer.out});
  }
  void weight_slopes(const NetworkShape& network) {
    for (const LayerShape& layer : network.layers)
      add(network, {Product::Of::weight_slope, 1, layer.out, batch_, layer.in});
  }
  // Back to the first layer's output, and on to so many of its inputs.
  void input_slopes(const NetworkShape& network, Index first_columns) {
    for (std::size_t k = 0; k < network.layers.size(); ++k) {
      const Index columns = k == 0 ? first_columns : network.layers[k].in;
      if (columns > 0)
        add(network, {Product::Of::input_slope, 1, batch_, network.layers[k].out, columns});
    }
  }

  // The critics learn: targets by actor and target critics, then their own slopes.
  void critic_update(const NetworkShape& actor, const NetworkShape& critic) {
    forward(actor);
    forward(critic);
    forward(critic);
    weight_slopes(critic);
    input_slopes(critic, critic.embedding);
  }
  // The actor learns: through the critics to the action, no slopes of their weights.
  void actor_update(const NetworkShape& actor, const NetworkShape& critic) {
    forward(actor);
    forward(critic);
    input_slopes(critic, critic.action);
    weight_slopes(actor);
    input_slopes(actor, actor.embedding);
  }

  std::vector<Product> take() { return std::move(products_); }

 private:
  void add(const NetworkShape& network, Product product) {
    if (network.stacked) {
      product.members = network.members;
      products_.push_back(product);
      return;
    }
    products_.insert(products_.end(), static_cast<std::size_t>(network.members), product);
  }

  Index batch_;
  std::vector<Product> products_;
};

}  // namespace

std::unique_ptr<AgentConfig> AgentCase::config() const {
  AgentShape sizes;
  for (Index task = 0; task < tasks; ++task)
    sizes.tasks.push_back({size == "laptop" ? "dmc/walker-run" : "hb/h1-walk", observation, action,
                           /*horizon=*/1000});
  std::unique_ptr<AgentConfig> config = agent_info(agent).config(size, sizes);
  for (const std::string& text : settings)
    config->set(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  return config;
}

AgentShape AgentCase::shape(const AgentConfig& config) const {
  AgentShape shape;
  shape.environments = config.run.num_envs;
  for (Index task = 0; task < tasks; ++task)
    shape.tasks.push_back({concat("bench/task-", task), observation, action, 1000});
  return shape;
}

std::vector<AgentCase> agent_cases(const std::string& agent, const std::string& size) {
  if (!agent.empty()) agent_info(agent);  // throws for one that is not known
  if (!size.empty() && size != "paper" && size != "laptop")
    throw NotFound(unknown_name("size", size, {"laptop", "paper"}));
  const std::vector<AgentCase> all{
      {"simbav2", "laptop", 24, 6, 1, {}},
      {"fasttd3", "laptop", 24, 6, 1, {}},
      {"brc", "laptop", 24, 6, 4, {}},
      {"simbav2", "paper", 51, 19, 1, {}},
      {"fasttd3", "paper", 151, 61, 1, {"batch_size=2048"}},
      {"brc", "paper", 51, 19, 1, {"critic_width=512", "batch_size=256"}},
      {"brc", "paper", 51, 19, 13, {"critic_width=512", "batch_size=1024"}}};
  std::vector<AgentCase> chosen;
  for (const AgentCase& one : all)
    if ((agent.empty() || one.agent == agent) && (size.empty() || one.size == size))
      chosen.push_back(one);
  if (chosen.empty())
    throw NotFound(concat("agent '", agent, "' has no sizes in this benchmark; scripts/bench sac ",
                          "measures the whole training loop of sac"));
  return chosen;
}

std::vector<UpdatePart> update_parts(const AgentCase& one, const AgentConfig& config) {
  const NetworkShapes networks = config.network_shapes(one.shape(config));
  const NetworkShape &actor = networks.actor, &critic = networks.critic;
  Counting first(config.run.batch_size), second(config.run.batch_size);
  first.critic_update(actor, critic);
  if (one.agent != "fasttd3") {
    first.actor_update(actor, critic);
    return {{"update", first.take(), {}, 1}};
  }
  // A frequency no run reaches: critics alone. Of 1: both, every time. utd above 1, because a lone
  // update per step goes by the number of the step.
  second.actor_update(actor, critic);
  return {
      {"critic", first.take(), {"utd=2", "policy_delay=1000000000"}, 1},
      {"policy", second.take(), {"utd=2", "policy_delay=1"}, 1 / setting(config, "policy_delay")}};
}

double setting(const AgentConfig& config, const std::string& name) {
  for (const Field& field : config.list()) {
    if (field.name != name) continue;
    if (field.value == "true") return 1;
    if (field.value == "false") return 0;
    return std::stod(field.value);
  }
  throw NotFound(concat("there is no setting '", name, "'"));
}

}  // namespace mneme::lab
