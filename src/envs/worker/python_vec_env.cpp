// envs/worker/python_vec_env.cpp - rows to workers and back, and what happens when one fails.
//
// Every worker is told to begin before any is waited for. Nothing of the caller's is written before
// all of them have answered: a step that throws leaves the rows as they were. What a worker says is
// checked (flags, finite numbers) before anybody learns from it.
#include "envs/worker/python_vec_env.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>

#include "base/state.h"
#include "base/text.h"
#include "envs/registry.h"
#include "envs/rows.h"
#include "envs/worker/suites.h"
#include "envs/worker/worker.h"
#include "mneme/error.h"
#include "mneme/rng.h"

namespace mneme::envs {
namespace {

constexpr std::uint32_t kSeedPurpose = 0x70797468;         // "pyth"
constexpr std::uint64_t kStateMagic = 0x31767950656d6e6d;  // first number of a saved state
constexpr Index kMostSeed = (Index{1} << 31) - 1;
// Restarts of one worker without a step in between: what it fails of will not go away.
constexpr int kMostRestarts = 3;

// What is known of the tasks of one spec.
struct Kind {
  EnvSpec spec;
  std::string name;  // what info.name points at
  TaskInfo info;
  std::vector<ObservationKey> keys;
};

struct Environment {
  const Kind* kind = nullptr;
  Index episode_step = 0;
  std::uint64_t steps = 0, episodes = 0, cuts = 0;
  bool left_out = false;
  bool waits = false;  // for an episode: the last one ended and none has begun
  std::string last_cut;
};

// A worker with its rows of the VecEnv.
struct Crew {
  WorkerRequest request;
  std::unique_ptr<Worker> worker;  // none: left out for good
  Index first = 0, count = 0;
  int restarts = 0;
  std::optional<WorkerFault> fault;  // of the order under way
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
    throw InvalidArgument(concat(spec(env), ": a suite in Python keeps its physics to itself"));
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
  void learn_kinds();

  template <class T>
  std::vector<T>& now();
  void check_whole() const {
    if (!broken_.empty()) throw IoError(concat("make these environments anew: ", broken_));
  }
  template <class T>
  void reset_rows(const EnvRows<T>& rows);
  template <class T>
  void step_rows(std::span<const T> actions, const EnvRows<T>& rows);
  /// What the worker of `crew` has answered is fit to be used; else its fault is set.
  template <class T>
  void inspect(Crew& crew);
  template <class T>
  void write_row(Crew& crew, Index env, const EnvRows<T>& rows);
  /// A row that says: nothing to learn here.
  template <class T>
  void write_cut(Index env, const EnvRows<T>& rows, const std::string& why);
  template <class T>
  void copy_now(Index env, std::span<T> rows) const;

  void finish(Crew& crew);
  /// As the task spec asks; throws where it asks to stop.
  void settle_faults();
  void restart(Crew& crew);
  /// Throws WorkerFault if its worker has other sizes than the environments were made with.
  void check_sizes(const Crew& crew) const;
  std::string words_of(const Crew& crew, const WorkerFault& fault) const;

