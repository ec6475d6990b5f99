// agents/settings/old_names.h - former names of settings and agents.
//
// Files written by earlier versions (config.toml of a run, studies) are read by these; on the command
// line a former name is an error that says the present one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mneme {

/// The agent that `sac` and `td3` were until version 1 of config.toml, told apart by its setting
/// algorithm.
inline constexpr std::string_view kFormerSacTd3 = "baseline";

/// The present name of a setting, if `name` is a former one; else empty.
std::string_view renamed_setting(std::string_view name);

/// The present name of a setting: `name` itself unless it is a former one.
std::string_view current_setting(std::string_view name);

/// Brings what an earlier version wrote to present names. Settings are name and value; those that
/// the agent no longer has are dropped.
void update_names(std::string& agent, std::string& preset,
                  std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace mneme
