// agents/fasttd3/networks.h - FastTD3's actor and its two critics.
//
// Four linear layers of widths h, h/2, h/4 and out with ReLU between them; or SimbaV2's layers
// (nn/hypersphere.h). With several tasks a learned vector of the task stands behind the
// observation; actor and critics each have a table of their own.
#pragma once

#include <array>
#include <optional>

#include "agents/fasttd3/config.h"
#include "agents/nn/layers/hypersphere.h"

namespace mneme::fasttd3 {

/// What an actor or critic is made for.
struct NetworkShape {
  std::int64_t observation = 0, action = 0, tasks = 1;
};

struct Linear {
  at::Tensor weight, bias;
};

struct MlpOptions {
  std::int64_t in = 0, width = 0, out = 0;
  /// Above 0: the third layer gives so many groups of `sim_dimension` numbers, each a softmax of
  /// the layer-normalized output.
  std::int64_t sim_groups = 0, sim_dimension = 0;
  /// Of normal last weights, with bias 0. Negative: PyTorch's default, as for the other layers.
  double last_deviation = -1;
};

struct Mlp {
  Mlp(nn::Parameters& to, const std::string& name, const MlpOptions& options,
      at::Generator* generator);
  MlpOptions options;
  std::array<Linear, 4> layers;
  Linear norm;  ///< of a SimNorm: scale and shift of its layer norm

  /// Of x, or of [x; action].
  at::Tensor operator()(const at::Tensor& x, const at::Tensor& action = {}) const;
};

/// A learned vector per task, of length 1 at most; nothing for a single task.
struct TaskTable {
  TaskTable(nn::Parameters& to, const FastTD3Settings& settings, const NetworkShape& shape,
            at::Generator* generator);
  at::Tensor vectors;  ///< undefined for a single task

  /// Shortens the vectors of these tasks for good: what the public code does whenever it looks one
  /// up. Before a gradient is taken.
  void shorten(const at::Tensor& task) const;
  /// [observation; vector of the task]. Without gradients vectors are shortened in a copy.
  at::Tensor operator()(const at::Tensor& observation, const at::Tensor& task) const;
  /// All vectors, shortened.
  at::Tensor seen() const;
};

/// Whether matrix products of networks with these settings are made in bfloat16, as the public code
/// has them on a graphics card. Weights and everything behind a network stay in single precision.
bool in_bf16(const FastTD3Settings& settings, at::Device device);

struct Actor {
  Actor(const FastTD3Settings& settings, const NetworkShape& shape, at::TensorOptions options,
        at::Generator* generator);
  nn::Parameters parameters;
  TaskTable tasks;
  std::optional<Mlp> mlp;
  std::optional<nn::Encoder> encoder;
  std::optional<nn::Head> head;
  bool bf16;

  /// (batch, action) within [-1, 1].
  at::Tensor operator()(const at::Tensor& observation, const at::Tensor& task) const;
};

struct Critics {
  Critics(const FastTD3Settings& settings, const NetworkShape& shape, at::TensorOptions options,
          at::Generator* generator);
  nn::Parameters parameters;
  TaskTable tasks;
  std::vector<Mlp> mlps;
  std::optional<nn::Encoder> encoder;
  std::optional<nn::Head> head;
  bool bf16;

  /// Logits (2, batch, atoms).
  at::Tensor operator()(const at::Tensor& observation, const at::Tensor& task,
                        const at::Tensor& action) const;
};

}  // namespace mneme::fasttd3
