// agents/nn/layers/hypersphere.cpp - hyperspherical layers.
#include "agents/nn/layers/hypersphere.h"

#include <cmath>

#include "agents/nn/layers/initial.h"

namespace mneme::nn {
namespace {

// One copy per member, each with its own random numbers.
template <class Make>
at::Tensor stacked(std::int64_t members, const Make& make) {
  if (members == 1) return make();
  std::vector<at::Tensor> copies;
  for (std::int64_t m = 0; m < members; ++m) copies.push_back(make());
  return at::stack(copies);
}

// Vectors of an ensemble stand before rows: (members, 1, width).
std::vector<std::int64_t> vector_shape(std::int64_t members, std::int64_t width) {
  return members == 1 ? std::vector{width} : std::vector{members, std::int64_t{1}, width};
}

double embed_gain(const SphereOptions& o) {
  return o.embed_gain > 0 ? o.embed_gain : std::sqrt(2.0 / static_cast<double>(o.width));
}

double block_gain(const SphereOptions& o) {
  return o.block_gain > 0 ? o.block_gain
                          : std::sqrt(2.0 / static_cast<double>(o.width)) /
                                std::sqrt(static_cast<double>(o.expansion));
}

}  // namespace

Scaler::Scaler(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t width,
               double init, double scale)
    : gain(init / scale) {
  const double start = o.kind == Sphere::simbav2 ? scale : init * scale;
  raw = to.add(name, at::full(vector_shape(o.members, width), start, at::kDouble));
}

Dense::Dense(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t out,
             std::int64_t in, at::Generator* generator)
    : weight(to.add(name, stacked(o.members, [&] { return orthogonal(out, in, 1.0, generator); }),
                    o.kind == Sphere::simbav2)) {}

Embedder::Embedder(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t in,
                   at::Generator* generator)
    : options(o),
      dense(to, name + ".dense", o, o.width, in + 1, generator),
      scaler(to, name + ".scaler", o, o.width, embed_gain(o), embed_gain(o)) {}

at::Tensor Embedder::operator()(const at::Tensor& x) const {
  const at::Tensor unit = unit_with_shift(x, options.shift, options.kind);
  return scaled_unit(unit, dense.weight, scaler.multiplier(), options.kind);
}

LerpBlock::LerpBlock(Parameters& to, const std::string& name, const SphereOptions& o,
                     at::Generator* generator)
    : options(o),
      first(to, name + ".first", o, o.width * o.expansion, o.width, generator),
      second(to, name + ".second", o, o.width, o.width * o.expansion, generator),
      scaler(to, name + ".scaler", o, o.width * o.expansion, block_gain(o), block_gain(o)),
      alpha(to, name + ".alpha", o, o.width, 1.0 / static_cast<double>(o.blocks + 1),
            1 / std::sqrt(static_cast<double>(o.width))) {}

at::Tensor LerpBlock::operator()(const at::Tensor& x) const {
  const at::Tensor inner = scaled_relu(x, first.weight, scaler.multiplier());
  return lerped(x, inner, second.weight, alpha.multiplier(), options.kind);
}

Encoder::Encoder(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t in,
                 at::Generator* generator)
    : embedder(to, name + ".embedder", o, in, generator) {
  for (std::int64_t k = 0; k < o.blocks; ++k)
    blocks.emplace_back(to, name + ".block" + std::to_string(k), o, generator);
}

at::Tensor Encoder::operator()(const at::Tensor& x) const {
  at::Tensor y = embedder(x);
  for (const LerpBlock& block : blocks) y = block(y);
  return y;
}

Head::Head(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t out,
           at::Generator* generator)
    : first(to, name + ".first", o, o.width, o.width, generator),
      second(to, name + ".second", o, out, o.width, generator),
      scaler(to, name + ".scaler", o, o.width, 1, 1),
      bias(to.add(name + ".bias", at::zeros(vector_shape(o.members, out), at::kDouble))) {}

NetworkShape encoder_shape(Index in, Index width, Index blocks, Index expansion) {
  NetworkShape shape;
  shape.layers.push_back({in + 1, width});  // the shift is an input
  shape.vectors = width;
  for (Index k = 0; k < blocks; ++k) {
    shape.layers.push_back({width, expansion * width});
    shape.layers.push_back({expansion * width, width});
    shape.vectors += expansion * width + width;  // scaler and alpha
  }
  return shape;
}

void add_head_shape(NetworkShape& to, Index width, Index out) {
  to.layers.push_back({width, width});
  to.layers.push_back({width, out});
  to.vectors += width + out;  // scaler and bias
}

at::Tensor Head::operator()(const at::Tensor& x) const {
  const at::Tensor inner = scaled(x, first.weight, scaler.multiplier());
  if (second.weight.dim() == 2) return at::linear(inner, second.weight, bias);
  return at::baddbmm(bias, inner, second.weight.transpose(1, 2));
}

}  // namespace mneme::nn
