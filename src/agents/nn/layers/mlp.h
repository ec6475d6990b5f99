// agents/nn/layers/mlp.h - multilayer perceptrons with ReLU, several members side by side.
//
//   y = relu(... relu(x W1^T + b1) ...) Wn^T + bn      for each member, all from the same x
//
// On a CPU the whole network is one autograd function: a product per layer, then the bias and the
// ReLU in one pass over its result, and backwards the mask and the sum for the bias in one pass.
// Gradients that are not needed (weights of a frozen network, the input's) are not computed. A critic's
// input is [x; action]: where only the action wants a gradient, no product is made for x.
#pragma once

#include "agents/nn/layers/parameters.h"

namespace mneme::nn {

struct Mlp {
  /// Layers `sizes[k] -> sizes[k + 1]`, at PyTorch's default initial weights; without a generator
  /// at 0, to be overwritten.
  Mlp(Parameters& to, const std::string& name, std::int64_t members,
      const std::vector<std::int64_t>& sizes, at::Generator* generator);

  /// (batch, in) to (members, batch, out).
  at::Tensor operator()(const at::Tensor& x, const at::Tensor& action = {}) const;
  /// The first member alone: (1, batch, out).
  at::Tensor first(const at::Tensor& x, const at::Tensor& action = {}) const;

  std::vector<at::Tensor> layers;  ///< weight (members, out, in) and bias (members, out) by turns
};

/// The same through layers kept elsewhere: as Mlp has them, or weights (out, in) and biases (out)
/// of a single network, which gives (batch, out). `action` may be undefined.
at::Tensor perceptron(const at::Tensor& x, const at::Tensor& action,
                      const std::vector<at::Tensor>& layers);

namespace plain {
/// The same by tensor operations: what runs on devices other than a CPU.
at::Tensor perceptron(const at::Tensor& x, const at::Tensor& action,
                      const std::vector<at::Tensor>& layers);
}  // namespace plain

}  // namespace mneme::nn
