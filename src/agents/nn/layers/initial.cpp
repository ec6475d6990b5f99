// agents/nn/layers/initial.cpp - initial weights and random generators.
#include "agents/nn/layers/initial.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "agents/nn/io/tensors.h"
#include "mneme/rng.h"

namespace mneme::nn {

at::Generator make_generator(std::uint64_t seed, std::uint32_t purpose, at::Device device) {
  at::Generator generator = device.is_cpu() ? at::make_generator<at::CPUGeneratorImpl>()
                                            : at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(Rng(seed, purpose).word());
  return generator;
}

void save_generator(StateWriter& out, const at::Generator& generator) {
  put_tensor(out, generator.get_state());
}

void load_generator(StateReader& in, at::Generator& generator) {
  const at::Tensor saved = get_any_tensor(in, at::kByte), state = generator.get_state();
  if (saved.numel() == state.numel()) {
    generator.set_state(saved);
    return;
  }
  // Saved on another kind of device, whose generator has another algorithm: its sequence cannot be
  // continued, so a new one is seeded by it.
  std::uint64_t seed = 0;
  const auto* bytes = saved.const_data_ptr<std::uint8_t>();
  for (std::int64_t k = 0; k < saved.numel(); ++k) seed = (seed ^ bytes[k]) * 0x100000001b3;
  generator.set_current_seed(Rng(seed, 0).word());
}

at::Tensor orthogonal(std::int64_t out, std::int64_t in, double gain, at::Generator* generator) {
  if (generator == nullptr) return at::zeros({out, in}, at::kDouble);
  const at::Tensor normals = normal({std::max(out, in), std::min(out, in)}, 1.0, generator);
  const auto [q, r] = at::linalg_qr(normals);
  const at::Tensor tall = q * r.diagonal().sign();
  return (gain * (out >= in ? tall : tall.t())).contiguous();
}

at::Tensor uniform_fan_in(at::IntArrayRef sizes, std::int64_t fan_in, at::Generator* generator) {
  if (generator == nullptr) return at::zeros(sizes, at::kDouble);
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  return at::empty(sizes, at::kDouble).uniform_(-bound, bound, *generator);
}

at::Tensor normal(at::IntArrayRef sizes, double deviation, at::Generator* generator) {
  if (generator == nullptr) return at::zeros(sizes, at::kDouble);
  return at::empty(sizes, at::kDouble).normal_(0, deviation, *generator);
}

}  // namespace mneme::nn
