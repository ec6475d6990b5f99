// agents/nn/tensors.h - tensors over the caller's memory, and tensors as saved state.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <span>

#include "base/state.h"

namespace mneme::nn {

/// The caller's numbers as a matrix of `columns`, not copied. They must outlive the tensor.
inline at::Tensor rows_of(std::span<const float> numbers, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(numbers.size()) / columns;
  return at::from_blob(const_cast<float*>(numbers.data()), {rows, columns}, at::kFloat);
}

/// Shape, type and numbers; wherever the tensor lives.
void put_tensor(StateWriter& out, const at::Tensor& tensor);
/// Into a tensor that exists: throws CorruptData if the one that was saved is of another shape or
/// type.
void get_tensor(StateReader& in, const at::Tensor& tensor);

}  // namespace mneme::nn
