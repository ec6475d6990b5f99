// agents/fasttd3/loss.cpp - targets and losses over both critics at once.
#include "agents/fasttd3/loss.h"

#include <ATen/core/grad_mode.h>

namespace mneme::fasttd3 {

Targets targets_of(const nn::Support& support, const at::Tensor& logits, const at::Tensor& reward,
                   const at::Tensor& discount, bool clipped) {
  const at::NoGradGuard no_grad;
  const at::Tensor projected = nn::project(support, logits.softmax(-1), reward, discount);
  const at::Tensor values = nn::mean_of(support, projected);
  if (!clipped) return {projected, values, values.mean(0)};
  const at::Tensor first = values[0] < values[1];
  return {at::where(first.unsqueeze(-1), projected[0], projected[1]).unsqueeze(0), values,
          at::minimum(values[0], values[1])};
}

CriticLoss critic_loss(const nn::Support& support, const at::Tensor& logits,
                       const at::Tensor& wanted) {
  const at::Tensor log_p = logits.log_softmax(-1);
  const at::Tensor rows = -(wanted * log_p).sum({0, -1});
  return {rows, nn::mean_of(support, log_p.detach().exp()).mean(0)};
}

at::Tensor policy_value(const nn::Support& support, const at::Tensor& logits, bool clipped) {
  const at::Tensor values = nn::expectation(support, logits);
  return clipped ? at::minimum(values[0], values[1]) : values.mean(0);
}

}  // namespace mneme::fasttd3
