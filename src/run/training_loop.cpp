// run/training_loop.cpp - the loop and its checkpoint timer.
#include "run/training_loop.h"

#include <chrono>

namespace mneme::lab {

bool train(Trainer& run, const TrainingOptions& options) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point saved = Clock::now();
  while (!run.done() && !options.stop_requested()) {
    const Index evaluations = run.evaluations_done();
    run.step();
    options.on_step(run, run.evaluations_done() != evaluations);
    const std::chrono::duration<double> since = Clock::now() - saved;
    if (since.count() > 60 * options.checkpoint_minutes) {
      run.save();
      saved = Clock::now();
    }
  }
  run.save();
  return run.done();
}

}  // namespace mneme::lab
