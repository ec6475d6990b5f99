// run/trainer.h - one training run: environments, replay buffer, agent, and a directory that
// holds all of it.
//
//   Trainer run = Trainer::create(config, "runs/first");    // or Trainer::resume("runs/first")
//   while (!run.done()) run.step();
//   run.save();
//
// A run that was stopped and resumed writes the same numbers as one that was not: with one thread,
// and the replay buffer on disk, to the last bit. A checkpoint is the state file whose number is
// that of the replay buffer's last commit: the commit decides, so that the two are never of
// different moments.
//
// Environments in Python cannot be put back into the middle of an episode: a resumed run with such
// tasks begins new episodes everywhere, and resume_note() says so.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "mneme/replay_buffer.h"
#include "mneme/rng.h"
#include "mneme/vec_env.h"
#include "run/evaluation.h"
#include "run/event_file.h"
#include "run/run_config.h"
#include "run/run_log.h"
#include "run/timing.h"

namespace mneme::lab {

class Trainer {
 public:
  /// With its first checkpoint. Throws InvalidArgument if a run is there already or the machine
  /// lacks memory or disk for the buffer, NotFound for a device that is not here, IoError; then a
  /// directory that did not exist does not exist. `tensorboard`: event files beside the tables.
  static std::unique_ptr<Trainer> create(RunConfig config, const std::filesystem::path& directory,
                                         bool tensorboard = false,
                                         const MakeEnvs& make = real_envs());
  /// As the last checkpoint left it; with event files if it had them. Throws IoError if there is
  /// none, CorruptData.
  static std::unique_ptr<Trainer> resume(const std::filesystem::path& directory,
                                         bool tensorboard = false,
                                         const MakeEnvs& make = real_envs());

  /// One decision in every environment, with the updates and the evaluation that are due. Throws
  /// Diverged.
  void step();
  bool done() const { return step_ >= settings().steps; }

  /// A checkpoint. Throws IoError; then the one before it stands.
  void save();

  Index steps_done() const { return step_; }
  Index updates_done() const { return updates_; }
  Index evaluations_done() const { return static_cast<Index>(evaluations_); }
  double seconds() const;  ///< of work, over all sittings
  /// What they went into. The time of a checkpoint counts after it; a resumed run lacks that of the
  /// one it goes on from.
  const Timing& timing() const { return timing_; }
  /// Of all tasks, at the last evaluation; empty before the first.
  const std::vector<Evaluation>& last_evaluation() const { return last_evaluation_; }
  const RunConfig& config() const { return config_; }
  /// Why this run does not go on exactly where it stopped; empty if it does, or was not stopped.
  const std::string& resume_note() const { return resume_note_; }
  Agent& agent() { return *agent_; }

 private:
  Trainer(RunConfig config, std::filesystem::path directory, ReplayBuffer buffer,
          const MakeEnvs& make);
  const RunSettings& settings() const { return config_.settings->run; }

  void choose_actions();
  /// What the agent's own code takes for the end of a task, see RunSettings.
  void settle_ends();
  void store();
  void count_episodes();
  void learn();
  void evaluate_now();
  void write_metrics();
  /// Lines that begin with `at`; the values are added to `scalars` too.
  void write_diagnostics(const std::string& at,
                         std::vector<std::pair<std::string, double>>& scalars);
  void load(const std::filesystem::path& file);
  /// After a load that could not put the environments back where they were.
  void begin_new_episodes();

  RunConfig config_;
  std::filesystem::path directory_;
  ReplayBuffer buffer_;
  std::unique_ptr<VecEnv> envs_;
  std::unique_ptr<Agent> agent_;
  EnvMemory memory_;
  EnvRows<float> rows_;
  std::vector<float> observation_, actions_;
  std::vector<std::int32_t> tasks_;
  Rng random_;

  Index step_ = 0, updates_ = 0;
  double credit_ = 0;  // updates owed, in part
  std::uint64_t evaluations_ = 0;
  struct UnderWay {
    double sum = 0;
    Index steps = 0, success = 0;  // success: 1 once there was one
  };
  std::vector<UnderWay> episodes_;  // by environment
  struct Finished {
    double sum = 0;
    Index count = 0, successes = 0;
    Index watched = 0;  // of those, how many were watched for success
  };
  std::vector<Finished> finished_;           // since the last line of metrics, by task
  std::vector<std::uint8_t> knows_success_;  // by task: it says what success is
  Index new_episode_resumes_ = 0;
  std::string resume_note_;
  std::uint64_t out_of_range_ = 0;
  Evaluator evaluator_;
  std::vector<Evaluation> last_evaluation_;
  RunLog metrics_, evaluation_log_, diagnostics_, timing_log_;
  Timing timing_;
  std::unique_ptr<EventFile> events_;  // none unless asked for
  std::chrono::steady_clock::time_point begun_;
  double seconds_before_ = 0;
};

/// The agent of a run's last checkpoint, to act but not to learn; the run may still be training.
/// The device need not be the run's. Throws IoError, CorruptData, NotFound for a missing device.
struct TrainedAgent {
  RunConfig config;
  std::unique_ptr<Agent> agent;
  Index step = 0;
};
TrainedAgent load_agent(const std::filesystem::path& directory, const std::string& device = "cpu");

}  // namespace mneme::lab
