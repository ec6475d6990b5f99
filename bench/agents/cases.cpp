// bench/agents/cases.cpp - layers of the agents' networks, counted as products.
#include "bench/agents/cases.h"

#include <algorithm>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

struct Layer {
  Index in = 0, out = 0;
};

// Layers in the order of the forward pass; the first one sees observations, and in a critic the
// action, which are `action` of its columns.
struct Network {
  Index members = 1;
  bool stacked = false;  // members as one batched product, or one after the other
  std::vector<Layer> layers;
  Index action = 0, embedding = 0;
};

class Counting {
 public:
  explicit Counting(Index batch) : batch_(batch) {}

  void forward(const Network& network) {
    for (const Layer& layer : network.layers)
      add(network, {Product::Of::output, 1, batch_, layer.in, layer.out});
  }
  void weight_slopes(const Network& network) {
    for (const Layer& layer : network.layers)
      add(network, {Product::Of::weight_slope, 1, layer.out, batch_, layer.in});
  }
  // Back to the first layer's output, and on to so many of its inputs.
  void input_slopes(const Network& network, Index first_columns) {
    for (std::size_t k = 0; k < network.layers.size(); ++k) {
      const Index columns = k == 0 ? first_columns : network.layers[k].in;
      if (columns > 0)
        add(network, {Product::Of::input_slope, 1, batch_, network.layers[k].out, columns});
    }
  }

  // The critics learn: targets by actor and target critics, then their own slopes.
  void critic_update(const Network& actor, const Network& critic) {
    forward(actor);
    forward(critic);
    forward(critic);
    weight_slopes(critic);
    input_slopes(critic, critic.embedding);
  }
  // The actor learns: through the critics to the action, no slopes of their weights.
  void actor_update(const Network& actor, const Network& critic) {
    forward(actor);
    forward(critic);
    input_slopes(critic, critic.action);
    weight_slopes(actor);
    input_slopes(actor, 0);
  }

  std::vector<Product> take() { return std::move(products_); }

 private:
  void add(const Network& network, Product product) {
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

Network fasttd3_network(Index in, Index width, Index out, Index members, Index action) {
  return {.members = members,
          .stacked = false,
          .layers = {{in, width}, {width, width / 2}, {width / 2, width / 4}, {width / 4, out}},
          .action = action,
          .embedding = 0};
}

Network simbav2_trunk(Index in, Index width, Index blocks, Index expansion) {
  Network network{
      .members = 1, .stacked = true, .layers = {{in + 1, width}}, .action = 0, .embedding = 0};
  for (Index k = 0; k < blocks; ++k) {
    network.layers.push_back({width, expansion * width});
    network.layers.push_back({expansion * width, width});
  }
  return network;
}

Network brc_trunk(Index in, Index width, Index blocks) {
  Network network{
      .members = 1, .stacked = false, .layers = {{in, width}}, .action = 0, .embedding = 0};
  network.layers.insert(network.layers.end(), static_cast<std::size_t>(2 * blocks), {width, width});
  return network;
}

std::pair<Network, Network> networks_of(const AgentCase& one, const AgentConfig& config) {
  const auto whole = [&](const char* name) { return static_cast<Index>(setting(config, name)); };
  const Index actor = whole("actor_width"), critic = whole("critic_width"),
              atoms = whole("num_atoms");
  const Index both = one.observation + one.action;
  if (one.agent == "fasttd3")
    return {fasttd3_network(one.observation, actor, one.action, 1, 0),
            fasttd3_network(both, critic, atoms, 2, one.action)};

  Network policy, value;
  if (one.agent == "simbav2") {
    policy = simbav2_trunk(one.observation, actor, whole("actor_blocks"), whole("expansion"));
    for (int head = 0; head < 2; ++head) {
      policy.layers.push_back({actor, actor});
      policy.layers.push_back({actor, one.action});
    }
    value = simbav2_trunk(both, critic, whole("critic_blocks"), whole("expansion"));
    value.members = setting(config, "two_critics") != 0 ? 2 : 1;
    value.layers.push_back({critic, critic});
  } else {
    const Index embedding = one.tasks > 1 ? whole("task_embedding_dim") : 0;
    policy = brc_trunk(one.observation + embedding, actor, whole("actor_blocks"));
    policy.layers.push_back({actor, one.action});
    policy.layers.push_back({actor, one.action});
    value = brc_trunk(both + embedding, critic, whole("critic_blocks"));
    value.members = 2;
    value.embedding = embedding;
  }
  value.layers.push_back({critic, atoms});
  value.action = one.action;
  return {policy, value};
}

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
    throw NotFound(concat("'", agent,
                          "' has no sizes to be measured at; its whole training loop is ",
                          "measured by scripts/bench ", agent));
  return chosen;
}

std::vector<UpdatePart> update_parts(const AgentCase& one, const AgentConfig& config) {
  const auto [actor, critic] = networks_of(one, config);
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
