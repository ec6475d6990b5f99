// agents/nn/heads/categorical.h - value distributions over fixed atoms (C51).
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

struct CrossEntropy {
  at::Tensor rows;           ///< (batch): -sum wanted log softmax(logits), summed over the members
  at::Tensor probabilities;  ///< softmax(logits); no gradient passes
};

/// Of logits (members, batch, n) and their targets, (members, batch, n) or the same for all,
/// (1, batch, n). No gradient reaches `wanted`, whose rows are distributions.
CrossEntropy cross_entropy(const at::Tensor& logits, const at::Tensor& wanted);

namespace plain {
/// By tensor operations: the definition, and what devices other than a CPU run.
at::Tensor expectation(const Support& support, const at::Tensor& logits);
CrossEntropy cross_entropy(const at::Tensor& logits, const at::Tensor& wanted);
}  // namespace plain

}  // namespace mneme::nn
