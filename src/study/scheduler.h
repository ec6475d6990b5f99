// study/scheduler.h - which run is next, what is tried again, when to stop.
//
// Everything it knows is in the ledger and in the runs' directories: killed at any moment, it
// continues from there when it is started again. It removes nothing but the buffer and checkpoint
// of runs that are done.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ledger/ledger.h"
#include "study/engine.h"
#include "study/estimate.h"
#include "study/observer.h"

namespace mneme::lab {

struct ScheduleOptions {
  std::string study = {};
  Index jobs = 1;        ///< of the estimate of the time left
  double max_hours = 0;  ///< 0: no limit
  double checkpoint_minutes = 5;
  bool keep = false;  ///< buffers and checkpoints of finished runs
  bool tensorboard = false;
  /// Stop requests so far: the first stops after checkpoints, the second at once.
  std::function<int()> interrupts = [] { return 0; };
};

struct Outcome {
  std::size_t done = 0, failed = 0, left = 0;
  std::string reason;  ///< why it stopped before all runs ended; empty otherwise
};

/// Makes the runs that are neither done, failed nor unavailable, in the order given. A run counts as
/// done when its process exited with 0 and its last step is evaluated. Throws what the ledger
/// throws.
Outcome schedule(Ledger& ledger, const std::vector<StudyRun>& runs, Engine& engine,
                 const ScheduleOptions& options, StudyObserver& observer);

}  // namespace mneme::lab
