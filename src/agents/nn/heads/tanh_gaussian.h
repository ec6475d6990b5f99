// agents/nn/heads/tanh_gaussian.h - the policy of SAC: a Gaussian squashed by tanh.
//
//   u = mean + exp(log_std) noise,  action = tanh(u)
//   log_prob = sum over the action of  log N(u; mean, exp(log_std)) - log(1 - tanh(u)^2)
//
// The density is computed from u, not from the action: the inverse of tanh loses all digits near 1.
#pragma once

#include <ATen/ATen.h>

namespace mneme::nn {

struct PolicySample {
  at::Tensor action;    ///< (batch, action)
  at::Tensor log_prob;  ///< (batch), of the action
};

/// A smooth bound for a raw head: low .. high, the middle at 0.
at::Tensor bounded(const at::Tensor& raw, double low, double high);

/// Mean, log_std and noise (standard normal) are (batch, action); gradients reach the first two.
PolicySample tanh_gaussian(const at::Tensor& mean, const at::Tensor& log_std,
                           const at::Tensor& noise);

/// tanh_gaussian(mean, bounded(raw, low, high), noise), on a CPU in one pass.
PolicySample bounded_tanh_gaussian(const at::Tensor& mean, const at::Tensor& raw, double low,
                                   double high, const at::Tensor& noise);

/// tanh_gaussian(mean, raw.clamp(low, high), noise), on a CPU in one pass.
PolicySample clamped_tanh_gaussian(const at::Tensor& mean, const at::Tensor& raw, double low,
                                   double high, const at::Tensor& noise);

}  // namespace mneme::nn
