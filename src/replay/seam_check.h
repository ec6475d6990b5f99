// replay/seam_check.h - does a buffer ever serve a row that never happened?
//
// Rows describe themselves: the observation says which stream, episode and step it is. Episodes of
// random length end in every way there is, some without notice. Every sampled row is then compared
// with what must come out: right successor, right reward sum, right discount, right horizon, right
// age, right stack. A wrong row is a defect, whatever its cause.
#pragma once

#include <functional>
#include <string>

#include "mneme/replay_buffer.h"

namespace mneme {

struct SeamSettings {
  Index rows = 1'000'000;  ///< rows to sample and compare
  Index streams = 3, capacity = 101, n_step = 3, stack = 1;
  Horizon horizon = Horizon::full;
  std::string sampler = "truncated_geometric:alpha=10", stream_policy = "uniform";
  double mean_length = 12;  ///< of an episode
  bool sequences = false;   ///< sample windows of steps instead of transitions
  bool naive_ring =
      false;  ///< replace each successor by the next slot of the ring, as careless buffers do:
              ///< proves that the comparison can fail, and how often such a buffer is wrong
  std::uint64_t seed = 1;
};

struct SeamReport {
  Index rows = 0, wrong = 0, steps = 0, episodes = 0, silent_resets = 0;
  std::string first_wrong;  ///< what came out and what should have
};

/// `progress`, if given, is called now and then with the share of the rows that is done.
SeamReport check_seams(const SeamSettings& settings,
                       const std::function<void(double)>& progress = {});

}  // namespace mneme
