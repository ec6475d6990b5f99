// agents/fasttd3/loss.cpp - targets and losses over both critics at once.
#include "agents/fasttd3/loss.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace mneme::fasttd3 {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Cross-entropies of both critics and their probabilities, which are needed anyway. The slope is
// p - wanted: half of the passes over memory that log_softmax and its product would take.
struct CrossEntropy : torch::autograd::Function<CrossEntropy> {
  static variable_list forward(AutogradContext* context, const at::Tensor& logits,
                               const at::Tensor& wanted) {
    const at::Tensor log_p = logits.log_softmax(-1);
    const at::Tensor p = log_p.exp();
    context->save_for_backward({p, wanted});
    context->mark_non_differentiable({p});
    return {(wanted * log_p).sum(-1).sum(0).neg_(), p};
  }

  static variable_list backward(AutogradContext* context, variable_list slopes) {
    const variable_list saved = context->get_saved_variables();
    return {(saved[0] - saved[1]).mul_(slopes[0].unsqueeze(-1)), at::Tensor()};
  }
};

}  // namespace

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
  const variable_list found = CrossEntropy::apply(logits, wanted);
  return {found[0], nn::mean_of(support, found[1]).mean(0)};
}

at::Tensor policy_value(const nn::Support& support, const at::Tensor& logits, bool clipped) {
  const at::Tensor values = nn::expectation(support, logits);
  return clipped ? at::minimum(values[0], values[1]) : values.mean(0);
}

}  // namespace mneme::fasttd3
