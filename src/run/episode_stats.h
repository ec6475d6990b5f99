// run/episode_stats.h - returns and successes of training episodes, by task.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mneme/vec_env.h"

namespace mneme::lab {

class EpisodeStats {
 public:
  struct EpisodeInProgress {
    double sum = 0;
    Index steps = 0, success = 0;  // success: 1 once there was one
  };
  struct Finished {
    double sum = 0;
    Index count = 0, successes = 0;
    Index watched = 0;  // of those, how many were watched for success
  };

  /// `task_of`: the task of every environment; `knows_success`: by task, whether it defines success.
  EpisodeStats(std::vector<std::int32_t> task_of, std::vector<std::uint8_t> knows_success);

  void add(const EnvRows<float>& rows);
  /// Drops the episodes in progress: their environments began new ones.
  void restart_episodes();
  /// Means since the last call, as (name, task, value): train_return and train_success.
  struct Mean {
    const char* name;
    std::size_t task;
    double value;
  };
  std::vector<Mean> take_means();

  /// Everything, for a checkpoint; `Archive` as in run/training_state.h.
  template <class Archive>
  void visit_state(Archive& state) {
    if (state.version() >= 3) {
      state.all(in_progress_);
      state.all(finished_);
      return;
    }
    // Version 2 had returns only.
    for (EpisodeInProgress& episode : in_progress_) {
      episode = {.steps = 1};
      state(episode.sum);
    }
    for (Finished& task : finished_) {
      state(task.sum);
      state(task.count);
    }
  }

 private:
  std::vector<std::int32_t> task_of_;        // by environment
  std::vector<std::uint8_t> knows_success_;  // by task
  std::vector<EpisodeInProgress> in_progress_;
  std::vector<Finished> finished_;
};

}  // namespace mneme::lab
