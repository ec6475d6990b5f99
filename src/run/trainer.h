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
#include "os/lock.h"
#include "run/episode_stats.h"
#include "run/evaluation.h"
#include "run/run_config.h"
#include "run/run_writer.h"
#include "run/timing.h"

namespace mneme::lab {

/// The name of the actor's own reader of the replay buffer.
inline constexpr const char* kActorReader = "actor";

class Trainer {
 public:
  /// With its first checkpoint. A run that was stopped before its first checkpoint is started again.
  /// Throws InvalidArgument if the directory holds a run or the machine lacks memory or disk for the
  /// buffer, NotFound for a device that is missing, IoError, also while another process uses the
  /// directory; a directory that this call made does not exist then. `tensorboard`: event files
  /// beside the tables.
  static std::unique_ptr<Trainer> create(RunConfig config, const std::filesystem::path& directory,
                                         bool tensorboard = false,
                                         const MakeEnvs& make = real_envs());
  /// As the last checkpoint left it; with event files if it had them. Throws IoError if there is no
  /// checkpoint or another process uses the directory, CorruptData, InvalidArgument if config.toml
  /// no longer describes the replay buffer.
  static std::unique_ptr<Trainer> resume(const std::filesystem::path& directory,
                                         bool tensorboard = false,
                                         const MakeEnvs& make = real_envs());

  /// One decision in every environment, with the updates and the evaluation that are due. Throws
  /// Diverged.
  void step();
  bool done() const { return step_ >= settings().steps; }

  /// Writes a checkpoint. Throws IoError; then the one before it stands.
  void save();

  Index steps_done() const { return step_; }
  Index updates_done() const { return updates_; }
  Index evaluations_done() const { return static_cast<Index>(evaluations_); }
  double seconds() const;  ///< of work, accumulated over resumes
  /// Time per phase. The time of a checkpoint counts after it; a resumed run lacks that of the one
  /// it continues from.
  const Timing& timing() const { return timing_; }
  /// Of all tasks, at the last evaluation; empty before the first.
  const std::vector<Evaluation>& last_evaluation() const { return last_evaluation_; }
  const RunConfig& config() const { return config_; }
  const std::filesystem::path& directory() const { return directory_; }
  /// Why this run does not continue exactly where it stopped; empty if it does, or never stopped.
  const std::string& resume_note() const { return resume_note_; }
  Agent& agent() { return *agent_; }

 private:
  using SharedLock = std::shared_ptr<const DirectoryLock>;
  Trainer(RunConfig config, std::filesystem::path directory, SharedLock lock, ReplayBuffer buffer,
          const MakeEnvs& make);
  const RunSettings& settings() const { return config_.settings->run; }
  RowPlace place() const;
  std::vector<std::int32_t> tasks_of_environments() const;
  std::vector<std::uint8_t> tasks_with_success() const;

  void choose_actions();
  /// What the agent's own code takes for the end of a task, see RunSettings.
  void apply_truncation_policy();
  void add_to_replay();
  void learn();
  void evaluate_now();
  void write_metrics();
  void write_diagnostics();

  /// The checkpoint's contents in order; `Archive` as in run/training_state.h.
  template <class Archive>
  void visit_state(Archive& state);
  void load(const std::filesystem::path& file);
  /// After a load that could not put the environments back where they were.
  void begin_new_episodes();

  RunConfig config_;
  std::filesystem::path directory_;
  SharedLock lock_;  // one trainer per directory
  ReplayBuffer buffer_;
  std::unique_ptr<VecEnv> envs_;
  std::unique_ptr<Agent> agent_;
  EnvMemory memory_;
  EnvRows<float> rows_;
  std::vector<float> observation_, actions_;
  std::vector<std::int32_t> tasks_;  // by environment
  Rng random_;

  Index step_ = 0, updates_ = 0;
  double updates_owed_ = 0;  // below 1: of an update that is not due yet
  std::uint64_t evaluations_ = 0;
  EpisodeStats episodes_;
  Index new_episode_resumes_ = 0;
  std::string resume_note_;
  std::uint64_t out_of_range_ = 0;
  Evaluator evaluator_;
  std::vector<Evaluation> last_evaluation_;
  RunWriter writer_;
  Timing timing_;
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
