// envs/vec_env.cpp - VecEnv of native tasks: everything about an environment but its physics.
//
// One place, in this order: action repeat inside the time limit inside the transition. A slot holds
// one environment; a step runs all slots on the thread pool, and no slot touches another, so
// results do not depend on threads. A step allocates nothing unless it fails.
#include "mneme/vec_env.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "envs/registry.h"
#include "envs/remote/python_vec_env.h"
#include "envs/remote/suites.h"
#include "envs/rows.h"
#include "envs/spec.h"
#include "mneme/error.h"

namespace mneme {
namespace envs {
namespace {

// Purpose of the generators of environments, apart from those of samplers and buffers.
constexpr std::uint32_t kEnvironmentPurpose = 0x656e7673;  // "envs"
constexpr std::uint64_t kStateMagic = 0x31767645656d6e6d;  // first number of a saved state

struct Move {  // one part of an observation, from the task's order to the spec's
  std::size_t from, to, size;
};

struct Slot {
  EnvSpec spec;
  const TaskEntry* entry = nullptr;
  std::unique_ptr<Task> task;
  Rng rng{0};
  Index limit = 0;
  std::vector<Move> moves;             // empty: the orders agree
  std::vector<double> raw, now, next;  // observations: in task order, before and after a step
  std::vector<double> action;
  Index episode_step = 0;
  std::uint64_t steps = 0, episodes = 0, cuts = 0;
  std::string last_cut;
  std::exception_ptr error;  // of a reset: the environment cannot continue
};

std::vector<Move> sorted_moves(const std::vector<ObservationKey>& keys) {
  std::vector<std::size_t> order(keys.size()), offset(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::size_t total = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    offset[i] = total;
    total += static_cast<std::size_t>(keys[i].size);
  }
  if (std::is_sorted(keys.begin(), keys.end(),
                     [](const auto& a, const auto& b) { return a.name < b.name; }))
    return {};
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return keys[a].name < keys[b].name; });
  std::vector<Move> moves;
  std::size_t to = 0;
  for (const std::size_t i : order) {
    const auto size = static_cast<std::size_t>(keys[i].size);
    moves.push_back({offset[i], to, size});
    to += size;
  }
  return moves;
}

bool all_finite(std::span<const double> numbers) {
  // A sum is finite unless a term is not, or terms of 1e308 overflow; then every term is checked.
  double sum = 0;
  for (const double number : numbers) sum += number;
  if (std::isfinite(sum)) return true;
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

class NativeVecEnv final : public VecEnv {
 public:
  NativeVecEnv(std::vector<Slot> slots, Index threads) : slots_(std::move(slots)), pool_(threads) {
    for (const Slot& slot : slots_) {
      observation_ = std::max(observation_, slot.entry->info.observation);
      action_ = std::max(action_, slot.entry->info.action);
    }
  }

  Index count() const override { return static_cast<Index>(slots_.size()); }
  Index observation_size() const override { return observation_; }
  Index action_size() const override { return action_; }
  DType dtype() const override { return slots_.front().spec.dtype; }

  std::string spec(Index env) const override { return at(env).spec.text(); }
  const TaskInfo& task(Index env) const override { return at(env).entry->info; }
  std::vector<ObservationKey> keys(Index env) const override {
    std::vector<ObservationKey> keys = at(env).task->keys();
    if (at(env).spec.sorted)
      std::sort(keys.begin(), keys.end(),
                [](const auto& a, const auto& b) { return a.name < b.name; });
    return keys;
  }

  void reset(const EnvRows<float>& rows) override { reset_rows(rows); }
  void reset(const EnvRows<double>& rows) override { reset_rows(rows); }
  void step(std::span<const float> actions, const EnvRows<float>& rows) override {
    step_rows(actions, rows);
  }
  void step(std::span<const double> actions, const EnvRows<double>& rows) override {
    step_rows(actions, rows);
  }

  EnvCounts counts() const override {
    EnvCounts counts;
    for (const Slot& slot : slots_) {
      counts.steps += slot.steps;
      counts.episodes += slot.episodes;
      counts.cuts += slot.cuts;
      if (!slot.last_cut.empty()) counts.last_cut = slot.last_cut;
    }
    return counts;
  }

  std::vector<std::byte> state(Index env) const override {
    const Slot& slot = ready(env);
    ByteWriter out;
    out.put(kStateMagic);
    const std::string text = slot.spec.text();
    out.put(static_cast<std::uint64_t>(text.size()));
    out.write(text.data(), text.size());
    out.put(slot.rng.state());
    out.put(slot.episode_step);
    out.put_all<double>(slot.now);
    slot.task->save(out);
    return out.bytes();
  }

  void set_state(Index env, std::span<const std::byte> bytes) override {
    Slot& slot = at(env);
    ByteReader in(bytes);
    if (in.get<std::uint64_t>() != kStateMagic)
      throw CorruptData("not the state of an environment; pass what state() returned");
    std::string text(std::min<std::uint64_t>(in.get<std::uint64_t>(), 1000), '\0');
    in.read(text.data(), text.size());
    if (text != slot.spec.text())
      throw CorruptData(concat("the state is of ", text, ", the environment of ", slot.spec.text(),
                               "; make it with the same spec"));
    const auto rng = in.get<Rng::State>();
    const auto episode_step = in.get<Index>();
    std::vector<double> now(slot.now.size());
    in.get_all<double>(now);
    // A task whose load fails gets its old state back.
    ByteWriter before;
    slot.task->save(before);
    try {
      slot.task->load(in);
    } catch (...) {
      ByteReader again(before.bytes());
      slot.task->load(again);
      throw;
    }
    slot.rng = Rng(rng);
    slot.episode_step = episode_step;
    slot.now = std::move(now);
    started_ = true;
  }

  std::vector<double> physics(Index env) const override { return ready(env).task->physics(); }
  void set_physics(Index env, std::span<const double> numbers) override {
    ready(env);
    Slot& slot = at(env);
    slot.task->set_physics(numbers);
    observe(slot, slot.now);
  }
  std::vector<double> observation(Index env) const override {
    std::vector<double> out = ready(env).now;
    out.resize(static_cast<std::size_t>(observation_));
    return out;
  }

 private:
  const Slot& at(Index env) const {
    if (env < 0 || env >= count())
      throw InvalidArgument(concat("environment ", env, " is outside [0, ", count(), ")"));
    return slots_[static_cast<std::size_t>(env)];
  }
  Slot& at(Index env) { return const_cast<Slot&>(std::as_const(*this).at(env)); }
  const Slot& ready(Index env) const {
    if (!started_) throw InvalidArgument("no episode has begun; call reset first");
    return at(env);
  }

  static void observe(Slot& slot, std::vector<double>& out) {
    if (slot.moves.empty()) {
      slot.task->observe(out);
      return;
    }
    slot.task->observe(slot.raw);
    for (const Move& move : slot.moves)
      std::copy_n(slot.raw.data() + move.from, move.size, out.data() + move.to);
  }

  template <class T>
  void write(std::span<T> rows, Index env, const std::vector<double>& from) const {
    T* row = rows.data() + env * observation_;
    for (std::size_t i = 0; i < from.size(); ++i) row[i] = static_cast<T>(from[i]);
    std::fill(row + from.size(), row + observation_, T{0});
  }

  static void begin(Slot& slot) {
    slot.task->reset(slot.rng);
    slot.episode_step = 0;
    observe(slot, slot.now);
    if (!all_finite(slot.now)) throw Error("the first observation of an episode is not finite");
  }

  template <class T>
  void reset_rows(const EnvRows<T>& rows) {
    check_rows(*this, rows);
    pool_.parallel_for(count(), [&](Index env) {
      Slot& slot = slots_[static_cast<std::size_t>(env)];
      try {
        begin(slot);
      } catch (...) {
        slot.error = std::current_exception();
      }
      write(rows.observation, env, slot.now);
      write(rows.final_observation, env, slot.now);
      const auto i = static_cast<std::size_t>(env);
      rows.reward[i] = 0;
      rows.terminated[i] = rows.truncated[i] = 0;
      if (!rows.success.empty()) rows.success[i] = 0;
      if (!rows.cut.empty()) rows.cut[i] = 0;
    });
    rethrow();
    started_ = true;
  }

  template <class T>
  void step_rows(std::span<const T> actions, const EnvRows<T>& rows) {
    if (!started_) throw InvalidArgument("no episode has begun; call reset first");
    check_rows(*this, rows);
    check_actions(*this, actions, [&](Index env) { return at(env).episode_step; });
    pool_.parallel_for(count(), [&](Index env) {
      step_one(env,
               actions.subspan(static_cast<std::size_t>(env * action_),
                               static_cast<std::size_t>(action_)),
               rows);
    });
    rethrow();
  }

  template <class T>
  void step_one(Index env, std::span<const T> action, const EnvRows<T>& rows) {
    Slot& slot = slots_[static_cast<std::size_t>(env)];
    std::copy_n(action.begin(), slot.action.size(), slot.action.begin());

    // Hold the action; stop early where the episode ends.
    double reward = 0;
    bool terminated = false, truncated = false, success = false;
    const char* failure = nullptr;
    std::string thrown;
    try {
      for (Index i = 0; i < slot.spec.repeat && !terminated && !truncated; ++i) {
        const Outcome outcome = slot.task->step(slot.action);
        ++slot.steps;
        ++slot.episode_step;
        failure = outcome.failure;
        if (failure != nullptr) break;
        reward += outcome.reward;
        terminated = outcome.terminated;
        success = success || outcome.success;
        truncated = slot.episode_step >= slot.limit;
      }
      if (failure == nullptr) {
        observe(slot, slot.next);
        if (!all_finite(slot.next) || !std::isfinite(reward))
          failure = "an observation or reward is not finite";
      }
    } catch (const std::exception& error) {
      thrown = error.what();
      failure = thrown.c_str();
    }

    const auto i = static_cast<std::size_t>(env);
    if (failure != nullptr) {
      ++slot.cuts;
      slot.last_cut = concat(slot.spec.text(), ": environment ", env, ", step ", slot.episode_step,
                             " of the episode: ", failure);
      slot.next = slot.now;
      reward = 0;
      terminated = success = false;
      truncated = true;
    }
    write(rows.final_observation, env, slot.next);
    rows.reward[i] = static_cast<T>(reward);
    rows.terminated[i] = terminated;
    rows.truncated[i] = truncated;
    if (!rows.success.empty()) rows.success[i] = success;
    if (!rows.cut.empty()) rows.cut[i] = failure != nullptr;

    std::swap(slot.now, slot.next);
    if (terminated || truncated) {
      ++slot.episodes;
      try {
        begin(slot);
      } catch (...) {
        slot.error = std::current_exception();
      }
    }
    write(rows.observation, env, slot.now);
  }

  // The error of the first environment: independent of threads.
  void rethrow() {
    for (Slot& slot : slots_)
      if (slot.error) std::rethrow_exception(std::exchange(slot.error, nullptr));
  }

  std::vector<Slot> slots_;
  ThreadPool pool_;
  Index observation_ = 0, action_ = 0;
  bool started_ = false;
};

Slot make_slot(const EnvSpec& spec, const TaskEntry& entry) {
  Slot slot;
  slot.spec = spec;
  slot.entry = &entry;
  slot.limit = spec.limit > 0 ? spec.limit : entry.info.horizon;
  slot.task = make_task(spec);
  const std::vector<ObservationKey> keys = slot.task->keys();
  Index total = 0;
  for (const ObservationKey& key : keys) total += key.size;
  if (total != entry.info.observation)
    throw Error(concat(entry.info.name, ": the parts of the observation have ", total,
                       " numbers, the registry says ", entry.info.observation));
  if (spec.sorted) slot.moves = sorted_moves(keys);
  const auto size = static_cast<std::size_t>(total);
  slot.raw.resize(size);
  slot.now.resize(size);
  slot.next.resize(size);
  slot.action.resize(static_cast<std::size_t>(entry.info.action));
  return slot;
}

}  // namespace
}  // namespace envs

