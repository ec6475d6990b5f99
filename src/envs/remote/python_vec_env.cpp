// envs/remote/python_vec_env.cpp - VecEnv over worker processes, with fault handling.
//
// A command is sent to every worker before the first one is waited for. The caller's rows are
// written after all workers have replied: a step that throws leaves them unchanged. Flags and
// numbers of a worker are validated before they are copied.
#include "envs/remote/python_vec_env.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <thread>

#include "base/state.h"
#include "base/text.h"
#include "envs/registry.h"
#include "envs/remote/suites.h"
#include "envs/remote/worker_group.h"
#include "envs/rows.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

constexpr std::uint64_t kStateMagic = 0x31767950656d6e6d;  // first number of a saved state
// Restarts of one worker without a successful step in between.
constexpr int kMostRestarts = 3;

// The task of one spec.
struct TaskKind {
  EnvSpec spec;
  std::string name;  // what info.name points at
  TaskInfo info;
  std::vector<ObservationKey> keys;
};

struct Environment {
  const TaskKind* kind = nullptr;
  Index episode_step = 0;
  std::uint64_t steps = 0, episodes = 0, cuts = 0;
  bool dropped = false;
  bool between_episodes = false;  // the last one ended and none has begun
  std::string last_cut;
};

bool all_finite(const auto* numbers, Index size) {
  double sum = 0;
  for (Index i = 0; i < size; ++i) sum += static_cast<double>(numbers[i]) * 0.0;
  return sum == 0;
}

class PythonVecEnv final : public VecEnv {
 public:
  PythonVecEnv(const std::vector<EnvSpec>& specs, const VecEnvOptions& options);

  Index count() const override { return static_cast<Index>(environments_.size()); }
  Index observation_size() const override { return observation_; }
  Index action_size() const override { return action_; }
  DType dtype() const override { return kinds_.front().spec.dtype; }

  std::string spec(Index env) const override { return at(env).kind->spec.text(); }
  const TaskInfo& task(Index env) const override { return at(env).kind->info; }
  std::vector<ObservationKey> keys(Index env) const override { return at(env).kind->keys; }

  void reset(const EnvRows<float>& rows) override { reset_rows(rows); }
  void reset(const EnvRows<double>& rows) override { reset_rows(rows); }
  void step(std::span<const float> actions, const EnvRows<float>& rows) override {
    step_rows(actions, rows);
  }
  void step(std::span<const double> actions, const EnvRows<double>& rows) override {
    step_rows(actions, rows);
  }

  EnvCounts counts() const override;
  std::vector<std::byte> state(Index env) const override;
  void set_state(Index env, std::span<const std::byte> bytes) override;
  bool exact_state() const override { return false; }

  std::vector<double> physics(Index) const override { return {}; }
  void set_physics(Index env, std::span<const double>) override {
    throw InvalidArgument(concat(spec(env), ": a Python suite does not expose its physics"));
  }
  std::vector<double> observation(Index env) const override;

 private:
  const Environment& at(Index env) const {
    if (env < 0 || env >= count())
      throw InvalidArgument(concat("environment ", env, " is outside [0, ", count(), ")"));
    return environments_[static_cast<std::size_t>(env)];
  }
  Environment& of(Index env) { return environments_[static_cast<std::size_t>(env)]; }

  void plan(const std::vector<EnvSpec>& specs, const VecEnvOptions& options);
  void read_task_info();

  template <class T>
  std::vector<T>& current();
  void check_usable() const {
    if (!failure_.empty())
      throw IoError(concat("these environments have failed, make new ones: ", failure_));
  }
  template <class T>
  void reset_rows(const EnvRows<T>& rows);
  template <class T>
  void step_rows(std::span<const T> actions, const EnvRows<T>& rows);
  /// Sets the fault of `group` if its worker's rows cannot be used.
  template <class T>
  void validate_rows(WorkerGroup& group);
  template <class T>
  void write_row(WorkerGroup& group, Index env, const EnvRows<T>& rows);
  /// Writes a row that is not to be learned from.
  template <class T>
  void write_cut(Index env, const EnvRows<T>& rows, const std::string& why);
  template <class T>
  void copy_current(Index env, std::span<T> rows) const;

