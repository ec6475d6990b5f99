// agents/nn/initial.h - initial weights, and the generator they and all noise come from.
#pragma once

#include <ATen/ATen.h>

#include "base/state.h"

namespace mneme::nn {

/// A generator on this device; streams of one seed that have different purposes do not overlap in
/// practice: the seed of each is mixed from both.
at::Generator make_generator(std::uint64_t seed, std::uint32_t purpose, at::Device device);
void save_generator(StateWriter& out, const at::Generator& generator);
void load_generator(StateReader& in, at::Generator& generator);

// Without a generator they are 0, for somebody to copy others over them.

/// (out, in), in double on the CPU: `gain` times orthonormal rows, or columns where there are fewer
/// of them. QR of a normal matrix, with the signs of R's diagonal taken out.
at::Tensor orthogonal(std::int64_t out, std::int64_t in, double gain, at::Generator* generator);

/// (sizes), in double on the CPU: uniform on (-1/sqrt(fan_in), 1/sqrt(fan_in)), PyTorch's default
/// for weights and biases of a linear layer.
at::Tensor uniform_fan_in(at::IntArrayRef sizes, std::int64_t fan_in, at::Generator* generator);

/// (sizes), in double on the CPU: normal with this standard deviation.
at::Tensor normal(at::IntArrayRef sizes, double deviation, at::Generator* generator);

}  // namespace mneme::nn
