// tests/agents/every_agent_test.cpp - properties that every registered agent has.
#include <torch/csrc/jit/serialization/import.h>

#include "agents/nn/layers/initial.h"
#include "agents/registry.h"
#include "agents/support.h"

namespace mneme {
namespace {

AgentShape shape_of(Index tasks) {
  AgentShape shape;
  for (Index task = 0; task < tasks; ++task) shape.tasks.push_back({"dmc/small", 5, 3, 1000});
  return shape;
}

using Settings = std::vector<std::pair<const char*, const char*>>;

// A preset with these settings; null where the agent does not learn so many tasks.
std::unique_ptr<AgentConfig> config_of(const std::string& agent, const AgentShape& shape,
                                       const Settings& settings) {
  auto config = agent_info(agent).config("laptop", shape);
  for (const auto& [name, value] : settings) config->set(name, value);
  try {
    config->check(shape);
  } catch (const InvalidArgument&) {
    return nullptr;
  }
  return config;
}

// Settings that change the networks; small, so that making them takes milliseconds.
std::vector<Settings> variants(const std::string& agent) {
  if (agent == "sac" || agent == "td3")
    return {{{"actor_layers", "8"}, {"critic_layers", "8-4"}},
            {{"actor_layers", "7-5-3"}, {"critic_layers", "6"}}};
  std::vector<Settings> all{{{"actor_width", "8"}, {"critic_width", "12"}, {"num_atoms", "11"}}};
  for (const Settings& more :
       {Settings{{"actor_blocks", "2"}, {"critic_blocks", "3"}}, Settings{{"actor_blocks", "0"}}}) {
    all.push_back(all.front());
    all.back().insert(all.back().end(), more.begin(), more.end());
  }
  const auto add = [&](const char* name, const char* value) {
    all.push_back(all[1]);
    all.back().emplace_back(name, value);
  };
  if (agent == "simbav2") add("two_critics", "true");
  if (agent == "simbav2") add("expansion", "3");
  if (agent == "brc") add("task_embedding_dim", "5");
  if (agent == "fasttd3") add("network", "simbav2");
  if (agent == "fasttd3") add("sim_type", "both");
  if (agent == "fasttd3") add("sim_type", "critic");
  return all;
}

class EveryAgent : public ::testing::TestWithParam<std::string> {
 protected:
  // each(config, shape): for every variant, with one task and with three.
  template <class Each>
  void for_each_variant(const Each& each) {
    int count = 0;
    for (const Index tasks : {1, 3}) {
      const AgentShape shape = shape_of(tasks);
      for (const Settings& settings : variants(GetParam())) {
        const auto config = config_of(GetParam(), shape, settings);
        if (config == nullptr) continue;
        std::string trace = std::to_string(tasks) + " tasks";
        for (const auto& [name, value] : settings) trace += std::string(", ") + name + '=' + value;
        SCOPED_TRACE(trace);
        each(*config, shape);
        ++count;
      }
    }
    EXPECT_GE(count, 2);
  }
};

TEST_P(EveryAgent, NetworkShapesHaveTheParametersOfTheAgent) {
  for_each_variant([](const AgentConfig& config, const AgentShape& shape) {
    const ReplayBuffer buffer = testing::small_world(shape, "uniform", 20);
    const auto agent = config.make(shape, {buffer.reader(), {}}, {});
    const NetworkShapes shapes = config.network_shapes(shape);
    EXPECT_EQ(shapes.parameters(), agent->parameters());
    EXPECT_LT(shapes.actor.matrix_parameters(), shapes.actor.parameters());
    EXPECT_EQ(shapes.critic.action, shape.action());
  });
}

// tests/run/export_in_python.py also checks that a policy is not tied to the CPU.
TEST_P(EveryAgent, ExportedPolicyActsAsTheAgent) {
  for_each_variant([&](const AgentConfig& config, const AgentShape& shape) {
    const ReplayBuffer buffer = testing::small_world(shape, "uniform", 20);
    const auto agent = config.make(shape, {buffer.reader(), {}}, {.seed = 5});
    const std::string path = ::testing::TempDir() + "every_agent_" + GetParam() + ".pt";
    agent->export_policy(path);
    torch::jit::Module module = torch::jit::load(path);

    at::Generator generator = nn::make_generator(9, 1, at::kCPU);
    const std::int64_t rows = 6;
    const at::Tensor observations = at::randn({rows, shape.observation()}, generator);
    std::vector<std::int32_t> tasks;
    for (std::int64_t row = 0; row < rows; ++row)
      tasks.push_back(static_cast<std::int32_t>(row) %
                      static_cast<std::int32_t>(shape.tasks.size()));
    at::Tensor expected = at::empty({rows, shape.action()});
    agent->act(
        {{observations.data_ptr<float>(), static_cast<std::size_t>(observations.numel())}, tasks},
        {expected.data_ptr<float>(), static_cast<std::size_t>(expected.numel())}, Acting::evaluate);

    std::vector<c10::IValue> inputs{observations};
    if (shape.tasks.size() > 1) inputs.emplace_back(at::tensor(tasks, at::kLong));
    const at::Tensor actions = module.forward(inputs).toTensor();
    EXPECT_LT((actions - expected).abs().max().item<double>(), 1e-6);
  });
}

INSTANTIATE_TEST_SUITE_P(Agents, EveryAgent, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const AgentInfo& one : registered_agents())
                             names.emplace_back(one.name);
                           return names;
                         }()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace mneme