  void finish(WorkerGroup& group);
  /// Stops, restarts or drops, as the task spec says; throws where it says stop.
  void handle_faults();
  void restart(WorkerGroup& group);
  /// Throws WorkerFault if its worker has sizes other than those the environments were made with.
  void check_sizes(const WorkerGroup& group) const;
  std::string describe(const WorkerGroup& group, const WorkerFault& fault) const;

  std::deque<TaskKind> kinds_;  // environments point at them
  std::vector<Environment> environments_;
  std::vector<WorkerGroup> workers_;
  Index observation_ = 0, action_ = 0;
  std::vector<float> current32_;  // observation of each environment; one of the two is used
  std::vector<double> current64_;
  std::uint64_t commands_ = 0, nonce_ = 0;
  bool started_ = false;
  std::string failure_;  // why no further step is possible
};

template <>
std::vector<float>& PythonVecEnv::current() {
  return current32_;
}
template <>
std::vector<double>& PythonVecEnv::current() {
  return current64_;
}

// ---------------------------------------------------------------- making

PythonVecEnv::PythonVecEnv(const std::vector<EnvSpec>& specs, const VecEnvOptions& options) {
  plan(specs, options);
  const bool room = workers_.size() < std::thread::hardware_concurrency();
  for (WorkerGroup& group : workers_) group.request.spin = room;
  // Start all of them before waiting for the first.
  for (WorkerGroup& group : workers_) group.worker = std::make_unique<Worker>(group.request);
  for (WorkerGroup& group : workers_) {
    try {
      group.worker->finish_making();
      group.worker->attach();
    } catch (const WorkerFault& fault) {
      throw IoError(concat(describe(group, fault), "\nRun `mneme envs doctor ", group.request.suite,
                           " --check` to see what works"));
    }
  }
  read_task_info();
  for (const WorkerGroup& group : workers_) {
    try {
      check_sizes(group);
    } catch (const WorkerFault& fault) {
      throw IoError(describe(group, fault));
    }
  }
}

// Which environments there are, and which worker hosts which of them.
void PythonVecEnv::plan(const std::vector<EnvSpec>& specs, const VecEnvOptions& options) {
  std::vector<const EnvSpec*> of_env;
  for (const EnvSpec& spec : specs) {
    kinds_.push_back({.spec = spec, .name = spec.name, .info = {}, .keys = {}});
    for (Index i = 0; i < options.count; ++i) {
      environments_.push_back({.kind = &kinds_.back(), .last_cut = {}});
      of_env.push_back(&kinds_.back().spec);
    }
  }
  workers_ = plan_worker_groups(of_env, options);
}

// Sizes and names that only the suite knows. The first worker of a task decides.
void PythonVecEnv::read_task_info() {
  for (WorkerGroup& group : workers_) {
    Index env = group.first;
    for (std::size_t g = 0; g < group.request.groups.size(); ++g) {
      const GroupInfo& facts = group.worker->groups()[g];
      TaskKind& kind = const_cast<TaskKind&>(*of(env).kind);
      env += group.request.groups[g].count;
      kind.keys = facts.keys;
      kind.info = python_task_info(kind.name);
      kind.info.name = kind.name;
      kind.info.available = true;
      kind.info.observation = facts.observation;
      kind.info.action = facts.action;
      if (kind.info.horizon == 0) kind.info.horizon = facts.horizon;
      if (!facts.success)
        kind.info.success = "";
      else if (kind.info.success.empty())
        kind.info.success = "as the suite defines it";
      observation_ = std::max(observation_, facts.observation);
      action_ = std::max(action_, facts.action);
    }
  }
  const auto size = static_cast<std::size_t>(count() * observation_);
  dtype() == DType::f32 ? current32_.resize(size) : current64_.resize(size);
}

// ---------------------------------------------------------------- faults

