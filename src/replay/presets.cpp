// replay/presets.cpp - shapes of published agents.
#include "mneme/presets.h"

#include <array>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

struct Preset {
  const char* name;
  Index streams, capacity;
  const char* stream_policy;
};
constexpr std::array kPresets{Preset{"fasttd3", 128, 51'200, "equal_share"},
                              Preset{"brc", 20, 1'000'000, "uniform"},
                              Preset{"simbav2", 1, 1'000'000, "uniform"}};

}  // namespace

std::vector<std::string> replay_presets() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

ReplayConfig replay_preset(std::string_view name, const FieldSpec& observation,
                           const FieldSpec& action) {
  for (const Preset& preset : kPresets) {
    if (name == preset.name)
      return {.observation = observation,
              .action = action,
              .capacity = preset.capacity,
              .streams = preset.streams,
              .stream_policy = preset.stream_policy,
              .n_step = 1,
              .discount = 0.99};
  }
  throw NotFound(unknown_name("replay preset", name, replay_presets()));
}

}  // namespace mneme
