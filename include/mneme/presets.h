// mneme/presets.h - the replay buffers of three published agents, by name.
//
//   mneme::ReplayConfig config = mneme::replay_preset("fasttd3", {77}, {19});
//   config.sampler = "truncated_geometric:alpha=10";
//   mneme::ReplayBuffer buffer(config);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mneme/replay_buffer.h"

namespace mneme {

/// A configuration with the shape, stream policy and window of that agent's own code. The sampler
/// is uniform, as in all three. Throws NotFound with the known names.
///
///   fasttd3   128 streams x 51,200, every environment with the same share of a batch
///   brc       20 streams x 1,000,000, each draw from any task (not the same share)
///   simbav2   1 stream x 1,000,000
///
/// All: one step, discount 0.99 (simbav2: for episodes of 500 decisions; its rule is
/// (x - 1) / x, x = decisions / 5, within 0.95 and 0.995).
ReplayConfig replay_preset(std::string_view name, const FieldSpec& observation,
                           const FieldSpec& action);

std::vector<std::string> replay_presets();

}  // namespace mneme
