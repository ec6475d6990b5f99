// agents/settings/old_names.cpp - the table of former names.
#include "agents/settings/old_names.h"

#include <algorithm>
#include <array>

namespace mneme {
namespace {

struct Renamed {
  std::string_view before, now;
};

constexpr std::array kRenamed{
    Renamed{"environments", "num_envs"},
    Renamed{"repeat", "action_repeat"},
    Renamed{"batch", "batch_size"},
    Renamed{"first_update", "learning_starts"},

    Renamed{"rate", "learning_rate"},
    Renamed{"first_rate", "learning_rate"},
    Renamed{"last_rate", "learning_rate_end"},
    Renamed{"critic_rate", "critic_learning_rate"},
    Renamed{"critic_last_rate", "critic_learning_rate_end"},
    Renamed{"actor_rate", "actor_learning_rate"},
    Renamed{"actor_last_rate", "actor_learning_rate_end"},
    Renamed{"temperature_rate", "temperature_learning_rate"},
    Renamed{"decay", "weight_decay"},
    Renamed{"max_gradient_norm", "max_grad_norm"},

    Renamed{"delay", "policy_delay"},
    Renamed{"policy_frequency", "policy_delay"},
    Renamed{"actor_every", "policy_delay"},
    Renamed{"target_noise", "policy_noise"},
    Renamed{"target_noise_bound", "noise_clip"},
    Renamed{"exploration", "exploration_noise"},

    Renamed{"atoms", "num_atoms"},
    Renamed{"value_bound", "v_max"},
    Renamed{"value_low", "v_min"},
    Renamed{"value_high", "v_max"},
    Renamed{"embedding", "task_embedding_dim"},
    Renamed{"task_embedding", "task_embedding_dim"},

    Renamed{"normaliser", "reward_normalizer"},
    Renamed{"normalise_observations", "normalize_observations"},
    Renamed{"normalise_from_replay", "normalize_from_replay"},
    Renamed{"normalise_rewards", "normalize_rewards"},
    Renamed{"scale_rewards", "normalize_rewards"},
};

constexpr std::array<std::string_view, 3> kOfSac{"temperature", "learn_temperature",
                                                 "target_entropy"};
constexpr std::array<std::string_view, 4> kOfTd3{"policy_delay", "policy_noise", "noise_clip",
                                                 "exploration_noise"};

}  // namespace

std::string_view renamed_setting(std::string_view name) {
  for (const Renamed& one : kRenamed)
    if (one.before == name) return one.now;
  return {};
}

std::string_view current_setting(std::string_view name) {
  const std::string_view now = renamed_setting(name);
  return now.empty() ? name : now;
}

void update_names(std::string& agent, std::string& preset,
                  std::vector<std::pair<std::string, std::string>>& settings) {
  for (auto& [name, value] : settings) name = current_setting(name);
  if (agent != kFormerSacTd3) return;
  const bool was_td3 = preset == "upstream_td3";
  agent = was_td3 ? "td3" : "sac";
  if (was_td3) preset = "upstream";
  for (const auto& [name, value] : settings)
    if (name == "algorithm") agent = value;
  const auto gone = [&](const auto& setting) {
    const auto in = [&](const auto& list) {
      return std::find(list.begin(), list.end(), setting.first) != list.end();
    };
    return setting.first == "algorithm" || (agent == "sac" ? in(kOfTd3) : in(kOfSac));
  };
  // Its presets were those of SAC: 256-256 networks and a learning rate of 3e-4.
  if (agent == "td3" && (preset == "upstream" || preset == "paper") && !was_td3)
    settings.insert(
        settings.begin(),
        {{"actor_layers", "256-256"}, {"critic_layers", "256-256"}, {"learning_rate", "0.0003"}});
  settings.erase(std::remove_if(settings.begin(), settings.end(), gone), settings.end());
}

}  // namespace mneme
