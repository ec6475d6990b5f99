// agents/common/tensor_io.h - observations in, actions out: checked conversions from and to tensors.
#pragma once

#include <ATen/ATen.h>

#include "agents/agent.h"

namespace mneme {

/// (rows, observation), on the device. Throws InvalidArgument unless the size is a multiple of the
/// observation size and there is one task per row, or none.
at::Tensor observations_of(const ActRows& rows, const AgentShape& shape, at::Device device);

/// (rows), integers: the task of each row, 0 by default. Throws InvalidArgument for a task outside
/// the agent's.
at::Tensor tasks_of(const ActRows& rows, const AgentShape& shape, at::Device device);

/// Throws InvalidArgument unless `to` has exactly one element per action, Diverged if one is not
/// finite.
void give_actions(std::span<float> to, const at::Tensor& actions);

}  // namespace mneme
