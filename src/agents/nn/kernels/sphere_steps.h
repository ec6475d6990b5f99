// agents/nn/kernels/sphere_steps.h - fused steps of hyperspherical layers.
//
// Each step is written twice: `plain` by tensor operations, which is the definition and what other
// devices run, and for a CPU as a product and one pass over memory, forward and back. Tests compare
// the two.
#pragma once

#include <ATen/ATen.h>

namespace mneme::nn {

/// Where the two public versions differ.
enum class Sphere {
  simbav2,  ///< length max(|x|, 1e-8); a scaler starts at `scale`, so that it multiplies by `init`;
            ///< weight rows are kept at length 1
  fasttd3,  ///< length |x| + 1e-8; a scaler starts at init * scale, so that it multiplies by
            ///< init^2; weight rows keep any length
};

/// A learned vector times a constant: gain * raw. (width), or (members, 1, width).
struct Multiplier {
  const at::Tensor& raw;
  double gain;
};

/// l2([x; shift]), x (batch, numbers).
at::Tensor unit_with_shift(const at::Tensor& x, double shift, Sphere kind);
// Below, x is (batch, in) or (members, batch, in), a weight (out, in) or (members, out, in).
/// by * W x.
at::Tensor scaled(const at::Tensor& x, const at::Tensor& weight, const Multiplier& by);
/// l2(by * W x).
at::Tensor scaled_unit(const at::Tensor& x, const at::Tensor& weight, const Multiplier& by,
                       Sphere kind);
/// relu(by * W x) + 1e-8.
at::Tensor scaled_relu(const at::Tensor& x, const at::Tensor& weight, const Multiplier& by);
/// l2(x + by * (l2(W inner) - x)).
at::Tensor lerped(const at::Tensor& x, const at::Tensor& inner, const at::Tensor& weight,
                  const Multiplier& by, Sphere kind);

namespace plain {
at::Tensor l2(const at::Tensor& x, Sphere kind);
at::Tensor unit_with_shift(const at::Tensor& x, double shift, Sphere kind);
at::Tensor scaled(const at::Tensor& x, const at::Tensor& weight, const Multiplier& by);
at::Tensor scaled_unit(const at::Tensor& x, const at::Tensor& weight, const Multiplier& by,
                       Sphere kind);
at::Tensor scaled_relu(const at::Tensor& x, const at::Tensor& weight, const Multiplier& by);
at::Tensor lerped(const at::Tensor& x, const at::Tensor& inner, const at::Tensor& weight,
                  const Multiplier& by, Sphere kind);
}  // namespace plain

}  // namespace mneme::nn
