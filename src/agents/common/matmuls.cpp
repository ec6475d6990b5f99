// agents/common/matmuls.cpp - matmuls in LibTorch, with the memory layout they have in a network.
#include "agents/common/matmuls.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace mneme {

struct Products::Factors {
  at::Tensor left, right, result;
};

Products::~Products() = default;
Products::Products(Products&&) noexcept = default;

Products::Products(const std::vector<Product>& list) {
  const auto numbers = [](const Product& one, Index rows, Index columns) {
    return one.members > 1 ? at::randn({one.members, rows, columns}) : at::randn({rows, columns});
  };
  for (const Product& one : list) {
    const bool left = one.of == Product::Of::weight_slope, right = one.of == Product::Of::output;
    Factors factors;
    factors.left = left ? numbers(one, one.inner, one.rows).transpose(-1, -2)
                        : numbers(one, one.rows, one.inner);
    factors.right = right ? numbers(one, one.columns, one.inner).transpose(-1, -2)
                          : numbers(one, one.inner, one.columns);
    factors.result = numbers(one, one.rows, one.columns);
    factors_.push_back(std::move(factors));
    operations_ += one.operations();
  }
}

void Products::run() {
  const at::NoGradGuard no_grad;
  for (Factors& one : factors_) {
    if (one.left.dim() == 3)
      at::bmm_out(one.result, one.left, one.right);
    else
      at::mm_out(one.result, one.left, one.right);
  }
}

}  // namespace mneme
