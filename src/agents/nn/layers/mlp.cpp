// agents/nn/layers/mlp.cpp - a perceptron as one autograd function.
#include "agents/nn/layers/mlp.h"

#include <ATen/Dispatch.h>

#include "agents/nn/kernels/fused.h"
#include "agents/nn/layers/initial.h"

namespace mneme::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// y + bias, then relu if asked for; NaN stays NaN.
void add_bias(const at::Tensor& y, const at::Tensor& bias, bool relu) {
  const RowShape shape = row_shape(y);
  AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "add_bias", [&] {
    using T = scalar_t;
    T* const first = y.mutable_data_ptr<T>();
    const T* const biases = bias.const_data_ptr<T>();
    each_row<T>(shape, [=](std::int64_t member, std::int64_t row) {
      T* __restrict to = first + row * shape.width;
      const T* __restrict b = biases + member * shape.width;
      if (relu) {
        for (std::int64_t c = 0; c < shape.width; ++c) {
          const T sum = to[c] + b[c];
          to[c] = sum < 0 ? 0 : sum;
        }
      } else {
        for (std::int64_t c = 0; c < shape.width; ++c) to[c] += b[c];
      }
    });
  });
}

// Where the layer gave 0 no gradient passes. What passes is summed over rows into `sums`, if they
// are asked for.
void mask_and_sum(const at::Tensor& gradient, const at::Tensor& given, const at::Tensor& sums) {
  const RowShape shape = row_shape(given);
  AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "mask_and_sum", [&] {
    using T = scalar_t;
    T* const gradients = gradient.mutable_data_ptr<T>();
    const T* const all = given.const_data_ptr<T>();
    const auto mask = [=](std::int64_t row) {
      T* __restrict g = gradients + row * shape.width;
      const T* __restrict y = all + row * shape.width;
      for (std::int64_t c = 0; c < shape.width; ++c) g[c] = y[c] <= 0 ? 0 : g[c];
      return g;
    };
    if (!sums.defined())
      return each_row<T>(shape, [=](std::int64_t, std::int64_t row) { mask(row); });
    each_row<T>(shape, shape.width, sums.mutable_data_ptr<T>(),
                [=](std::int64_t, std::int64_t row, T* __restrict sum) {
                  const T* __restrict g = mask(row);
                  for (std::int64_t c = 0; c < shape.width; ++c) sum[c] += g[c];
                });
  });
}

at::Tensor joined(const at::Tensor& x, const at::Tensor& action) {
  return action.defined() ? at::cat({x, action}, -1) : x.contiguous();
}

// Its arguments are x, the action if there is one, then weight and bias of each layer.
struct Layers : torch::autograd::Function<Layers> {
  static at::Tensor forward(AutogradContext* context, at::TensorList arguments, bool with_action) {
    const BelowAutograd below;
    const at::Tensor& x = arguments[0];
    const at::TensorList layers = arguments.slice(with_action ? 2 : 1);
    const std::size_t count = layers.size() / 2;
    std::vector<at::Tensor> saved;  // what each layer is given, then the layers
    saved.reserve(3 * count);
    at::Tensor y = joined(x, with_action ? arguments[1] : at::Tensor());
    for (std::size_t k = 0; k < count; ++k) {
      saved.push_back(y);
      y = product(y, layers[2 * k]);
      add_bias(y, layers[2 * k + 1], k + 1 < count);
    }
    saved.insert(saved.end(), layers.begin(), layers.end());
    context->save_for_backward(std::move(saved));
    context->saved_data["left"] = x.size(1);
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list outputs) {
    const BelowAutograd below;
    const auto saved = context->get_saved_variables();
    const std::size_t count = saved.size() / 3;
    const std::int64_t left = context->saved_data["left"].toInt(), all = saved[0].size(1);
    const std::size_t layer = left < all ? 2 : 1;  // where the layers begin among the arguments
    variable_list found(layer + 2 * count + 1);    // the last argument is not a tensor
    const auto wanted = [&](std::size_t k) { return context->needs_input_grad(k); };

    at::Tensor gradient = outputs[0].contiguous();  // of what layer k gave, before its ReLU
    const std::size_t last_bias = layer + 2 * count - 1;
    if (wanted(last_bias)) found[last_bias] = gradient.sum(-2);
    for (std::size_t k = count; k-- > 0;) {
      const at::Tensor &given = saved[k], &weight = saved[count + 2 * k];
      if (wanted(layer + 2 * k)) found[layer + 2 * k] = weight_slope(gradient, given);
      if (k == 0) break;
      gradient = product_back(gradient, given, weight);
      const std::size_t bias = layer + 2 * k - 1;  // of the layer below
      if (wanted(bias)) found[bias] = at::empty_like(saved[count + 2 * k - 1]);
      mask_and_sum(gradient, given, found[bias]);
    }
    const auto input = [&](std::int64_t begin, std::int64_t end) {
      return product_back(gradient, saved[0], saved[count].narrow(-1, begin, end - begin));
    };
    if (wanted(0)) found[0] = input(0, left);
    if (layer == 2 && wanted(1)) found[1] = input(left, all);
    return found;
  }
};

}  // namespace

at::Tensor perceptron(const at::Tensor& x, const at::Tensor& action,
                      const std::vector<at::Tensor>& layers) {
  if (!fused(x)) return plain::perceptron(x, action, layers);
  std::vector<at::Tensor> arguments{x};
  if (action.defined()) arguments.push_back(action);
  arguments.insert(arguments.end(), layers.begin(), layers.end());
  return nn::apply<Layers>(at::TensorList(arguments), action.defined());
}

Mlp::Mlp(Parameters& to, const std::string& name, std::int64_t members,
         const std::vector<std::int64_t>& sizes, at::Generator* generator) {
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    const std::string layer = name + std::to_string(k);
    const std::int64_t in = sizes[k], out = sizes[k + 1];
    layers.push_back(to.add(layer + ".weight", uniform_fan_in({members, out, in}, in, generator)));
    layers.push_back(to.add(layer + ".bias", uniform_fan_in({members, out}, in, generator)));
  }
}

at::Tensor Mlp::operator()(const at::Tensor& x, const at::Tensor& action) const {
  return perceptron(x, action, layers);
}

at::Tensor Mlp::first(const at::Tensor& x, const at::Tensor& action) const {
  std::vector<at::Tensor> part;
  for (const at::Tensor& tensor : layers) part.push_back(tensor.narrow(0, 0, 1));
  return perceptron(x, action, part);
}

at::Tensor plain::perceptron(const at::Tensor& x, const at::Tensor& action,
                             const std::vector<at::Tensor>& layers) {
  at::Tensor y = joined(x, action);
  for (std::size_t k = 0; k < layers.size(); k += 2) {
    if (k > 0) y = y.relu();
    const at::Tensor &weight = layers[k], &bias = layers[k + 1];
    if (weight.dim() == 2) {
      y = at::linear(y, weight, bias);
      continue;
    }
    const at::Tensor each = y.dim() == 3 ? y : y.unsqueeze(0).expand({weight.size(0), -1, -1});
    y = at::baddbmm(bias.unsqueeze(1), each, weight.transpose(1, 2));
  }
  return y;
}

}  // namespace mneme::nn