std::string PythonVecEnv::describe(const WorkerGroup& group, const WorkerFault& fault) const {
  std::string text;
  if (fault.row >= 0) {
    const Environment& one = at(group.first + fault.row);
    text = concat(one.kind->spec.text(), ": environment ", group.first + fault.row, ", step ",
                  one.episode_step + 1, " of its episode: ", fault.message);
  } else {
    const Environment& first = at(group.first);
    text = concat("the worker of ", first.kind->spec.text());
    if (group.count > 1)
      text += concat(" (environments ", group.first, " to ", group.first + group.count - 1, ')');
    text += concat(" in step ", commands_, ": ", fault.message);
  }
  if (!fault.output_tail.empty()) text += concat("\nIts output ended with:\n", fault.output_tail);
  return text;
}

void PythonVecEnv::finish(WorkerGroup& group) {
  try {
    group.worker->finish();
  } catch (WorkerFault& fault) {
    group.fault = std::move(fault);
  }
}

// Rows are as wide as the first worker of a task said.
void PythonVecEnv::check_sizes(const WorkerGroup& group) const {
  Index env = group.first;
  for (std::size_t g = 0; g < group.request.groups.size(); ++g) {
    const GroupInfo& facts = group.worker->groups()[g];
    const TaskInfo& info = at(env).kind->info;
    if (facts.observation != info.observation || facts.action != info.action)
      throw WorkerFault{-1,
                        concat("it has ", facts.observation, " observations and ", facts.action,
                               " actions, expected ", info.observation, " and ", info.action),
                        {}};
    env += group.request.groups[g].count;
  }
}

void PythonVecEnv::restart(WorkerGroup& group) {
  const std::string message = describe(group, *group.fault);
  while (group.fault) {
    if (++group.restarts > kMostRestarts)
      throw IoError(concat(failure_ = message, "\nIt was restarted ", kMostRestarts,
                           " times without a successful step in between"));
    group.fault.reset();
    group.worker.reset();
    try {
      group.worker = std::make_unique<Worker>(group.request);
      group.worker->finish_making();
      check_sizes(group);
      group.worker->attach();
      group.worker->begin(Command::reset, ++nonce_);
      group.worker->finish();
      dtype() == DType::f32 ? validate_rows<float>(group) : validate_rows<double>(group);
    } catch (WorkerFault& fault) {
      group.fault = std::move(fault);
    }
  }
  group.fault =
      WorkerFault{.row = -1, .message = message, .output_tail = {}};  // reason of the cut rows
}

// Faults that stop everything come first, so that no worker is restarted for nothing.
void PythonVecEnv::handle_faults() {
  for (WorkerGroup& group : workers_)
    if (group.fault && group.request.fault == Fault::stop) {
      failure_ = describe(group, *group.fault);
      for (WorkerGroup& other : workers_) other.worker.reset();  // they will not be used again
      throw IoError(failure_);
    }
  for (WorkerGroup& group : workers_) {
    if (!group.fault) {
      group.restarts = 0;
      continue;
    }
    if (group.request.fault == Fault::restart) {
      restart(group);
    } else {
      group.fault =
          WorkerFault{.row = -1, .message = describe(group, *group.fault), .output_tail = {}};
      group.worker.reset();
    }
  }
  std::string last;
  for (const WorkerGroup& group : workers_) {
    if (group.worker) return;
    if (group.fault) last = group.fault->message;
  }
  throw IoError(failure_ = concat("all environments have failed; the last one: ", last));
}

// ---------------------------------------------------------------- rows

template <class T>
void PythonVecEnv::copy_current(Index env, std::span<T> rows) const {
  const T* from = const_cast<PythonVecEnv*>(this)->current<T>().data() + env * observation_;
  std::copy_n(from, observation_, rows.data() + env * observation_);
}

template <class T>
void PythonVecEnv::write_cut(Index env, const EnvRows<T>& rows, const std::string& why) {
  const auto i = static_cast<std::size_t>(env);
  Environment& one = of(env);
  copy_current(env, rows.final_observation);
  copy_current(env, rows.observation);
  rows.reward[i] = 0;
  rows.terminated[i] = 0;
  rows.truncated[i] = 1;
  if (!rows.success.empty()) rows.success[i] = 0;
  if (!rows.cut.empty()) rows.cut[i] = 1;
  if (!why.empty()) {
    ++one.cuts;
    one.last_cut = why;
  }
  one.episode_step = 0;
  one.between_episodes = false;
}

