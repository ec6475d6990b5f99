// agents/common/network_shapes.h - sizes of an agent's networks, without making them.
//
// An agent describes its networks once, in AgentConfig::network_shapes(). The time and memory
// estimate of a study, the matmul lower bound of `mneme bench agents` and the parameter count use
// that description.
#pragma once

#include <vector>

#include "mneme/index.h"

namespace mneme {

/// The weight matrix of a linear layer.
struct LayerShape {
  Index in = 0, out = 0;
};

struct NetworkShape {
  Index members = 1;     ///< copies of the layers, as in an ensemble of critics
  bool stacked = false;  ///< members run as one batched matmul, else one after another
  /// Of one member, in the order of the forward pass. The first layer sees the observation, and in
  /// a critic the action: `action` of its columns. `embedding` columns are a learned task embedding
  /// that gets a gradient through this network.
  std::vector<LayerShape> layers;
  Index action = 0, embedding = 0;
  Index vectors = 0;  ///< other parameters of one member: biases, scales, norms
  Index shared = 0;   ///< parameters that all members share: task embeddings

  /// Weights in matrices, of all members.
  Index matrix_parameters() const {
    Index count = 0;
    for (const LayerShape& layer : layers) count += layer.in * layer.out;
    return members * count;
  }
  Index parameters() const { return matrix_parameters() + members * vectors + shared; }
};

struct NetworkShapes {
  NetworkShape actor, critic;  ///< critic: all critics, without target networks
  Index others = 0;            ///< learned parameters of neither: an entropy temperature

  Index parameters() const { return actor.parameters() + critic.parameters() + others; }
};

}  // namespace mneme
