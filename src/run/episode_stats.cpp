// run/episode_stats.cpp - counting steps into episodes.
#include "run/episode_stats.h"

#include <algorithm>

namespace mneme::lab {

EpisodeStats::EpisodeStats(std::vector<std::int32_t> task_of,
                           std::vector<std::uint8_t> knows_success)
    : task_of_(std::move(task_of)),
      knows_success_(std::move(knows_success)),
      in_progress_(task_of_.size()),
      finished_(knows_success_.size()) {}

void EpisodeStats::add(const EnvRows<float>& rows) {
  for (std::size_t e = 0; e < task_of_.size(); ++e) {
    EpisodeInProgress& episode = in_progress_[e];
    if (rows.cut[e] == 0) {  // a cut row does not count as a step
      episode.sum += static_cast<double>(rows.reward[e]);
      ++episode.steps;
      if (rows.success[e] != 0) episode.success = 1;
    }
    if (rows.terminated[e] == 0 && rows.truncated[e] == 0) continue;
    // An environment that was given up ends an episode without a step, over and over.
    if (episode.steps > 0) {
      Finished& of_task = finished_[static_cast<std::size_t>(task_of_[e])];
      of_task.sum += episode.sum;
      ++of_task.count;
      ++of_task.watched;
      of_task.successes += episode.success;
    }
    episode = {};
  }
}

void EpisodeStats::restart_episodes() {
  std::fill(in_progress_.begin(), in_progress_.end(), EpisodeInProgress{});
}

std::vector<EpisodeStats::Mean> EpisodeStats::take_means() {
  std::vector<Mean> means;
  for (std::size_t task = 0; task < finished_.size(); ++task) {
    const Finished& all = finished_[task];
    if (all.count > 0)
      means.push_back({"train_return", task, all.sum / static_cast<double>(all.count)});
    if (knows_success_[task] != 0 && all.watched > 0)
      means.push_back({"train_success", task,
                       static_cast<double>(all.successes) / static_cast<double>(all.watched)});
    finished_[task] = {};
  }
  return means;
}

}  // namespace mneme::lab
