// agents/nn/categorical.cpp - projection by scattering, one row after the other.
#include "agents/nn/categorical.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mneme::nn {
namespace {

// Two loops: the first has no memory of the one before and runs in vector instructions. `places`
// is room for the atoms.
template <class T>
void project_row(const Support& support, std::int64_t atoms, const T* z, const T* p, T shift,
                 T scale, T* places, T* out) {
  if (!std::isfinite(shift) || !std::isfinite(scale)) {
    // No atom is where such a number points; let whoever looks at losses see it.
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

}  // namespace

Support::Support(double lowest, double highest, std::int64_t atoms, at::TensorOptions options)
    : low(lowest),
      high(highest),
      spacing((highest - lowest) / static_cast<double>(atoms - 1)),
      values(at::linspace(lowest, highest, atoms, at::kDouble).to(options)) {}

at::Tensor detail::project_anywhere(const Support& support, const at::Tensor& p,
                                    const at::Tensor& shift, const at::Tensor& scale) {
  const std::int64_t atoms = support.values.size(0);
  const at::Tensor moved =
      (shift.unsqueeze(-1) + scale.unsqueeze(-1) * support.values).clamp(support.low, support.high);
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
  const std::int64_t rows = p.numel() / atoms;
  AT_DISPATCH_FLOATING_TYPES(p.scalar_type(), "project", [&] {
    const auto* z = support.values.const_data_ptr<scalar_t>();
    const auto* from = p.const_data_ptr<scalar_t>();
    const auto* s = by.const_data_ptr<scalar_t>();
    const auto* c = times.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, rows, 64, [&](std::int64_t begin, std::int64_t end) {
      std::vector<scalar_t> places(static_cast<std::size_t>(atoms));
      for (std::int64_t row = begin; row < end; ++row)
        project_row<scalar_t>(support, atoms, z, from + row * atoms, s[row], c[row], places.data(),
                              to + row * atoms);
    });
  });
  return out;
}

at::Tensor mean_of(const Support& support, const at::Tensor& probabilities) {
  return probabilities.matmul(support.values);
}

at::Tensor expectation(const Support& support, const at::Tensor& logits) {
  return mean_of(support, logits.softmax(-1));
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& target) {
  return -(target * logits.log_softmax(-1)).sum(-1);
}

}  // namespace mneme::nn
