// agents/nn/layers/hypersphere.h - SimbaV2's layers: unit vectors and unit weight rows, with learned
// scales between them. FastTD3's variant of them differs in two constants.
//
//   embed(x)  = l2(scale * W l2([x; shift]))
//   block(x)  = l2(x + alpha * (l2(W2 (relu(scale * W1 x) + 1e-8)) - x))
//   head(x)   = W2 (scale * W1 x) + b
//
// Every layer has `members` independent copies, computed as one product: (members, batch, numbers).
// With one member the first dimension is absent.
#pragma once

#include <vector>

#include "agents/common/network_shapes.h"
#include "agents/nn/kernels/sphere_steps.h"
#include "agents/nn/layers/parameters.h"

namespace mneme::nn {

struct SphereOptions {
  Sphere kind = Sphere::simbav2;
  std::int64_t members = 1;
  std::int64_t width = 128, blocks = 1, expansion = 4;
  double shift = 3;
  /// Initial gains of embedder and blocks; 0: sqrt(2 / width), and half of it.
  double embed_gain = 0, block_gain = 0;
};

/// y = raw * (init / scale) * x. Adam moves `raw` by about the learning rate whatever its size, so
/// `scale` decides how fast the gain changes relative to itself.
struct Scaler {
  Scaler(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t width,
         double init, double scale);
  at::Tensor raw;
  double gain;
  Multiplier multiplier() const { return {raw, gain}; }
};

struct Dense {
  Dense(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t out,
        std::int64_t in, at::Generator* generator);
  at::Tensor weight;
};

struct Embedder {
  Embedder(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t in,
           at::Generator* generator);
  SphereOptions options;
  Dense dense;
  Scaler scaler;
  at::Tensor operator()(const at::Tensor& x) const;
};

struct LerpBlock {
  LerpBlock(Parameters& to, const std::string& name, const SphereOptions& o,
            at::Generator* generator);
  SphereOptions options;
  Dense first, second;
  Scaler scaler, alpha;
  at::Tensor operator()(const at::Tensor& x) const;
};

/// Embedder and blocks.
struct Encoder {
  Encoder(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t in,
          at::Generator* generator);
  Embedder embedder;
  std::vector<LerpBlock> blocks;
  at::Tensor operator()(const at::Tensor& x) const;
};

/// Linear in what the encoder gives: no activation in between.
struct Head {
  Head(Parameters& to, const std::string& name, const SphereOptions& o, std::int64_t out,
       at::Generator* generator);
  Dense first, second;
  Scaler scaler;
  at::Tensor bias;
  at::Tensor operator()(const at::Tensor& x) const;
};

/// Sizes of an Encoder and of the Heads behind it, for AgentConfig::network_shapes().
NetworkShape encoder_shape(Index in, Index width, Index blocks, Index expansion);
void add_head_shape(NetworkShape& to, Index width, Index out);

}  // namespace mneme::nn
