// agents/nn/layers/initial.h - initial weights and random generators.
#pragma once

#include <ATen/ATen.h>

#include "base/state.h"

namespace mneme::nn {

/// A generator on this device. Different purposes of one seed give independent sequences.
at::Generator make_generator(std::uint64_t seed, std::uint32_t purpose, at::Device device);
void save_generator(StateWriter& out, const at::Generator& generator);
/// Continues the saved sequence. A state that was saved on another kind of device seeds a new
/// sequence instead.
void load_generator(StateReader& in, at::Generator& generator);

// Without a generator weights are 0, to be overwritten by those of another network.

/// (out, in), in double on the CPU: `gain` times orthonormal rows, or columns where there are fewer
/// of them. QR of a normal matrix, times the signs of R's diagonal.
at::Tensor orthogonal(std::int64_t out, std::int64_t in, double gain, at::Generator* generator);

/// (sizes), in double on the CPU: uniform on (-1/sqrt(fan_in), 1/sqrt(fan_in)), PyTorch's default
/// for weights and biases of a linear layer.
at::Tensor uniform_fan_in(at::IntArrayRef sizes, std::int64_t fan_in, at::Generator* generator);

/// (sizes), in double on the CPU: normal with this standard deviation.
at::Tensor normal(at::IntArrayRef sizes, double deviation, at::Generator* generator);

}  // namespace mneme::nn