  std::deque<Kind> kinds_;  // environments point at them
  std::vector<Environment> environments_;
  std::vector<Crew> crews_;
  Index observation_ = 0, action_ = 0;
  std::vector<float> now32_;  // what each environment stands at: one of the two is in use
  std::vector<double> now64_;
  std::uint64_t orders_ = 0, nonce_ = 0;
  bool started_ = false;
  std::string broken_;  // why no step is possible any more
};

template <>
std::vector<float>& PythonVecEnv::now() {
  return now32_;
}
template <>
std::vector<double>& PythonVecEnv::now() {
  return now64_;
}

// ---------------------------------------------------------------- making

PythonVecEnv::PythonVecEnv(const std::vector<EnvSpec>& specs, const VecEnvOptions& options) {
  plan(specs, options);
  const bool room = crews_.size() < std::thread::hardware_concurrency();
  for (Crew& crew : crews_) crew.request.watchful = room;
  // All of them begin before the first is waited for.
  for (Crew& crew : crews_) crew.worker = std::make_unique<Worker>(crew.request);
  for (Crew& crew : crews_) {
    try {
      crew.worker->finish_making();
      crew.worker->attach();
    } catch (const WorkerFault& fault) {
      throw IoError(concat(words_of(crew, fault), "\n`mneme envs doctor ", crew.request.suite,
                           "` tells what works"));
    }
  }
  learn_kinds();
  for (const Crew& crew : crews_) {
    try {
      check_sizes(crew);
    } catch (const WorkerFault& fault) {
      throw IoError(words_of(crew, fault));
    }
  }
}

// Which environments there are, and which worker has which of them.
void PythonVecEnv::plan(const std::vector<EnvSpec>& specs, const VecEnvOptions& options) {
  const std::filesystem::path folder = worker_folder();
  for (const EnvSpec& spec : specs) {
    kinds_.push_back({.spec = spec, .name = spec.name, .info = {}, .keys = {}});
    for (Index i = 0; i < options.count; ++i)
      environments_.push_back({.kind = &kinds_.back(), .last_cut = {}});
  }
  const auto alike = [](const EnvSpec& a, const EnvSpec& b) {
    return find_python_suite(a.name) == find_python_suite(b.name) && a.fault == b.fault &&
           a.timeout == b.timeout;
  };
  for (Index first = 0; first < count();) {
    Index end = first;
    while (end < count() && alike(of(first).kind->spec, of(end).kind->spec)) ++end;
    const EnvSpec& spec = of(first).kind->spec;
    const PythonSuite& suite = *find_python_suite(spec.name);
    const std::filesystem::path interpreter = interpreter_of(suite.name);
    if (interpreter.empty())
      throw NotFound(concat(spec.name, " cannot run here: ", python_task_info(spec.name).install));
    const Index workers = std::min<Index>(options.threads, end - first);
    for (Index w = 0; w < workers; ++w) {
      Crew crew{.request = {.suite = std::string(suite.name),
                            .interpreter = interpreter,
                            .folder = folder,
                            .dtype = spec.dtype,
                            .fault = spec.fault,
                            .timeout = spec.timeout,
                            .groups = {}},
                .worker = nullptr,
                .first = first + (end - first) * w / workers,
                .count = 0,
                .fault = {}};
      crew.count = first + (end - first) * (w + 1) / workers - crew.first;
      const Kind* last = nullptr;
      for (Index env = crew.first; env < crew.first + crew.count; ++env) {
        const Kind* kind = of(env).kind;
        if (kind != last)
          crew.request.groups.push_back({.task = kind->name.substr(kind->name.find('/') + 1),
                                         .count = 0,
                                         .seeds = {},
                                         .spec = kind->spec});
        last = kind;
        WorkerGroup& group = crew.request.groups.back();
        ++group.count;
        const Index seed =
            kind->spec.seed >= 0
                ? kind->spec.seed + env
                : static_cast<Index>(
                      Rng(options.seed, kSeedPurpose, static_cast<std::uint32_t>(env)).word());
        group.seeds.push_back(static_cast<std::uint32_t>(seed & kMostSeed));
      }
      crews_.push_back(std::move(crew));
    }
    first = end;
  }
}

// Sizes and names that only the suite knows.
void PythonVecEnv::learn_kinds() {
  for (Crew& crew : crews_) {
    Index env = crew.first;
    for (std::size_t g = 0; g < crew.request.groups.size(); ++g) {
      const GroupFacts& facts = crew.worker->groups()[g];
      Kind& kind = const_cast<Kind&>(*of(env).kind);
      env += crew.request.groups[g].count;
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
        kind.info.success = "as the suite says";
      observation_ = std::max(observation_, facts.observation);
      action_ = std::max(action_, facts.action);
    }
  }
  const auto size = static_cast<std::size_t>(count() * observation_);
  dtype() == DType::f32 ? now32_.resize(size) : now64_.resize(size);
}

// ---------------------------------------------------------------- faults

std::string PythonVecEnv::words_of(const Crew& crew, const WorkerFault& fault) const {
  std::string words;
  if (fault.row >= 0) {
    const Environment& one = at(crew.first + fault.row);
    words = concat(one.kind->spec.text(), ": environment ", crew.first + fault.row, ", step ",
                   one.episode_step + 1, " of its episode: ", fault.words);
  } else {
    const Environment& first = at(crew.first);
    words = concat("the worker of ", first.kind->spec.text());
    if (crew.count > 1)
      words += concat(" (environments ", crew.first, " to ", crew.first + crew.count - 1, ')');
    words += concat(" in step ", orders_, ": ", fault.words);
  }
  if (!fault.last_words.empty()) words += concat("\nIts last words:\n", fault.last_words);
  return words;
}

void PythonVecEnv::finish(Crew& crew) {
  try {
    crew.worker->finish();
  } catch (WorkerFault& fault) {
    crew.fault = std::move(fault);
  }
}

// Rows are as wide as the first worker of a task said; one that says otherwise does not fit them.
void PythonVecEnv::check_sizes(const Crew& crew) const {
  Index env = crew.first;
  for (std::size_t g = 0; g < crew.request.groups.size(); ++g) {
    const GroupFacts& facts = crew.worker->groups()[g];
    const TaskInfo& info = at(env).kind->info;
    if (facts.observation != info.observation || facts.action != info.action)
      throw WorkerFault{
          -1,
          concat("it says ", facts.observation, " observations and ", facts.action,
                 " actions, where there were ", info.observation, " and ", info.action),
          {}};
    env += crew.request.groups[g].count;
  }
}

void PythonVecEnv::restart(Crew& crew) {
  const std::string words = words_of(crew, *crew.fault);
  while (crew.fault) {
    if (++crew.restarts > kMostRestarts)
      throw IoError(concat(broken_ = words, "\nIt was started anew ", kMostRestarts,
                           " times without a step in between"));
    crew.fault.reset();
    crew.worker.reset();
    try {
      crew.worker = std::make_unique<Worker>(crew.request);
      crew.worker->finish_making();
      check_sizes(crew);
      crew.worker->attach();
      crew.worker->begin(Command::reset, ++nonce_);
      crew.worker->finish();
      dtype() == DType::f32 ? inspect<float>(crew) : inspect<double>(crew);
    } catch (WorkerFault& fault) {
      crew.fault = std::move(fault);
    }
  }
  crew.fault = WorkerFault{.row = -1, .words = words, .last_words = {}};  // for the cut rows
}

// First those that stop everything, so that no worker is started in vain.
void PythonVecEnv::settle_faults() {
  for (Crew& crew : crews_)
    if (crew.fault && crew.request.fault == Fault::stop) {
      broken_ = words_of(crew, *crew.fault);
      for (Crew& other : crews_) other.worker.reset();  // nobody will ask them again
      throw IoError(broken_);
    }
  for (Crew& crew : crews_) {
    if (!crew.fault) {
      crew.restarts = 0;
      continue;
    }
    if (crew.request.fault == Fault::restart) {
      restart(crew);
    } else {
      crew.fault = WorkerFault{.row = -1, .words = words_of(crew, *crew.fault), .last_words = {}};
      crew.worker.reset();
    }
  }
  std::string last;
  for (const Crew& crew : crews_) {
    if (crew.worker) return;
    if (crew.fault) last = crew.fault->words;
  }
  throw IoError(broken_ = concat("no environment is left; the last failed: ", last));
}

// ---------------------------------------------------------------- rows

template <class T>
void PythonVecEnv::copy_now(Index env, std::span<T> rows) const {
  const T* from = const_cast<PythonVecEnv*>(this)->now<T>().data() + env * observation_;
  std::copy_n(from, observation_, rows.data() + env * observation_);
}

template <class T>
void PythonVecEnv::write_cut(Index env, const EnvRows<T>& rows, const std::string& why) {
  const auto i = static_cast<std::size_t>(env);
  Environment& one = of(env);
  copy_now(env, rows.final_observation);
  copy_now(env, rows.observation);
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
  one.waits = false;
}

template <class T>
void PythonVecEnv::inspect(Crew& crew) {
  Block& block = crew.worker->rows();
  for (Index row = 0; row < crew.count; ++row) {
    const std::uint8_t flags = block.flags()[static_cast<std::size_t>(row)];
    if ((flags & kLeftOut) != 0 || of(crew.first + row).left_out) continue;
    const Index width = of(crew.first + row).kind->info.observation;
    const bool good =
        all_finite(block.final_observations<T>() + row * block.observation(), width) &&
        ((flags & kBegun) == 0 ||
         all_finite(block.observations<T>() + row * block.observation(), width)) &&
        std::isfinite(block.rewards()[static_cast<std::size_t>(row)]);
    if (!good && crew.request.fault == Fault::drop) {
      block.flags()[static_cast<std::size_t>(row)] = kLeftOut;
    } else if (!good) {
      crew.fault = WorkerFault{row, "an observation or reward is not finite", {}};
      return;
    }
    // Where a source spends a step on every reset, an episode ends and the next row is none.
    const bool ended = (flags & (kTerminated | kTruncated)) != 0;
    if (((flags & kBegun) != 0 && !ended) ||
        (of(crew.first + row).waits && (flags & kNoTransition) == 0)) {
      crew.fault = WorkerFault{row, "an episode ended and none began, or the other way round", {}};
      return;
    }
  }
}

template <class T>
void PythonVecEnv::write_row(Crew& crew, Index env, const EnvRows<T>& rows) {
  Block& block = crew.worker->rows();
  const Index row = env - crew.first;
  const auto i = static_cast<std::size_t>(env);
  const std::uint8_t flags = block.flags()[static_cast<std::size_t>(row)];
  Environment& one = of(env);
  if (one.left_out || (flags & kLeftOut) != 0) {
    write_cut(env, rows,
              one.left_out ? std::string()
                           : concat(spec(env), ": environment ", env, " failed and was left out"));
    one.left_out = true;
    return;
  }
  const Index width = one.kind->info.observation;
  T* here = now<T>().data() + env * observation_;
  const T* final = block.final_observations<T>() + row * block.observation();
  one.steps += static_cast<std::uint64_t>(one.kind->spec.repeat);
  if ((flags & kNoTransition) != 0) {
    write_cut(env, rows, "");
    std::copy_n(final, width, here);
    copy_now(env, rows.observation);
    return;
  }
  ++one.episode_step;
  std::copy_n(final, width, here);
  copy_now(env, rows.final_observation);
  one.waits = (flags & (kTerminated | kTruncated)) != 0 && (flags & kBegun) == 0;
  if (one.waits) {
    ++one.episodes;
    one.episode_step = 0;
  }
  if ((flags & kBegun) != 0) {
    std::copy_n(block.observations<T>() + row * block.observation(), width, here);
    ++one.episodes;
    one.episode_step = 0;
  }
  copy_now(env, rows.observation);
  rows.reward[i] = static_cast<T>(block.rewards()[static_cast<std::size_t>(row)]);
  rows.terminated[i] = (flags & kTerminated) != 0;
  rows.truncated[i] = (flags & kTruncated) != 0;
  if (!rows.success.empty()) rows.success[i] = (flags & kSuccess) != 0;
  if (!rows.cut.empty()) rows.cut[i] = 0;
}

template <class T>
void PythonVecEnv::reset_rows(const EnvRows<T>& rows) {
  check_rows(*this, rows);
  check_whole();
  ++orders_;
  for (Crew& crew : crews_)
    if (crew.worker) crew.worker->begin(Command::reset, nonce_);
  for (Crew& crew : crews_)
    if (crew.worker) {
      finish(crew);
      if (!crew.fault) inspect<T>(crew);
    }
  settle_faults();
  for (Crew& crew : crews_) {
    crew.fault.reset();
    for (Index env = crew.first; env < crew.first + crew.count; ++env) {
      const auto i = static_cast<std::size_t>(env);
      Environment& one = of(env);
      one.episode_step = 0;
      one.waits = false;
      if (crew.worker &&
          (crew.worker->rows().flags()[i - static_cast<std::size_t>(crew.first)] & kLeftOut) != 0)
        one.left_out = true;
      if (crew.worker && !one.left_out)
        std::copy_n(crew.worker->rows().template final_observations<T>() +
                        (env - crew.first) * crew.worker->rows().observation(),
                    one.kind->info.observation, now<T>().data() + env * observation_);
      copy_now(env, rows.observation);
      copy_now(env, rows.final_observation);
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
  check_whole();
  ++orders_;
  for (Crew& crew : crews_) {
    if (!crew.worker) continue;
    Block& block = crew.worker->rows();
    for (Index row = 0; row < crew.count; ++row)
      std::copy_n(actions.data() + (crew.first + row) * action_, block.action(),
                  block.actions<T>() + row * block.action());
    crew.worker->begin(Command::step, 0);
  }
  for (Crew& crew : crews_)
    if (crew.worker) {
      finish(crew);
      if (!crew.fault) inspect<T>(crew);
    }
  settle_faults();
  for (Crew& crew : crews_) {
    for (Index env = crew.first; env < crew.first + crew.count; ++env) {
      if (!crew.fault && crew.worker) {
        write_row(crew, env, rows);
        continue;
      }
      write_cut(env, rows, crew.fault ? crew.fault->words : std::string());
      if (!crew.worker) continue;
      // A worker that was started anew stands at the beginning of episodes.
      Block& block = crew.worker->rows();
      std::copy_n(block.final_observations<T>() + (env - crew.first) * block.observation(),
                  of(env).kind->info.observation, now<T>().data() + env * observation_);
      copy_now(env, rows.observation);
    }
    crew.fault.reset();
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
    out[i] = dtype() == DType::f32 ? static_cast<double>(now32_[k]) : now64_[k];
  }
  return out;
}

// What a suite in Python does not give away is lost: a resumed run begins new episodes, with other
// random numbers than the first ones.
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
    throw CorruptData("not the state of an environment in Python; pass what state() returned");
  const std::string text = get_text(in);
  if (text != spec(env))
    throw CorruptData(concat("the state is of ", text, ", the environment of ", spec(env),
                             "; make it with the same spec"));
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