std::unique_ptr<VecEnv> make_vec_env(const std::vector<std::string>& specs,
                                     const VecEnvOptions& options) {
  using namespace envs;
  constexpr Index kMostEnvironments = 1 << 20, kMostThreads = 4096;
  if (options.count < 1 || options.count > kMostEnvironments)
    throw InvalidArgument(concat("count ", options.count, " is outside [1, ", kMostEnvironments,
                                 "]; it counts environments of each task"));
  if (options.threads < 1 || options.threads > kMostThreads)
    throw InvalidArgument(concat("threads ", options.threads, " is outside [1, ", kMostThreads,
                                 "]; the calling thread is one of them"));
  if (specs.empty()) throw InvalidArgument("no task was named; `mneme envs` lists them");

  // A set means its tasks, all with the keys that follow its name.
  std::vector<EnvSpec> wanted;
  for (const std::string& text : specs) {
    const EnvSpec spec = parse_env_spec(text);
    const std::vector<std::string> sets = task_set_names();
    std::vector<std::string> names{spec.name};
    if (std::find(sets.begin(), sets.end(), spec.name) != sets.end()) names = task_set(spec.name);
    for (std::string& name : names) {
      wanted.push_back(spec);
      wanted.back().name = std::move(name);
    }
  }
  if (static_cast<Index>(wanted.size()) * options.count > kMostEnvironments)
    throw InvalidArgument(concat(wanted.size(), " tasks x ", options.count,
                                 " environments are more than ", kMostEnvironments));

  const bool python = find_python_suite(wanted.front().name) != nullptr;
  std::vector<const TaskEntry*> entries;
  for (const EnvSpec& spec : wanted) {
    if (spec.dtype != wanted.front().dtype)
      throw InvalidArgument("tasks side by side must have the same dtype");
    if (python != (find_python_suite(spec.name) != nullptr))
      throw InvalidArgument(concat(wanted.front().name, " and ", spec.name, ": one is native, the ",
                                   "other is a Python task; make two VecEnvs"));
    const TaskInfo& info = python ? python_task_info(spec.name) : find_task(spec.name).info;
    if (!info.available) throw NotFound(concat(spec.name, " cannot run here: ", info.install));
    if (!python) entries.push_back(&find_task(spec.name));
  }
  if (python) return make_python_vec_env(wanted, options);
  std::vector<Slot> slots;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    for (Index i = 0; i < options.count; ++i) {
      slots.push_back(make_slot(wanted[k], *entries[k]));
      slots.back().rng =
          Rng(options.seed, kEnvironmentPurpose, static_cast<std::uint32_t>(slots.size() - 1));
    }
  }
  const Index threads = std::min<Index>(options.threads, static_cast<Index>(slots.size()));
  return std::make_unique<NativeVecEnv>(std::move(slots), threads);
}

std::unique_ptr<VecEnv> make_vec_env(std::string_view spec, const VecEnvOptions& options) {
  return make_vec_env(std::vector<std::string>{std::string(spec)}, options);
}

}  // namespace mneme
