// samplers/registry.h - the registry inside the library: how to find a prioritized sampler.
#pragma once

#include <optional>

#include "base/sampler_spec.h"
#include "priorities/kind.h"

namespace mneme {

struct PrioritizedSampler {
  const PrioritizedEntry* entry;
  Params params;
};

/// The prioritized sampler that a spec string names; empty for one that needs no feedback. Throws
/// as make_sampler does.
std::optional<PrioritizedSampler> prioritized_sampler(std::string_view spec);

}  // namespace mneme
