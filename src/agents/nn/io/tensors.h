// agents/nn/io/tensors.h - tensors over the caller's memory, and tensors as saved state.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <span>

#include "base/state.h"

namespace mneme::nn {

/// The caller's values as a matrix of `columns`, not copied. REQUIRES: they outlive the tensor.
inline at::Tensor rows_of(std::span<const float> numbers, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(numbers.size()) / columns;
  return at::from_blob(const_cast<float*>(numbers.data()), {rows, columns}, at::kFloat);
}

/// Type, shape and values, from any device.
void put_tensor(StateWriter& out, const at::Tensor& tensor);
/// Reads into an existing tensor. Throws CorruptData if the saved one has another shape or type.
void get_tensor(StateReader& in, const at::Tensor& tensor);

/// A new tensor of this type on the CPU, of the shape that was saved. Throws CorruptData for another
/// type or an impossible shape.
at::Tensor get_any_tensor(StateReader& in, at::ScalarType type);

}  // namespace mneme::nn
