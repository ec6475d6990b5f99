// agents/common/matmuls.h - the matmuls of an update: a lower bound for its time.
//
// A layer of `in` inputs and `out` outputs has three products for B rows: its output (B,in)(in,out),
// the gradient of its weights (out,B)(B,in), and the gradient of its input (B,out)(out,in). The caller
// lists those that an update needs; activations, normalizations, losses and optimizers are left out.
#pragma once

#include <memory>
#include <vector>

#include "mneme/index.h"

namespace mneme {

/// `members` products (rows, inner)(inner, columns) of single-precision numbers.
struct Product {
  enum class Of {
    output,        ///< the right factor lies transposed in memory, as weights (out, in) do
    weight_slope,  ///< the left one does, as slopes (batch, out) do
    input_slope,   ///< neither
  };
  Of of = Of::output;
  Index members = 1;  ///< above 1: one batched product, as of a stacked ensemble
  Index rows = 0, inner = 0, columns = 0;

  double operations() const {
    return 2 * static_cast<double>(members) * static_cast<double>(rows) *
           static_cast<double>(inner) * static_cast<double>(columns);
  }
};

/// A set of products with memory of their own, so that running them costs no more than they do.
class Products {
 public:
  explicit Products(const std::vector<Product>& list);
  ~Products();
  Products(Products&&) noexcept;

  /// All of them, once. Threads as prepare_compute() has it.
  void run();
  double operations() const { return operations_; }

 private:
  struct Factors;
  std::vector<Factors> factors_;
  double operations_ = 0;
};

}  // namespace mneme
