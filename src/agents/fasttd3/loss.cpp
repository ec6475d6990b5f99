// agents/fasttd3/loss.cpp - targets and losses of the critics and the actor.
#include "agents/fasttd3/loss.h"

#include <ATen/core/grad_mode.h>

namespace mneme::fasttd3 {
Targets targets_of(const nn::Support& support, const at::Tensor& logits, const at::Tensor& reward,
                   const at::Tensor& discount, bool clipped) {
  const at::NoGradGuard no_grad;
  const at::Tensor projected = nn::project(support, logits.softmax(-1), reward, discount);
  const at::Tensor values = nn::mean_of(support, projected);
  if (!clipped) return {projected, values, values.mean(0)};
  // Row k of the second critic stands `batch` rows behind that of the first.
  const std::int64_t batch = values.size(1), atoms = projected.size(2);
  const at::Tensor row =
      at::arange(batch, values.options().dtype(at::kLong)) + (values[0] >= values[1]) * batch;
  return {projected.view({2 * batch, atoms}).index_select(0, row).unsqueeze(0), values,
          at::minimum(values[0], values[1])};
}

CriticLoss critic_loss(const nn::Support& support, const at::Tensor& logits,
                       const at::Tensor& wanted) {
  const nn::CrossEntropy found = nn::cross_entropy(logits, wanted);
  return {found.rows, nn::mean_of(support, found.probabilities).mean(0)};
}

at::Tensor policy_value(const nn::Support& support, const at::Tensor& logits, bool clipped) {
  const at::Tensor values = nn::expectation(support, logits);
  return clipped ? at::minimum(values[0], values[1]) : values.mean(0);
}

}  // namespace mneme::fasttd3
