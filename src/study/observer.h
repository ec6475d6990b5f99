// study/observer.h - what a study reports while it runs. The command line draws it; tests record it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mneme::lab {

/// A run that is training.
struct RunStatus {
  std::string key = {};
  std::int64_t step = 0, steps = 0;
  double rate = 0;   ///< steps per second; 0: not known yet
  double score = 0;  ///< at the last evaluation; NaN before it
};

struct StudyStatus {
  std::string study = {};
  std::size_t runs = 0, done = 0, failed = 0, unavailable = 0;
  double seconds = 0;  ///< since the start
  double left = 0;     ///< estimated; NaN: not known
  std::vector<RunStatus> running = {};
};

/// A run that ended.
struct RunReport {
  std::string key = {};
  double score = 0;                ///< NaN: none
  double seconds = 0;              ///< since this attempt began
  std::size_t done = 0, runs = 0;  ///< of the study
  std::string reason = {};         ///< of a failure or another attempt
};

struct StudyPlan;

class StudyObserver {
 public:
  virtual ~StudyObserver() = default;
  /// Before anything starts.
  virtual void on_plan(const StudyPlan&) {}
  virtual void on_warning(const std::string&) {}
  /// Several times a second.
  virtual void on_status(const StudyStatus&) {}
  virtual void on_done(const RunReport&) {}
  virtual void on_failed(const RunReport&) {}
  virtual void on_retry(const RunReport&) {}
  /// A stop was requested; `runs` write a checkpoint.
  virtual void on_stopping(const std::string& /*reason*/, std::size_t /*runs*/) {}
};

}  // namespace mneme::lab
