// agents/nn/kernels/normed.cpp - fused layers with a layer norm.
#include "agents/nn/kernels/normed.h"

#include <ATen/Dispatch.h>

#include <cmath>
#include <optional>

#include "agents/nn/kernels/fused.h"

namespace mneme::nn {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kEpsilon = 1e-6;

// With relu if there is no residual.
struct Normed : torch::autograd::Function<Normed> {
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                        const Tensor& bias, const Tensor& scale, const Tensor& shift,
                        const std::optional<Tensor>& residual) {
    const BelowAutograd below;
    const Tensor x = product(input, weight);
    const Tensor rest = residual ? residual->contiguous() : Tensor();
    const RowShape shape{1, x.size(0), x.size(1)};
    Tensor y = at::empty_like(x), normal = at::empty_like(x);
    Tensor factors = at::empty({shape.rows}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "normed", [&] {
      using T = scalar_t;
      const T *from = x.const_data_ptr<T>(), *b = bias.const_data_ptr<T>();
      const T *s = scale.const_data_ptr<T>(), *t = shift.const_data_ptr<T>();
      const T* r = rest.defined() ? rest.const_data_ptr<T>() : nullptr;
      T *to = y.mutable_data_ptr<T>(), *unit = normal.mutable_data_ptr<T>();
      T* factor = factors.mutable_data_ptr<T>();
      each_row<T>(shape, [=](std::int64_t, std::int64_t row) {
        const std::int64_t n = shape.width;
        const T* in = from + row * n;
        T* __restrict z = unit + row * n, * __restrict out = to + row * n;
        for (std::int64_t i = 0; i < n; ++i) z[i] = in[i] + b[i];
        const T mean = lane_sum<T>(n, [=](std::int64_t i) { return z[i]; }) / static_cast<T>(n);
        for (std::int64_t i = 0; i < n; ++i) z[i] -= mean;
        const T variance =
            lane_sum<T>(n, [=](std::int64_t i) { return z[i] * z[i]; }) / static_cast<T>(n);
        const T by = factor[row] = 1 / std::sqrt(variance + static_cast<T>(kEpsilon));
        for (std::int64_t i = 0; i < n; ++i) z[i] *= by;
        if (r == nullptr)
          for (std::int64_t i = 0; i < n; ++i) out[i] = std::max(s[i] * z[i] + t[i], T{0});
        else
          for (std::int64_t i = 0; i < n; ++i) out[i] = s[i] * z[i] + t[i] + r[row * n + i];
      });
    });
    context->save_for_backward({input, weight, normal, factors, scale, residual ? Tensor() : y});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const BelowAutograd below;
    const variable_list saved = context->get_saved_variables();
    const Tensor &input = saved[0], &weight = saved[1], &normal = saved[2], &factors = saved[3];
    const Tensor &scale = saved[4], &relu = saved[5];
    const Tensor slope = slopes[0].contiguous();
    const bool learn = context->needs_input_grad(2) || context->needs_input_grad(3) ||
                       context->needs_input_grad(4);
    const RowShape shape{1, normal.size(0), normal.size(1)};
    Tensor dx = at::empty_like(normal), sums;
    if (learn) sums = at::empty({3, shape.width}, normal.options());  // of bias, scale and shift
    AT_DISPATCH_FLOATING_TYPES(normal.scalar_type(), "normed", [&] {
      using T = scalar_t;
      const T *unit = normal.const_data_ptr<T>(), *factor = factors.const_data_ptr<T>();
      const T *s = scale.const_data_ptr<T>(), *slope_of = slope.const_data_ptr<T>();
      const T* shown = relu.defined() ? relu.const_data_ptr<T>() : nullptr;
      T* to = dx.mutable_data_ptr<T>();
      each_row<T>(shape, learn ? 3 * shape.width : 0, learn ? sums.mutable_data_ptr<T>() : nullptr,
                  [=](std::int64_t, std::int64_t row, T* totals) {
                    const std::int64_t n = shape.width;
                    const T *z = unit + row * n, *g = slope_of + row * n;
                    T* __restrict out = to + row * n;
                    // Slopes behind the relu first, where dx will be.
                    if (shown == nullptr)
                      for (std::int64_t i = 0; i < n; ++i) out[i] = g[i];
                    else
                      for (std::int64_t i = 0; i < n; ++i)
                        out[i] = shown[row * n + i] > 0 ? g[i] : T{0};
                    if (learn)
                      for (std::int64_t i = 0; i < n; ++i) {
                        totals[n + i] += out[i] * z[i];
                        totals[2 * n + i] += out[i];
                      }
                    for (std::int64_t i = 0; i < n; ++i) out[i] *= s[i];
                    const T mean =
                        lane_sum<T>(n, [=](std::int64_t i) { return out[i]; }) / static_cast<T>(n);
                    const T along = lane_sum<T>(n, [=](std::int64_t i) { return out[i] * z[i]; }) /
                                    static_cast<T>(n);
                    const T by = factor[row];
                    for (std::int64_t i = 0; i < n; ++i)
                      out[i] = (out[i] - mean - z[i] * along) * by;
                    if (learn)
                      for (std::int64_t i = 0; i < n; ++i) totals[i] += out[i];
                  });
    });
    const Tensor rest = relu.defined() ? Tensor() : slopes[0];
    const Tensor of_input =
        context->needs_input_grad(0) ? product_back(dx, input, weight) : Tensor();
    const Tensor of_weight = context->needs_input_grad(1) ? weight_slope(dx, input) : Tensor();
    if (!learn) return {of_input, of_weight, Tensor(), Tensor(), Tensor(), rest};
    return {of_input, of_weight, sums[0], sums[1], sums[2], rest};
  }
};

}  // namespace

Tensor plain::normed_relu(const Tensor& x, const NormedParameters& by) {
  return at::layer_norm(at::linear(x, by.weight, by.bias), by.scale.sizes(), by.scale, by.shift,
                        kEpsilon)
      .relu();
}

Tensor plain::normed_sum(const Tensor& x, const NormedParameters& by, const Tensor& residual) {
  return at::layer_norm(at::linear(x, by.weight, by.bias), by.scale.sizes(), by.scale, by.shift,
                        kEpsilon) +
         residual;
}

Tensor normed_relu(const Tensor& x, const NormedParameters& by) {
  return fused(x)
             ? apply<Normed>(x, by.weight, by.bias, by.scale, by.shift, std::optional<Tensor>())
             : plain::normed_relu(x, by);
}

Tensor normed_sum(const Tensor& x, const NormedParameters& by, const Tensor& residual) {
  return fused(x) ? apply<Normed>(x, by.weight, by.bias, by.scale, by.shift,
                                  std::optional<Tensor>(residual))
                  : plain::normed_sum(x, by, residual);
}

}  // namespace mneme::nn
