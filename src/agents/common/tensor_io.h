// agents/common/tensor_io.h - rows of the caller as tensors, and actions back, checked once for every agent.
#pragma once

#include <ATen/ATen.h>

#include "agents/agent.h"

namespace mneme {

/// (rows, observation), on the device. Throws InvalidArgument unless it is whole rows, and a task
/// for each of them or none.
at::Tensor observations_of(const ActRows& rows, const AgentShape& shape, at::Device device);

/// (rows), whole numbers: the task of each, 0 where none was given. Throws InvalidArgument for a
/// task that the agent has not.
at::Tensor tasks_of(const ActRows& rows, const AgentShape& shape, at::Device device);

/// Throws InvalidArgument if there is not just room for them, Diverged if one is not finite.
void give_actions(std::span<float> to, const at::Tensor& actions);

}  // namespace mneme
