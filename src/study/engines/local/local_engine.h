// study/engines/local/engine.h - the local engine: runs in worker processes, so many at a time, until all are
// done or somebody says stop.
//
// Everything it knows is in the ledger and in the runs' directories: killed at any moment, it goes
// on from there when it is started again.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "ledger/ledger.h"
#include "study/board.h"
#include "study/estimate.h"
#include "study/plan.h"

namespace mneme::lab {

struct EngineOptions {
  std::filesystem::path program = {};  ///< that has `train`
  Index jobs = 1;
  double max_hours = 0;  ///< 0: no limit
  double checkpoint_minutes = 5;
  bool keep = false;  ///< what finished runs leave behind beside their tables
  bool tensorboard = false;
};

struct EngineRun {
  Id id = 0;
  PlannedRun plan;
  Estimate estimate;
};

struct Outcome {
  std::size_t done = 0, failed = 0, left = 0;
  std::string why;  ///< it ended before all runs did; empty otherwise
};

/// Does the runs that are neither done, failed nor impossible, in the order given. Throws what the
/// ledger throws; workers are stopped then.
Outcome run_all(Ledger& ledger, const std::string& study, const std::vector<EngineRun>& runs,
                const EngineOptions& options, Board& board);

/// One coordinator per study: holds as long as it and the workers it started live. Waits a little
/// for workers that are just going; throws IoError if another one is at work.
class StudyLock {
 public:
  explicit StudyLock(const std::filesystem::path& directory);
  ~StudyLock();
  StudyLock(const StudyLock&) = delete;
  StudyLock& operator=(const StudyLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace mneme::lab
