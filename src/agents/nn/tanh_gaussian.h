// agents/nn/tanh_gaussian.h - the policy of SAC: a Gaussian pressed into (-1, 1) by tanh.
#pragma once

#include <ATen/ATen.h>

namespace mneme::nn {

/// A smooth bound for a raw head: low .. high, the middle at 0.
inline at::Tensor bounded(const at::Tensor& raw, double low, double high) {
  return low + (high - low) / 2 * (1 + raw.tanh());
}

struct PolicySample {
  at::Tensor action;    ///< (batch, action)
  at::Tensor log_prob;  ///< (batch), of the action
};

/// Action tanh(mean + exp(log_std) noise), noise standard normal, with gradients through both. The
/// density is counted from what tanh was given: its inverse loses all digits near 1.
inline PolicySample tanh_gaussian(const at::Tensor& mean, const at::Tensor& log_std,
                                  const at::Tensor& noise) {
  constexpr double kHalfLogTwoPi = 0.91893853320467274178, kLog2 = 0.69314718055994530942;
  const at::Tensor u = mean + log_std.exp() * noise;
  const at::Tensor gaussian = -0.5 * noise.square() - log_std - kHalfLogTwoPi;
  const at::Tensor squash = 2 * (kLog2 - u - at::softplus(-2 * u));
  return {u.tanh(), (gaussian - squash).sum(-1)};
}

}  // namespace mneme::nn
