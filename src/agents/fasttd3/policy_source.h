// agents/fasttd3/policy_source.h - the deterministic policy as TorchScript.
#pragma once

#include "agents/fasttd3/networks.h"

namespace mneme::fasttd3 {

/// Layer by layer what Actor computes, with the names of its parameters and of the normalizer
/// (mean_seen, factor). With several tasks forward takes the number of each row's task too.
std::string policy_source(const Actor& actor);

}  // namespace mneme::fasttd3
