// agents/nn/heads/categorical.cpp - projection and losses of value distributions.
#include "agents/nn/heads/categorical.h"

#include <ATen/Dispatch.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "agents/nn/kernels/fused.h"

namespace mneme::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Two loops: the first has no memory of the one before and runs in vector instructions. `places`
// is room for the atoms.
template <class T>
void project_row(const Support& support, std::int64_t atoms, const T* z, const T* p, T shift,
                 T scale, T* places, T* out) {
  if (!std::isfinite(shift) || !std::isfinite(scale)) {
    // NaN reaches the loss, which stops the run.
    std::fill(out, out + atoms, std::numeric_limits<T>::quiet_NaN());
    return;
  }
  const T low = static_cast<T>(support.low), high = static_cast<T>(support.high);
  const T spacing = static_cast<T>(support.spacing), top = static_cast<T>(atoms - 1);
  for (std::int64_t i = 0; i < atoms; ++i) {
    const T moved = std::min(std::max(shift + scale * z[i], low), high);
    // Rounding may carry the highest atom beyond the last place.
    places[i] = std::min((moved - low) / spacing, top);
    out[i] = 0;
  }
  for (std::int64_t i = 0; i < atoms; ++i) {
    const auto below = static_cast<std::int64_t>(places[i]);
    const T above = places[i] - static_cast<T>(below);
    out[below] += p[i] * (1 - above);
    if (above > 0) out[below + 1] += p[i] * above;
  }
}

// The slope of an expectation by a logit is p (z - value): no second softmax on the way back.
struct Expectation : torch::autograd::Function<Expectation> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& atoms) {
    const BelowAutograd below;
    const at::Tensor p = logits.softmax(-1).contiguous();
    const at::Tensor values = p.matmul(atoms);
    context->save_for_backward({p, atoms, values});
    return values;
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const BelowAutograd below;
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &p = saved[0], &atoms = saved[1], &values = saved[2];
    const at::Tensor slope = slopes[0].contiguous();
    at::Tensor out = at::empty_like(p);
    const RowShape shape{1, values.numel(), atoms.numel()};
    AT_DISPATCH_FLOATING_TYPES(p.scalar_type(), "expectation", [&] {
      const auto* from = p.const_data_ptr<scalar_t>();
      const auto* z = atoms.const_data_ptr<scalar_t>();
      const auto* value = values.const_data_ptr<scalar_t>();
      const auto* g = slope.const_data_ptr<scalar_t>();
      auto* to = out.mutable_data_ptr<scalar_t>();
      each_row<scalar_t>(shape, [=](std::int64_t, std::int64_t row) {
        for (std::int64_t i = 0; i < shape.width; ++i)
          to[row * shape.width + i] = g[row] * from[row * shape.width + i] * (z[i] - value[row]);
      });
    });
    return {out, at::Tensor()};
  }
};

// The slope of a cross-entropy by a logit is p - wanted. Forwards there is one exponential per
// logit: log p = logit - (greatest logit - log of the greatest p).
struct CrossEntropies : torch::autograd::Function<CrossEntropies> {
  static variable_list forward(AutogradContext* context, const at::Tensor& logits,
                               const at::Tensor& given) {
    const BelowAutograd below;
    const at::Tensor said = logits.contiguous(), wanted = given.contiguous();
    const at::Tensor p = said.softmax(-1);
    const std::int64_t members = p.size(0), batch = p.size(1), atoms = p.size(2);
    const std::int64_t step = wanted.size(0) == 1 ? 0 : batch * atoms;
    at::Tensor rows = at::empty({batch}, p.options());
    AT_DISPATCH_FLOATING_TYPES(p.scalar_type(), "cross_entropy", [&] {
      const auto* logit = said.const_data_ptr<scalar_t>();
      const auto* probability = p.const_data_ptr<scalar_t>();
      const auto* want = wanted.const_data_ptr<scalar_t>();
      auto* to = rows.mutable_data_ptr<scalar_t>();
      each_row<scalar_t>({1, batch, members * atoms}, [=](std::int64_t, std::int64_t row) {
        scalar_t total = 0;
        for (std::int64_t m = 0; m < members; ++m) {
          const scalar_t* w = want + m * step + row * atoms;
          const std::int64_t at = (m * batch + row) * atoms;
          const scalar_t* l = logit + at;
          const scalar_t greatest = lane_max(atoms, probability + at);
          const scalar_t whole = lane_max(atoms, l) - std::log(greatest);
          total += lane_sum<scalar_t>(atoms, [=](std::int64_t i) { return w[i] * (whole - l[i]); });
        }
        to[row] = total;
      });
    });
    context->save_for_backward({p, wanted});
    context->mark_non_differentiable({p});
    return {rows, p};
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const BelowAutograd below;
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &p = saved[0], &wanted = saved[1], slope = slopes[0].contiguous();
    const std::int64_t members = p.size(0), batch = p.size(1), atoms = p.size(2);
    const std::int64_t step = wanted.size(0) == 1 ? 0 : batch * atoms;
    at::Tensor out = at::empty_like(p);
    AT_DISPATCH_FLOATING_TYPES(p.scalar_type(), "cross_entropy", [&] {
      const auto* from = p.const_data_ptr<scalar_t>();
      const auto* want = wanted.const_data_ptr<scalar_t>();
      const auto* g = slope.const_data_ptr<scalar_t>();
      auto* to = out.mutable_data_ptr<scalar_t>();
      each_row<scalar_t>({members, batch, atoms}, [=](std::int64_t member, std::int64_t row) {
        const std::int64_t of = row - member * batch;
        const scalar_t* w = want + member * step + of * atoms;
        for (std::int64_t i = 0; i < atoms; ++i)
          to[row * atoms + i] = g[of] * (from[row * atoms + i] - w[i]);
      });
    });
    return {out, at::Tensor()};
  }
};

}  // namespace

