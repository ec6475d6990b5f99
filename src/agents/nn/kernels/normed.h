// agents/nn/kernels/normed.h - fused layers of BRC: matmul, layer norm, then relu or a residual.
//
//   LN(x) = scale (x - mean) / sqrt(variance + 1e-6) + shift, over each row
#pragma once

#include <ATen/ATen.h>

namespace mneme::nn {

struct NormedParameters {
  const at::Tensor& weight;                ///< (out, in)
  const at::Tensor &bias, &scale, &shift;  ///< (out)
};

/// relu(LN(W x + b)), x (batch, in).
at::Tensor normed_relu(const at::Tensor& x, const NormedParameters& by);
/// LN(W x + b) + residual.
at::Tensor normed_sum(const at::Tensor& x, const NormedParameters& by, const at::Tensor& residual);

namespace plain {
/// By tensor operations: the definition, and what devices other than a CPU run.
at::Tensor normed_relu(const at::Tensor& x, const NormedParameters& by);
at::Tensor normed_sum(const at::Tensor& x, const NormedParameters& by, const at::Tensor& residual);
}  // namespace plain

}  // namespace mneme::nn
