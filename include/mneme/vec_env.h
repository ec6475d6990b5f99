// mneme/vec_env.h - E environments stepped together, in memory of the caller.
//
//   auto envs = mneme::make_vec_env("dmc/walker-run", {.count = 16, .threads = 2, .seed = 1});
//   mneme::EnvMemory memory(*envs);              // or any memory of the right size
//   envs->reset(memory.rows());
//   envs->step(actions, memory.rows());          // actions: count x action_size, row by row
//
// One vector step is one canonical transition per environment, whatever resets in between: from the
// observation the caller acted on, through `reward`, to `final_observation`, the true next
// observation even where an episode ended. `observation` is what to act on next: the same, or the
// first one of the next episode. Actions are in [-1, 1] for every task.
//
// A task spec is `suite/task` or `suite/task:key=value,...`:
//   repeat=N           an action is held for N steps, their rewards summed (default 1)
//   limit=N            steps before an episode is truncated, counted before repeat (the task's own)
//   keys=sorted|native order of the observation's parts: by name, as Gymnasium flattens, or as the
//                      suite lists them (sorted)
//   dtype=f32|f64      of actions, observations and rewards (f32)
//   model=shapes|tips|meshes|suite
//                      of HumanoidBench's robots: simple shapes, meshes for finger tips, for nearly
//                      all links, or the suite's own models; the last three read files from the
//                      folder that MNEME_HB_ASSETS names (shapes)
// and for Python suites (docs/suites/index.md), in addition to the suite's own keys:
//   fault=stop|restart|drop  where a worker fails: step throws, its episodes are cut and it is
//                      restarted, or its environments are dropped from then on (stop)
//   timeout=SECONDS    of one step, after which the worker has failed (60)
//   seed=N             environment i gets N + i, whatever the seed of the VecEnv
// Missing keys have the task's defaults, so that a spec is complete and can be stored with a run;
// VecEnv::spec() is its canonical form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/index.h"
#include "mneme/schema.h"

namespace mneme {

struct VecEnvOptions {
  Index count = 1;         ///< environments of each task
  Index threads = 1;       ///< the caller's included; results do not depend on it
  std::uint64_t seed = 0;  ///< environment i draws from its own stream i of this seed
};

/// Where a step goes. Arrays have one row per environment; T is float, or double for dtype=f64.
template <class T>
struct EnvRows {
  std::span<T> observation;                       ///< count x observation_size: what to act on next
  std::span<T> reward;                            ///< count; summed over repeated steps
  std::span<std::uint8_t> terminated, truncated;  ///< count; both may be set
  std::span<T> final_observation;        ///< count x observation_size: what the action led to
  std::span<std::uint8_t> success = {};  ///< count, or empty: the task's own success measure
  /// count, or empty. 1: the simulation failed in this step. The episode was truncated, reward is
  /// 0, final_observation repeats the last good one; do not learn from the row.
  std::span<std::uint8_t> cut = {};
};

struct ObservationKey {
  std::string name;
  Index size = 0;
};

/// Facts of a task, without making one.
struct TaskInfo {
  std::string_view name = {};            ///< "suite/task"
  Index observation = 0, action = 0;     ///< 0: unknown until made
  Index horizon = 0;                     ///< steps after which an episode is truncated
  double score_low = 0, score_high = 0;  ///< normalized score = (return - low) / (high - low)
  std::string_view success = {};         ///< how success is defined; empty: it is not
  bool available = false;                ///< can be made here
  std::string_view install = {};         ///< what is missing otherwise
  bool score_is_success = false;         ///< score = share of episodes with success, not the return

  std::string_view suite() const { return name.substr(0, name.find('/')); }
};

/// What happened so far, over all environments.
struct EnvCounts {
  std::uint64_t steps = 0;     ///< environment steps, repeats counted
  std::uint64_t episodes = 0;  ///< finished ones
  std::uint64_t cuts = 0;      ///< episodes cut because the simulation failed
  std::string last_cut;        ///< environment, step and reason of the last one
};

class VecEnv {
 public:
  virtual ~VecEnv() = default;

