// run/training_loop.h - steps until the run is done or a stop is requested, with checkpoints.
#pragma once

#include <functional>

#include "run/trainer.h"

namespace mneme::lab {

struct TrainingOptions {
  double checkpoint_minutes = 5;
  /// Asked after every step.
  std::function<bool()> stop_requested = [] { return false; };
  /// After every step; `evaluated`: the step ended with an evaluation.
  std::function<void(const Trainer& run, bool evaluated)> on_step = [](const Trainer&, bool) {};
};

/// Returns whether the run is at its last step. A checkpoint has been written either way. Throws
/// what Trainer::step and Trainer::save throw.
bool train(Trainer& run, const TrainingOptions& options);

}  // namespace mneme::lab
