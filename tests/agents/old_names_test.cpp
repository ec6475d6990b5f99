// tests/agents/old_names_test.cpp - former names of settings and agents.
#include "agents/settings/old_names.h"

#include <gtest/gtest.h>

#include <set>

#include "agents/registry.h"

namespace mneme {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

AgentShape shape_of() { return {.tasks = {{"dmc/walker-run", 5, 3, 1000}}, .environments = 1}; }

std::string refusal(const std::string& agent, const std::string& name) {
  try {
    agent_info(agent).config("laptop", shape_of())->set(name, "1");
  } catch (const NotFound& error) {
    return error.what();
  }
  return "no error";
}

TEST(OldNames, FormerSettingIsRefusedWithPresentName) {
  EXPECT_EQ(refusal("sac", "batch"), "setting batch is now batch_size");
  EXPECT_EQ(refusal("td3", "delay"), "setting delay is now policy_delay");
  EXPECT_EQ(refusal("brc", "decay"), "setting decay is now weight_decay");
  EXPECT_EQ(refusal("fasttd3", "environments"), "setting environments is now num_envs");
  EXPECT_EQ(refusal("simbav2", "first_update"), "setting first_update is now learning_starts");
}

TEST(OldNames, FormerAgentIsRefusedWithPresentNames) {
  try {
    agent_info("baseline");
    FAIL() << "found";
  } catch (const NotFound& error) {
    EXPECT_EQ(std::string(error.what()), "agent baseline is now two agents: sac and td3");
  }
}

// A former name must not be the present name of another setting, or files could not be told apart.
TEST(OldNames, NoPresentSettingHasAFormerName) {
  std::set<std::string> present;
  for (const AgentInfo& agent : registered_agents())
    for (const Field& field : agent.config("laptop", shape_of())->list())
      present.insert(field.name);
  for (const std::string& name : present) {
    EXPECT_EQ(renamed_setting(name), "") << name;
    EXPECT_EQ(current_setting(name), name);
  }
  for (const char* former : {"batch", "rate", "first_rate", "decay", "atoms", "value_high"})
    EXPECT_TRUE(present.contains(std::string(current_setting(former)))) << former;
}

TEST(OldNames, FilesOfOlderVersionsGetPresentNames) {
  std::string agent = "baseline", preset = "upstream_td3";
  Settings settings{{"algorithm", "td3"}, {"delay", "3"}, {"temperature", "1"}, {"rate", "0.1"}};
  update_names(agent, preset, settings);
  EXPECT_EQ(agent, "td3");
  EXPECT_EQ(preset, "upstream");
  EXPECT_EQ(settings, (Settings{{"policy_delay", "3"}, {"learning_rate", "0.1"}}));

  agent = "baseline", preset = "laptop";
  settings = {{"batch", "8"}, {"delay", "3"}, {"temperature", "0.5"}};
  update_names(agent, preset, settings);
  EXPECT_EQ(agent, "sac");
  EXPECT_EQ(preset, "laptop");
  EXPECT_EQ(settings, (Settings{{"batch_size", "8"}, {"temperature", "0.5"}}));

  // Its preset upstream was SAC's: the sizes and the rate are carried over.
  agent = "baseline", preset = "upstream";
  settings = {{"algorithm", "td3"}, {"critic_layers", "64"}};
  update_names(agent, preset, settings);
  const auto config = agent_info(agent).config(preset, shape_of());
  for (const auto& [name, value] : settings) config->set(name, value);
  for (const Field& field : config->list()) {
    if (field.name == "actor_layers") {
      EXPECT_EQ(field.value, "256-256");
    }
    if (field.name == "critic_layers") {
      EXPECT_EQ(field.value, "64");
    }
    if (field.name == "learning_rate") {
      EXPECT_EQ(field.value, "0.0003");
    }
  }

  agent = "simbav2";
  settings = {{"first_rate", "1"}, {"capacity", "2"}};
  update_names(agent, preset, settings);
  EXPECT_EQ(settings, (Settings{{"learning_rate", "1"}, {"capacity", "2"}}));
}

}  // namespace
}  // namespace mneme
