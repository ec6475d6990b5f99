// agents/nn/optim/adam.h - Adam with decoupled weight decay, unit rows, and the soft update of a target
// network.
//
//   m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2
//   w = (1 - lr decay) w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
//   rows of w to length 1 where the network says so;  target = target + tau (w - target)
//
// On a CPU all of it is one pass over memory, which is what bounds it.
#pragma once

#include "agents/nn/layers/parameters.h"

namespace mneme::nn {

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double decay = 0;
  bool one_pass = true;  ///< false: by tensor operations, as on devices other than a CPU
};

class Adam {
 public:
  explicit Adam(Parameters& parameters, const AdamOptions& options = {});

  /// One step along gradients of Parameters::values(), at this learning rate. An undefined gradient
  /// counts as zero. With a target: that is moved by `tau`.
  void step(const std::vector<at::Tensor>& gradients, double learning_rate,
            Parameters* target = nullptr, double tau = 0);

  std::int64_t steps() const { return steps_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  Parameters& parameters_;
  AdamOptions options_;
  std::vector<at::Tensor> first_, second_;  // moments
  std::int64_t steps_ = 0;
};

}  // namespace mneme::nn
