// agents/nn/kernels/fused.h - helpers of fused layers: one autograd function with a matmul and a row loop.
//
// A layer is a torch::autograd::Function whose forward and backward call `product` and friends and
// loops over rows. At the sizes of a laptop's networks half of the time would otherwise go into
// dispatching operations and walking the graph.
#pragma once

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "agents/nn/kernels/row_loops.h"

namespace mneme::nn {

/// Whether the fused kernels take this tensor; otherwise layers use tensor operations.
inline bool fused(const at::Tensor& x) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble) &&
         !at::autocast::is_autocast_enabled(at::kCPU);
}

/// x (batch, in) or (members, batch, in), weight (out, in) or (members, out, in): x W^T. One x
/// serves all members of an ensemble.
inline at::Tensor product(const at::Tensor& x, const at::Tensor& weight) {
  if (weight.dim() == 2) return x.mm(weight.t());
  const at::Tensor each = x.dim() == 3 ? x : x.unsqueeze(0).expand({weight.size(0), -1, -1});
  return each.bmm(weight.transpose(1, 2));
}

/// Gradient of a product's x, given the gradient of its result.
inline at::Tensor product_back(const at::Tensor& slope, const at::Tensor& x,
                               const at::Tensor& weight) {
  if (weight.dim() == 2) return slope.mm(weight);
  const at::Tensor each = slope.bmm(weight);
  return x.dim() == 3 ? each : each.sum(0);
}

/// Gradient of its weight.
inline at::Tensor weight_slope(const at::Tensor& slope, const at::Tensor& x) {
  if (slope.dim() == 2) return slope.t().mm(x);
  const at::Tensor each = x.dim() == 3 ? x : x.unsqueeze(0).expand({slope.size(0), -1, -1});
  return slope.transpose(1, 2).bmm(each);
}

inline RowShape row_shape(const at::Tensor& x) {
  return {x.dim() == 3 ? x.size(0) : 1, x.size(-2), x.size(-1)};
}

/// Layer::apply, without a trace of it where no gradients are recorded.
template <class Layer, class... Arguments>
auto apply(Arguments&&... arguments) {
  if (at::GradMode::is_enabled()) return Layer::apply(std::forward<Arguments>(arguments)...);
  torch::autograd::AutogradContext unused;
  return Layer::forward(&unused, std::forward<Arguments>(arguments)...);
}

/// Inside a layer autograd records nothing: operations dispatch straight to their kernels.
using BelowAutograd = at::AutoDispatchBelowADInplaceOrView;

}  // namespace mneme::nn