template <class T>
void PythonVecEnv::validate_rows(WorkerGroup& group) {
  SharedBlock& block = group.worker->rows();
  for (Index row = 0; row < group.count; ++row) {
    const std::uint8_t flags = block.flags()[static_cast<std::size_t>(row)];
    if ((flags & kDropped) != 0 || of(group.first + row).dropped) continue;
    const Index width = of(group.first + row).kind->info.observation;
    const bool good =
        all_finite(block.final_observations<T>() + row * block.observation(), width) &&
        ((flags & kBegun) == 0 ||
         all_finite(block.observations<T>() + row * block.observation(), width)) &&
        std::isfinite(block.rewards()[static_cast<std::size_t>(row)]);
    if (!good && group.request.fault == Fault::drop) {
      block.flags()[static_cast<std::size_t>(row)] = kDropped;
    } else if (!good) {
      group.fault = WorkerFault{row, "an observation or reward is not finite", {}};
      return;
    }
    // Where a source spends a step on every reset, the row after an end is not a transition.
    const bool ended = (flags & (kTerminated | kTruncated)) != 0;
    if (((flags & kBegun) != 0 && !ended) ||
        (of(group.first + row).between_episodes && (flags & kNoTransition) == 0)) {
      group.fault =
          WorkerFault{row, "an episode ended without a new one, or began without an end", {}};
      return;
    }
  }
}

template <class T>
void PythonVecEnv::write_row(WorkerGroup& group, Index env, const EnvRows<T>& rows) {
  SharedBlock& block = group.worker->rows();
  const Index row = env - group.first;
  const auto i = static_cast<std::size_t>(env);
  const std::uint8_t flags = block.flags()[static_cast<std::size_t>(row)];
  Environment& one = of(env);
  if (one.dropped || (flags & kDropped) != 0) {
    write_cut(env, rows,
              one.dropped ? std::string()
                          : concat(spec(env), ": environment ", env, " failed and was dropped"));
    one.dropped = true;
    return;
  }
  const Index width = one.kind->info.observation;
  T* here = current<T>().data() + env * observation_;
  const T* final = block.final_observations<T>() + row * block.observation();
  one.steps += static_cast<std::uint64_t>(one.kind->spec.repeat);
  if ((flags & kNoTransition) != 0) {
    write_cut(env, rows, "");
    std::copy_n(final, width, here);
    copy_current(env, rows.observation);
    return;
  }
  ++one.episode_step;
  std::copy_n(final, width, here);
  copy_current(env, rows.final_observation);
  one.between_episodes = (flags & (kTerminated | kTruncated)) != 0 && (flags & kBegun) == 0;
  if (one.between_episodes) {
    ++one.episodes;
    one.episode_step = 0;
  }
  if ((flags & kBegun) != 0) {
    std::copy_n(block.observations<T>() + row * block.observation(), width, here);
    ++one.episodes;
    one.episode_step = 0;
  }
  copy_current(env, rows.observation);
  rows.reward[i] = static_cast<T>(block.rewards()[static_cast<std::size_t>(row)]);
  rows.terminated[i] = (flags & kTerminated) != 0;
  rows.truncated[i] = (flags & kTruncated) != 0;
  if (!rows.success.empty()) rows.success[i] = (flags & kSuccess) != 0;
  if (!rows.cut.empty()) rows.cut[i] = 0;
}

template <class T>
void PythonVecEnv::reset_rows(const EnvRows<T>& rows) {
  check_rows(*this, rows);
  check_usable();
  ++commands_;
  for (WorkerGroup& group : workers_)
    if (group.worker) group.worker->begin(Command::reset, nonce_);
  for (WorkerGroup& group : workers_)
    if (group.worker) {
      finish(group);
      if (!group.fault) validate_rows<T>(group);
    }
  handle_faults();
  for (WorkerGroup& group : workers_) {
    group.fault.reset();
    for (Index env = group.first; env < group.first + group.count; ++env) {
      const auto i = static_cast<std::size_t>(env);
      Environment& one = of(env);
      one.episode_step = 0;
      one.between_episodes = false;
      if (group.worker &&
          (group.worker->rows().flags()[i - static_cast<std::size_t>(group.first)] & kDropped) != 0)
        one.dropped = true;
      if (group.worker && !one.dropped)
        std::copy_n(group.worker->rows().template final_observations<T>() +
                        (env - group.first) * group.worker->rows().observation(),
                    one.kind->info.observation, current<T>().data() + env * observation_);
      copy_current(env, rows.observation);
      copy_current(env, rows.final_observation);
      rows.reward[i] = 0;
      rows.terminated[i] = rows.truncated[i] = 0;
      if (!rows.success.empty()) rows.success[i] = 0;
      if (!rows.cut.empty()) rows.cut[i] = 0;
    }
  }
  started_ = true;
}

