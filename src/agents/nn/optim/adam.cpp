// agents/nn/optim/adam.cpp - Adam: one pass per tensor on a CPU, tensor operations elsewhere.
#include "agents/nn/optim/adam.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "agents/nn/io/tensors.h"
#include "agents/nn/kernels/row_loops.h"

namespace mneme::nn {
namespace {

// What is the same for every number of a step.
struct Rates {
  double beta1, beta2, epsilon;
  double keep;        // of the weight
  double step, root;  // learning rate and root of v with their bias corrections
  double tau;
};

// One row: everything about it while it is in the cache.
template <class T>
void step_row(const Rates& r, std::int64_t n, T* __restrict w, const T* __restrict g,
              T* __restrict m, T* __restrict v, bool unit, T* __restrict target) {
  const T b1 = static_cast<T>(r.beta1), b2 = static_cast<T>(r.beta2);
  const T c1 = static_cast<T>(1 - r.beta1), c2 = static_cast<T>(1 - r.beta2);
  const T keep = static_cast<T>(r.keep), step = static_cast<T>(r.step);
  const T root = static_cast<T>(r.root), epsilon = static_cast<T>(r.epsilon);
  for (std::int64_t i = 0; i < n; ++i) {
    m[i] = b1 * m[i] + c1 * g[i];
    v[i] = b2 * v[i] + c2 * g[i] * g[i];
    w[i] = keep * w[i] - step * m[i] / (std::sqrt(v[i]) * root + epsilon);
  }
  if (unit) {
    const T sum = lane_sum<T>(n, [=](std::int64_t i) { return w[i] * w[i]; });
    const T factor = 1 / std::max(std::sqrt(sum), static_cast<T>(1e-8));
    for (std::int64_t i = 0; i < n; ++i) w[i] *= factor;
  }
  if (target != nullptr) {
    const T tau = static_cast<T>(r.tau);
    for (std::int64_t i = 0; i < n; ++i) target[i] += tau * (w[i] - target[i]);
  }
}

template <class T>
void step_on_cpu(const Rates& rates, const Parameter& one, const at::Tensor& gradient,
                 const at::Tensor& first, const at::Tensor& second, const at::Tensor* target) {
  // Without rows to keep together a tensor is cut into pieces that fit a cache.
  const std::int64_t numbers = one.value.numel();
  const std::int64_t row = one.unit_rows ? one.value.size(-1) : std::int64_t{4096};
  const std::int64_t rows = (numbers + row - 1) / row;
  T* w = one.value.template mutable_data_ptr<T>();
  const T* g = gradient.template const_data_ptr<T>();
  T* m = first.template mutable_data_ptr<T>();
  T* v = second.template mutable_data_ptr<T>();
  T* t = target == nullptr ? nullptr : target->template mutable_data_ptr<T>();
  const std::int64_t grain = std::max<std::int64_t>(1, 65536 / row);
  at::parallel_for(0, rows, grain, [&](std::int64_t begin, std::int64_t end) {
    detail::run([&] {
      for (std::int64_t k = begin; k < end; ++k) {
        const std::int64_t at = k * row;
        step_row<T>(rates, std::min(row, numbers - at), w + at, g + at, m + at, v + at,
                    one.unit_rows, t == nullptr ? nullptr : t + at);
      }
    });
  });
}

// The same by tensor operations, for other devices and types.
void step_anywhere(const Rates& r, const Parameter& one, const at::Tensor& gradient,
                   const at::Tensor& first, const at::Tensor& second, const at::Tensor* target) {
  first.mul_(r.beta1).add_(gradient, 1 - r.beta1);
  second.mul_(r.beta2).addcmul_(gradient, gradient, 1 - r.beta2);
  one.value.mul_(r.keep).addcdiv_(first, second.sqrt().mul_(r.root).add_(r.epsilon), -r.step);
  if (one.unit_rows) one.value.copy_(unit_rows(one.value));
  if (target != nullptr) target->lerp_(one.value, r.tau);
}

}  // namespace

Adam::Adam(Parameters& parameters, const AdamOptions& options)
    : parameters_(parameters), options_(options) {
  for (const Parameter& one : parameters.all()) {
    first_.push_back(at::zeros_like(one.value).detach());
    second_.push_back(at::zeros_like(one.value).detach());
  }
}

void Adam::step(const std::vector<at::Tensor>& gradients, double learning_rate, Parameters* target,
                double tau) {
  const at::NoGradGuard no_grad;
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const Rates rates{.beta1 = options_.beta1,
                    .beta2 = options_.beta2,
                    .epsilon = options_.epsilon,
                    .keep = 1 - learning_rate * options_.decay,
                    .step = learning_rate / (1 - std::pow(options_.beta1, t)),
                    .root = 1 / std::sqrt(1 - std::pow(options_.beta2, t)),
                    .tau = tau};
  for (std::size_t k = 0; k < parameters_.all().size(); ++k) {
    const Parameter& one = parameters_.all()[k];
    const at::Tensor gradient =
        gradients[k].defined() ? gradients[k].contiguous() : at::zeros_like(one.value);
    const at::Tensor* follows = target == nullptr ? nullptr : &target->all()[k].value;
    auto* step = &step_anywhere;
    if (options_.one_pass && one.value.is_cpu()) {
      if (one.value.scalar_type() == at::kFloat) step = &step_on_cpu<float>;
      if (one.value.scalar_type() == at::kDouble) step = &step_on_cpu<double>;
    }
    step(rates, one, gradient, first_[k], second_[k], follows);
  }
}

void Adam::save(StateWriter& out) const {
  out.put(steps_);
  for (std::size_t k = 0; k < first_.size(); ++k) {
    put_tensor(out, first_[k]);
    put_tensor(out, second_[k]);
  }
}

void Adam::load(StateReader& in) {
  steps_ = in.get<std::int64_t>();
  for (std::size_t k = 0; k < first_.size(); ++k) {
    get_tensor(in, first_[k]);
    get_tensor(in, second_[k]);
  }
}

}  // namespace mneme::nn
