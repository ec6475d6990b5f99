// agents/nn/heads/tanh_gaussian.cpp - tanh-Gaussian policy, fused on a CPU.
#include "agents/nn/heads/tanh_gaussian.h"

#include <ATen/Dispatch.h>

#include <cmath>

#include "agents/nn/kernels/fused.h"

namespace mneme::nn {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kHalfLogTwoPi = 0.91893853320467274178, kLog2 = 0.69314718055994530942;

// A raw head brought between two bounds, and its derivative.
enum class Bound { smooth, hard };

template <class T>
struct LogStd {
  T value, slope;
  LogStd(Bound bound, T raw, T low, T high) {
    if (bound == Bound::smooth) {
      const T half = (high - low) / 2, bend = std::tanh(raw);
      value = low + half * (1 + bend);
      slope = half * (1 - bend * bend);
    } else {
      value = raw < low ? low : raw > high ? high : raw;  // NaN stays NaN
      slope = raw >= low && raw <= high;
    }
  }
};

struct BoundedTanhGaussian : torch::autograd::Function<BoundedTanhGaussian> {
  static variable_list forward(AutogradContext* context, const Tensor& mean_given,
                               const Tensor& raw_given, const Tensor& noise_given, double low,
                               double high, Bound bound) {
    const BelowAutograd below;
    const Tensor mean = mean_given.contiguous(), raw = raw_given.contiguous();
    const Tensor noise = noise_given.contiguous();
    const std::int64_t rows = mean.size(0), width = mean.size(1);
    Tensor action = at::empty_like(mean), log_prob = at::empty({rows}, mean.options());
    // d log_std / d raw and d u / d log_std: all that backward needs besides the action.
    Tensor steep = at::empty_like(mean), spread = at::empty_like(mean);
    AT_DISPATCH_FLOATING_TYPES(mean.scalar_type(), "tanh_gaussian", [&] {
      using T = scalar_t;
      const T *m = mean.const_data_ptr<T>(), *r = raw.const_data_ptr<T>();
      const T* n = noise.const_data_ptr<T>();
      T *a = action.mutable_data_ptr<T>(), *l = log_prob.mutable_data_ptr<T>();
      T *s = steep.mutable_data_ptr<T>(), *d = spread.mutable_data_ptr<T>();
      const T bottom = static_cast<T>(low), top = static_cast<T>(high);
      each_row<T>({1, rows, width}, [=](std::int64_t, std::int64_t row) {
        T total = 0;
        for (std::int64_t i = row * width; i < (row + 1) * width; ++i) {
          const LogStd<T> log_std(bound, r[i], bottom, top);
          d[i] = std::exp(log_std.value) * n[i];
          s[i] = log_std.slope;
          const T u = m[i] + d[i];
          a[i] = std::tanh(u);
          // softplus(-2u), without overflow for large -u.
          const T soft =
              u < 0 ? -2 * u + std::log1p(std::exp(2 * u)) : std::log1p(std::exp(-2 * u));
          total += static_cast<T>(-0.5) * n[i] * n[i] - log_std.value -
                   static_cast<T>(kHalfLogTwoPi) - 2 * (static_cast<T>(kLog2) - u - soft);
        }
        l[row] = total;
      });
    });
    context->save_for_backward({action, steep, spread});
    return {action, log_prob};
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const BelowAutograd below;
    const variable_list saved = context->get_saved_variables();
    const Tensor &action = saved[0], &steep = saved[1], &spread = saved[2];
    const std::int64_t rows = action.size(0), width = action.size(1);
    const Tensor of_action = slopes[0].defined() ? slopes[0].contiguous() : at::zeros_like(action);
    const Tensor of_log_prob =
        slopes[1].defined() ? slopes[1].contiguous() : at::zeros({rows}, action.options());
    Tensor dmean = at::empty_like(action), draw = at::empty_like(action);
    AT_DISPATCH_FLOATING_TYPES(action.scalar_type(), "tanh_gaussian", [&] {
      using T = scalar_t;
      const T *a = action.const_data_ptr<T>(), *s = steep.const_data_ptr<T>();
      const T *d = spread.const_data_ptr<T>(), *ga = of_action.const_data_ptr<T>();
      const T* gl = of_log_prob.const_data_ptr<T>();
      T *dm = dmean.mutable_data_ptr<T>(), *dr = draw.mutable_data_ptr<T>();
      each_row<T>({1, rows, width}, [=](std::int64_t, std::int64_t row) {
        for (std::int64_t i = row * width; i < (row + 1) * width; ++i) {
          dm[i] = ga[i] * (1 - a[i] * a[i]) + 2 * a[i] * gl[row];
          dr[i] = (dm[i] * d[i] - gl[row]) * s[i];
        }
      });
    });
    return {dmean, draw, Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor bounded(const Tensor& raw, double low, double high) {
  return low + (high - low) / 2 * (1 + raw.tanh());
}

PolicySample tanh_gaussian(const Tensor& mean, const Tensor& log_std, const Tensor& noise) {
  const Tensor u = mean + log_std.exp() * noise;
  const Tensor gaussian = -0.5 * noise.square() - log_std - kHalfLogTwoPi;
  const Tensor squash = 2 * (kLog2 - u - at::softplus(-2 * u));
  return {u.tanh(), (gaussian - squash).sum(-1)};
}

PolicySample bounded_tanh_gaussian(const Tensor& mean, const Tensor& raw, double low, double high,
                                   const Tensor& noise) {
  if (!fused(mean)) return tanh_gaussian(mean, bounded(raw, low, high), noise);
  const variable_list both = apply<BoundedTanhGaussian>(mean, raw, noise, low, high, Bound::smooth);
  return {both[0], both[1]};
}

PolicySample clamped_tanh_gaussian(const Tensor& mean, const Tensor& raw, double low, double high,
                                   const Tensor& noise) {
  if (!fused(mean)) return tanh_gaussian(mean, raw.clamp(low, high), noise);
  const variable_list both = apply<BoundedTanhGaussian>(mean, raw, noise, low, high, Bound::hard);
  return {both[0], both[1]};
}

}  // namespace mneme::nn
