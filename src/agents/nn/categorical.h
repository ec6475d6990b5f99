// agents/nn/categorical.h - values as distributions over fixed atoms (C51), as all three agents
// have them.
//
// A distribution over the atoms z_0 .. z_{n-1} is moved to shift + scale * z, clipped to the
// support, and its mass shared between the two atoms on either side (Bellemare et al. 2017). Mass
// is conserved also where a moved atom falls on another one, which several public versions get
// wrong.
#pragma once

#include <ATen/ATen.h>

namespace mneme::nn {

struct Support {
  Support(double lowest, double highest, std::int64_t atoms, at::TensorOptions options);

  double low, high, spacing;
  at::Tensor values;  ///< the atoms
};

/// probabilities (..., n), shift and scale (...): the projected distribution, same shape. No
/// gradient passes.
at::Tensor project(const Support& support, const at::Tensor& probabilities, const at::Tensor& shift,
                   const at::Tensor& scale);

namespace detail {
/// The same by tensor operations: what `project` does on devices other than a CPU.
at::Tensor project_anywhere(const Support& support, const at::Tensor& probabilities,
                            const at::Tensor& shift, const at::Tensor& scale);
}  // namespace detail

/// Expected values of distributions given as logits (..., n).
at::Tensor expectation(const Support& support, const at::Tensor& logits);
/// The same of probabilities.
at::Tensor mean_of(const Support& support, const at::Tensor& probabilities);

/// -sum target log softmax(logits), row by row.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& target);

}  // namespace mneme::nn