  virtual Index count() const = 0;
  /// Of the widest task; narrower observations end in zeros, surplus actions are ignored.
  virtual Index observation_size() const = 0;
  virtual Index action_size() const = 0;
  virtual DType dtype() const = 0;

  /// Of one environment: canonical spec, what its task is, its own sizes, observation parts in
  /// order.
  virtual std::string spec(Index env) const = 0;
  virtual const TaskInfo& task(Index env) const = 0;
  virtual std::vector<ObservationKey> keys(Index env) const = 0;

  /// Begins an episode everywhere. Throws InvalidArgument for rows of the wrong size or type; then
  /// nothing has changed.
  virtual void reset(const EnvRows<float>& rows) = 0;
  virtual void reset(const EnvRows<double>& rows) = 0;

  /// One step everywhere; environments that finish are reset. Throws InvalidArgument if sizes or
  /// type are wrong, an action is not finite, or there was no reset yet; then nothing has changed.
  /// Allocates nothing.
  virtual void step(std::span<const float> actions, const EnvRows<float>& rows) = 0;
  virtual void step(std::span<const double> actions, const EnvRows<double>& rows) = 0;

  virtual EnvCounts counts() const = 0;

  /// Everything that later steps depend on, for an exact resume in a VecEnv with the
  /// same spec. set_state throws CorruptData if the bytes are of something else.
  virtual std::vector<std::byte> state(Index env) const = 0;
  virtual void set_state(Index env, std::span<const std::byte> bytes) = 0;
  /// Whether set_state resumes exactly. If not (Python suites), a resumed run begins new
  /// episodes.
  virtual bool exact_state() const { return true; }

  /// The observation and reward-relevant physics of one environment as plain numbers, for
  /// comparisons with other simulators: time, qpos, qvel, act, acceleration warm start, mocap
  /// poses. Empty for tasks without physics. set_physics recomputes what depends on it, as after a
  /// reset.
  virtual std::vector<double> physics(Index env) const = 0;
  virtual void set_physics(Index env, std::span<const double> numbers) = 0;
  /// The current observation of `env` in double precision, observation_size() numbers.
  virtual std::vector<double> observation(Index env) const = 0;
};

/// Makes `options.count` environments of a task, or of every task of a named set. Throws NotFound
/// for an unknown name (nearest names listed) and for a task that this machine cannot run (what to
/// install), InvalidArgument for impossible numbers.
std::unique_ptr<VecEnv> make_vec_env(std::string_view spec, const VecEnvOptions& options = {});

/// The same for several tasks side by side: the first `count` environments are of the first task.
std::unique_ptr<VecEnv> make_vec_env(const std::vector<std::string>& specs,
                                     const VecEnvOptions& options = {});

/// Every task, in the order of the registry.
std::vector<TaskInfo> registered_tasks();

/// Named sets such as "dmc-humanoids": the tasks of one, and all names.
std::vector<std::string> task_set(std::string_view name);
std::vector<std::string> task_set_names();

/// Notes for the user about the libraries found, for example a MuJoCo other than the one the
/// fixtures were made with.
std::vector<std::string> env_notes();

/// Memory for the rows of a VecEnv.
template <class T>
class EnvMemoryOf {
 public:
  explicit EnvMemoryOf(const VecEnv& envs)
      : count_(static_cast<std::size_t>(envs.count())),
        width_(count_ * static_cast<std::size_t>(envs.observation_size())),
        numbers_(2 * width_ + count_),
        flags_(4 * count_) {}

  EnvRows<T> rows() {
    const std::span<T> numbers(numbers_);
    const std::span<std::uint8_t> flags(flags_);
    return {.observation = numbers.subspan(0, width_),
            .reward = numbers.subspan(2 * width_, count_),
            .terminated = flags.subspan(0, count_),
            .truncated = flags.subspan(count_, count_),
            .final_observation = numbers.subspan(width_, width_),
            .success = flags.subspan(2 * count_, count_),
            .cut = flags.subspan(3 * count_, count_)};
  }

 private:
  std::size_t count_, width_;
  std::vector<T> numbers_;
  std::vector<std::uint8_t> flags_;
};
using EnvMemory = EnvMemoryOf<float>;

}  // namespace mneme
