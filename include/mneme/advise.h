// mneme/advise.h - which sampler for which training run, and why.
//
// The numbers are exact. The advice is as good as its evidence, and every reason says what that is:
// "paper" (reported there), "derived" (follows from the formulas), "measured here" (timed on this
// machine).
#pragma once

#include <string>
#include <vector>

#include "mneme/sampler.h"

namespace mneme {

struct TrainingRun {
  Index envs = 1;               ///< environments or tasks, one stream each
  double updates_per_step = 1;  ///< gradient updates per vector step
  double batch = 256;           ///< transitions per update, over all streams
  Index capacity = 1'000'000;   ///< per stream
  Index steps = 1'000'000;      ///< vector steps, that is transitions stored per stream
};

struct Reason {
  std::string text;
  std::string evidence;  ///< "paper", "derived" or "measured here"
};

/// The state of replay at one point of the run.
struct RunPoint {
  double progress;         ///< share of the run
  Index size;              ///< transitions stored per stream
  double effective_alpha;  ///< log2 odds of newest over oldest among what is stored then
  double expected_recency;
  double first_use_updates;  ///< updates until a new transition is drawn first, on average, at this
                             ///< size
};

struct Advice {
  double updates_per_transition;  ///< updates_per_step / envs
  double replay_volume;           ///< draws per stored transition
  double fill;                    ///< steps / capacity: below 1 the buffer never gets full
  double total_updates;
  std::string regime;                ///< in the paper's terms
  std::string per_transition;        ///< in terms of one stored transition
  std::string nearest_setting;       ///< the published training setting most like this one
  double uniform_first_use_updates;  ///< updates until a new transition is drawn first, with
                                     ///< uniform sampling
  double uniform_first_use_steps;
  std::string sampler;       ///< recommended, as a spec string
  double first_use_updates;  ///< the same with that sampler, at the end of the run
  std::vector<RunPoint> over_training;
  std::vector<Reason> reasons;
  std::vector<Reason> cautions;  ///< what the paper's wording hides: E8, E11, E12
};

/// Throws InvalidArgument if the run is impossible (no environments, no steps, ...).
Advice advise(const TrainingRun& run);

}  // namespace mneme