Support::Support(double lowest, double highest, std::int64_t atoms, at::TensorOptions options)
    : low(lowest),
      high(highest),
      spacing((highest - lowest) / static_cast<double>(atoms - 1)),
      values(at::linspace(lowest, highest, atoms, at::kDouble).to(options)) {}

at::Tensor detail::project_anywhere(const Support& support, const at::Tensor& p,
                                    const at::Tensor& shift, const at::Tensor& scale) {
  const std::int64_t atoms = support.values.size(0);
  const at::Tensor raw = shift.unsqueeze(-1) + scale.unsqueeze(-1) * support.values;
  // Clamping alone would move the mass of an infinite return to the outermost atom.
  const at::Tensor moved =
      at::where(raw.isfinite(), raw.clamp(support.low, support.high), std::nan(""));
  const at::Tensor place =
      ((moved - support.low) / support.spacing).clamp_max(static_cast<double>(atoms - 1));
  const at::Tensor floor = place.floor();
  const at::Tensor above = (place - floor).expand_as(p);
  const at::Tensor below = floor.nan_to_num().to(at::kLong).expand_as(p);
  at::Tensor out = at::zeros_like(p);
  out.scatter_add_(-1, below, p * (1 - above));
  out.scatter_add_(-1, (below + 1).clamp_max(atoms - 1), p * above);
  return out;
}

at::Tensor project(const Support& support, const at::Tensor& probabilities, const at::Tensor& shift,
                   const at::Tensor& scale) {
  const at::NoGradGuard no_grad;
  if (!probabilities.is_cpu())
    return detail::project_anywhere(support, probabilities, shift, scale);
  const std::int64_t atoms = support.values.size(0);
  const at::Tensor p = probabilities.contiguous();
  // One shift and scale may serve several members of an ensemble.
  const std::vector<std::int64_t> rows_shape(p.sizes().begin(), p.sizes().end() - 1);
  const at::Tensor by = shift.expand(rows_shape).contiguous();
  const at::Tensor times = scale.expand(rows_shape).contiguous();
  at::Tensor out = at::empty_like(p);
  const RowShape shape{1, p.numel() / atoms, atoms};
  at::Tensor places = at::empty_like(p);
  AT_DISPATCH_FLOATING_TYPES(p.scalar_type(), "project", [&] {
    const auto* z = support.values.const_data_ptr<scalar_t>();
    const auto* from = p.const_data_ptr<scalar_t>();
    const auto* s = by.const_data_ptr<scalar_t>();
    const auto* c = times.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    auto* room = places.mutable_data_ptr<scalar_t>();
    each_row<scalar_t>(shape, [=, &support](std::int64_t, std::int64_t row) {
      project_row<scalar_t>(support, atoms, z, from + row * atoms, s[row], c[row],
                            room + row * atoms, to + row * atoms);
    });
  });
  return out;
}

at::Tensor mean_of(const Support& support, const at::Tensor& probabilities) {
  return probabilities.matmul(support.values);
}

at::Tensor plain::expectation(const Support& support, const at::Tensor& logits) {
  return mean_of(support, logits.softmax(-1));
}

at::Tensor expectation(const Support& support, const at::Tensor& logits) {
  return fused(logits) ? apply<Expectation>(logits, support.values)
                       : plain::expectation(support, logits);
}

CrossEntropy plain::cross_entropy(const at::Tensor& logits, const at::Tensor& wanted) {
  const at::Tensor log_p = logits.log_softmax(-1);
  return {-(wanted * log_p).sum(-1).sum(0), log_p.detach().exp()};
}

CrossEntropy cross_entropy(const at::Tensor& logits, const at::Tensor& wanted) {
  if (!fused(logits)) return plain::cross_entropy(logits, wanted);
  const variable_list both = apply<CrossEntropies>(logits, wanted);
  return {both[0], both[1]};
}

}  // namespace mneme::nn
