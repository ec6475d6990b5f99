// agents/nn/mlp.cpp - a network as one function, with its gradient.
#include "agents/nn/mlp.h"

#include <ATen/Dispatch.h>

#include "agents/nn/fused.h"
#include "agents/nn/initial.h"

namespace mneme::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// y + bias, and what is below 0 becomes 0 if `relu`; a number that is none stays one.
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

struct Layers : torch::autograd::Function<Layers> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                            at::TensorList layers) {
    const BelowAutograd below;
    const std::size_t count = layers.size() / 2;
    const std::int64_t members = layers[0].size(0);
    std::vector<at::Tensor> given;  // what each layer is given
    given.reserve(3 * count);
    at::Tensor y = input.contiguous().unsqueeze(0).expand({members, -1, -1});
    for (std::size_t k = 0; k < count; ++k) {
      given.push_back(y);
      y = at::bmm(y, layers[2 * k].transpose(1, 2));
      add_bias(y, layers[2 * k + 1], k + 1 < count);
    }
    given.insert(given.end(), layers.begin(), layers.end());
    context->save_for_backward(std::move(given));
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list outputs) {
    const BelowAutograd below;
    const auto saved = context->get_saved_variables();
    const std::size_t count = saved.size() / 3;
    variable_list found(1 + 2 * count);
    const auto wanted = [&](std::size_t k) { return context->needs_input_grad(k); };

    at::Tensor gradient = outputs[0].contiguous();  // of what layer k gave, before its ReLU
    if (wanted(2 * count)) found[2 * count] = gradient.sum(1);
    for (std::size_t k = count; k-- > 0;) {
      const at::Tensor &given = saved[k], &weight = saved[count + 2 * k];
      if (wanted(1 + 2 * k)) found[1 + 2 * k] = at::bmm(gradient.transpose(1, 2), given);
      if (k == 0) {
        if (wanted(0)) found[0] = at::bmm(gradient, weight).sum(0);
        break;
      }
      gradient = at::bmm(gradient, weight);
      if (wanted(2 * k)) found[2 * k] = at::empty({given.size(0), given.size(2)}, given.options());
      mask_and_sum(gradient, given, found[2 * k]);
    }
    return found;
  }
};

at::Tensor through(const at::Tensor& x, const std::vector<at::Tensor>& layers) {
  if (!fused(x)) return detail::mlp_anywhere(x, layers);
  return nn::apply<Layers>(x, at::TensorList(layers));
}

}  // namespace

Mlp::Mlp(Parameters& to, const std::string& name, std::int64_t members,
         const std::vector<std::int64_t>& sizes, at::Generator* generator) {
  const auto initial = [&](at::IntArrayRef shape, std::int64_t fan_in) {
    return generator != nullptr ? uniform_fan_in(shape, fan_in, *generator)
                                : at::zeros(shape, to.options());
  };
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    const std::string layer = name + std::to_string(k);
    layers.push_back(
        to.add(layer + ".weight", initial({members, sizes[k + 1], sizes[k]}, sizes[k])));
    layers.push_back(to.add(layer + ".bias", initial({members, sizes[k + 1]}, sizes[k])));
  }
}

at::Tensor Mlp::operator()(const at::Tensor& x) const { return through(x, layers); }

at::Tensor Mlp::first(const at::Tensor& x) const {
  std::vector<at::Tensor> part;
  for (const at::Tensor& tensor : layers) part.push_back(tensor.narrow(0, 0, 1));
  return through(x, part);
}

at::Tensor detail::mlp_anywhere(const at::Tensor& x, const std::vector<at::Tensor>& layers) {
  at::Tensor y = x.unsqueeze(0).expand({layers[0].size(0), -1, -1});
  for (std::size_t k = 0; k < layers.size(); k += 2) {
    if (k > 0) y = y.relu();
    y = at::baddbmm(layers[k + 1].unsqueeze(1), y, layers[k].transpose(1, 2));
  }
  return y;
}

}  // namespace mneme::nn
