// agents/common/tensor_io.cpp - observations in, actions out.
#include "agents/common/tensor_io.h"

#include <algorithm>
#include <cmath>

#include "agents/nn/io/tensors.h"

namespace mneme {

at::Tensor observations_of(const ActRows& rows, const AgentShape& shape, at::Device device) {
  const auto width = static_cast<std::size_t>(shape.observation());
  const std::size_t count = rows.observations.size() / width;
  if (count == 0 || count * width != rows.observations.size())
    throw InvalidArgument(concat("act: ", rows.observations.size(),
                                 " values is not a positive multiple of the observation size ",
                                 width));
  if (!rows.tasks.empty() && rows.tasks.size() != count)
    throw InvalidArgument(concat("act: got ", rows.tasks.size(), " tasks for ", count,
                                 " observations; give one per observation, or none"));
  return nn::rows_of(rows.observations, shape.observation()).to(device);
}

at::Tensor tasks_of(const ActRows& rows, const AgentShape& shape, at::Device device) {
  const auto count = static_cast<std::int64_t>(rows.observations.size()) / shape.observation();
  const at::Tensor tasks = at::zeros({count}, at::kLong);
  for (std::size_t k = 0; k < rows.tasks.size(); ++k) {
    if (rows.tasks[k] < 0 || rows.tasks[k] >= static_cast<std::int32_t>(shape.tasks.size()))
      throw InvalidArgument(concat("act: task ", rows.tasks[k], " of row ", k, " is outside [0, ",
                                   shape.tasks.size(), ")"));
    tasks.mutable_data_ptr<std::int64_t>()[k] = rows.tasks[k];
  }
  return tasks.to(device);
}

void give_actions(std::span<float> to, const at::Tensor& actions) {
  if (static_cast<std::int64_t>(to.size()) != actions.numel())
    throw InvalidArgument(
        concat("act: `actions` has ", to.size(), " elements, expected ", actions.numel()));
  at::from_blob(to.data(), actions.sizes(), at::kFloat).copy_(actions);
  const auto bad =
      std::find_if(to.begin(), to.end(), [](float one) { return !std::isfinite(one); });
  if (bad != to.end())
    throw Diverged(concat("an action is ", *bad,
                          "; the run stops. Resume from the last checkpoint ",
                          "with a lower learning rate, or check the rewards and observations"));
}

}  // namespace mneme