template <class T>
void PythonVecEnv::step_rows(std::span<const T> actions, const EnvRows<T>& rows) {
  if (!started_) throw InvalidArgument("no episode has begun; call reset first");
  check_rows(*this, rows);
  check_actions(*this, actions, [&](Index env) { return at(env).episode_step; });
  check_usable();
  ++commands_;
  for (WorkerGroup& group : workers_) {
    if (!group.worker) continue;
    SharedBlock& block = group.worker->rows();
    for (Index row = 0; row < group.count; ++row)
      std::copy_n(actions.data() + (group.first + row) * action_, block.action(),
                  block.actions<T>() + row * block.action());
    group.worker->begin(Command::step, 0);
  }
  for (WorkerGroup& group : workers_)
    if (group.worker) {
      finish(group);
      if (!group.fault) validate_rows<T>(group);
    }
  handle_faults();
  for (WorkerGroup& group : workers_) {
    for (Index env = group.first; env < group.first + group.count; ++env) {
      if (!group.fault && group.worker) {
        write_row(group, env, rows);
        continue;
      }
      write_cut(env, rows, group.fault ? group.fault->message : std::string());
      if (!group.worker) continue;
      // A restarted worker has begun new episodes.
      SharedBlock& block = group.worker->rows();
      std::copy_n(block.final_observations<T>() + (env - group.first) * block.observation(),
                  of(env).kind->info.observation, current<T>().data() + env * observation_);
      copy_current(env, rows.observation);
    }
    group.fault.reset();
  }
}

// ---------------------------------------------------------------- the rest

EnvCounts PythonVecEnv::counts() const {
  EnvCounts counts;
  for (const Environment& one : environments_) {
    counts.steps += one.steps;
    counts.episodes += one.episodes;
    counts.cuts += one.cuts;
    if (!one.last_cut.empty()) counts.last_cut = one.last_cut;
  }
  return counts;
}

std::vector<double> PythonVecEnv::observation(Index env) const {
  at(env);
  if (!started_) throw InvalidArgument("no episode has begun; call reset first");
  std::vector<double> out(static_cast<std::size_t>(observation_));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t k = static_cast<std::size_t>(env * observation_) + i;
    out[i] = dtype() == DType::f32 ? static_cast<double>(current32_[k]) : current64_[k];
  }
  return out;
}

// The state of a Python suite cannot be saved: a resumed run begins new episodes with new seeds.
std::vector<std::byte> PythonVecEnv::state(Index env) const {
  ByteWriter out;
  out.put(kStateMagic);
  put_text(out, spec(env));
  out.put(at(env).episodes);
  out.put(nonce_);
  return out.bytes();
}

void PythonVecEnv::set_state(Index env, std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (in.get<std::uint64_t>() != kStateMagic)
    throw CorruptData("not the state of a Python environment; pass what state() returned");
  const std::string text = get_text(in);
  if (text != spec(env))
    throw CorruptData(concat("the state is of ", text, ", the environment is ", spec(env),
                             "; use the same spec"));
  const auto episodes = in.get<std::uint64_t>();
  const auto nonce = in.get<std::uint64_t>();
  of(env).episodes = episodes;
  nonce_ = std::max({nonce_, nonce + 1, episodes + 1});
}

}  // namespace

std::unique_ptr<VecEnv> make_python_vec_env(const std::vector<EnvSpec>& specs,
                                            const VecEnvOptions& options) {
  return std::make_unique<PythonVecEnv>(specs, options);
}

}  // namespace mneme::envs
