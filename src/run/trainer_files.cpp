// run/trainer_files.cpp - a run made, saved and resumed: its directory, replay buffer and checkpoints.
#include "run/trainer.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "mneme/buffer_files.h"
#include "mneme/error.h"
#include "os/file.h"
#include "run/checkpoint_file.h"
#include "run/run_directory.h"
#include "run/training_state.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kRandomActions = 0x61637473;  // "acts"

DType storage_type(const std::string& name) {
  for (const DType type : {DType::f32, DType::f16, DType::bf16})
    if (name == name_of(type)) return type;
  throw InvalidArgument(concat("storage must be f32, f16 or bf16, got '", name, "'"));
}

ReplayConfig replay_config(const RunConfig& run, const fs::path& directory) {
  const RunSettings& s = run.settings->run;
  return {.observation = {{run.shape.observation()}, storage_type(s.storage)},
          .action = {run.shape.action()},
          .capacity = s.capacity,
          .streams = run.shape.streams(),
          .sampler = s.sampler,
          .stream_policy = s.stream_policy,
          .n_step = s.n_step,
          .discount = s.discount,
          .horizon = s.horizon == "clip" ? Horizon::clip : Horizon::full,
          .seed = run.seed,
          .path = run.replay == "disk" ? (directory / "replay").string() : std::string()};
}

ReplayBuffer new_buffer(const RunConfig& run, const ReplayConfig& c) {
  ReplayBuffer buffer(c);
  const RunSettings& s = run.settings->run;
  if (!s.actor_sampler.empty())
    buffer.add_reader(kActorReader, {.sampler = s.actor_sampler,
                                     .stream_policy = s.stream_policy,
                                     .n_step = s.n_step,
                                     .discount = s.discount,
                                     .horizon = c.horizon,
                                     .seed = run.seed});
  return buffer;
}

AgentReaders readers_of(const ReplayBuffer& buffer, const RunSettings& settings) {
  AgentReaders readers{buffer.reader(), {}};
  if (!settings.actor_sampler.empty()) readers.actor = buffer.reader(kActorReader);
  return readers;
}

fs::path state_file(const fs::path& directory, std::uint64_t number) {
  return directory / "checkpoint" / concat("state-", number);
}

// The state that the buffer's last commit made the checkpoint.
fs::path last_state(const RunConfig& config, const fs::path& directory) {
  const std::uint64_t number =
      config.replay == "disk" ? buffer_info((directory / "replay").string()).commit : 0;
  const fs::path state = state_file(directory, number);
  std::error_code error;
  if (!fs::exists(state, error))
    throw IoError(concat(directory.string(), " has no checkpoint ", state.filename().string(),
                         "; if the run was stopped before its first one, start it again with ",
                         "mneme train ... --out ", directory.string()));
  return state;
}

RunConfig read_config(const fs::path& directory) {
  const fs::path file = directory / "config.toml";
  const auto text = read_file_if_present(file);
  if (!text)
    throw IoError(concat(file.string(), " is missing; a run is named by the directory that ",
                         "mneme train --out made"));
  return from_toml(*text, file.string());
}

// What a replay buffer keeps from its making on: an edit of config.toml must not pretend otherwise.
void check_unchanged(const RunConfig& config, const ReplayBuffer& buffer,
                     const fs::path& directory) {
  const ReplayConfig wanted = replay_config(config, directory), is = buffer.config();
  const auto compare = [&](const char* name, const auto& given, const auto& kept) {
    if (given == kept) return;
    throw InvalidArgument(concat((directory / "config.toml").string(), ": ", name, " is ", given,
                                 ", but the run was started with ", kept,
                                 "; undo the change, or start another run"));
  };
  compare("sampler", wanted.sampler, is.sampler);
  compare("capacity", wanted.capacity, is.capacity);
  compare("stream_policy", wanted.stream_policy, is.stream_policy);
  compare("n_step", wanted.n_step, is.n_step);
  compare("discount", wanted.discount, is.discount);
  const auto horizon = [](Horizon one) -> std::string_view {
    return one == Horizon::clip ? "clip" : "full";
  };
  compare("horizon", horizon(wanted.horizon), horizon(is.horizon));
  compare("storage", std::string(name_of(wanted.observation.type)),
          std::string(name_of(is.observation.type)));
  compare("the number of streams", wanted.streams, is.streams);
  compare("seed", wanted.seed, is.seed);
  const std::string& actor = config.settings->run.actor_sampler;
  const bool has_actor = [&] {
    try {
      buffer.reader(kActorReader);
      return true;
    } catch (const NotFound&) {
      return false;
    }
  }();
  const std::string kept = has_actor ? buffer.reader(kActorReader).config().sampler : std::string();
  compare("actor_sampler", actor, kept);
}

// Makes the directory if it is missing; true if this call made it.
bool make_directory(const fs::path& directory) {
  std::error_code error;
  if (directory.has_parent_path()) fs::create_directories(directory.parent_path(), error);
  if (mkdir(directory.c_str(), 0777) == 0) return true;
  if (errno != EEXIST) throw IoError(concat(directory.string(), ": ", std::strerror(errno)));
  return false;
}

// A directory without a run in it; what an unstarted run left is cleared.
void prepare_directory(const fs::path& directory) {
  const RunInspection there = inspect_run(directory);
  switch (there.progress) {
    case RunProgress::none:
      return;
    case RunProgress::unstarted:
      return clear_unstarted(directory);
    case RunProgress::unreadable:
      throw InvalidArgument(concat(directory.string(), " holds a run that cannot be read: ",
                                   there.reason, "; choose another directory"));
    case RunProgress::resumable:
    case RunProgress::finished:
      throw InvalidArgument(concat(directory.string(), " holds a run already; continue it with ",
                                   "mneme train --resume ", directory.string(),
                                   ", or choose another directory"));
  }
}

// What to throw after a failed start: nothing of a run that never began stays.
void clear_failed_start(const fs::path& directory, bool made_here) {
  if (!made_here) return;
  clear_unstarted(directory);
  remove_empty_directory(directory);
}

}  // namespace

Trainer::Trainer(RunConfig config, fs::path directory, SharedLock lock, ReplayBuffer buffer,
                 const MakeEnvs& make)
    : config_(std::move(config)),
      directory_(std::move(directory)),
      lock_(std::move(lock)),
      buffer_(std::move(buffer)),
      envs_(make(config_.env_specs(),
                 {.count = settings().num_envs, .threads = config_.threads, .seed = config_.seed})),
      agent_(config_.settings->make(config_.shape, readers_of(buffer_, settings()),
                                    {.device = config_.device, .seed = config_.seed})),
      memory_(*envs_),
      rows_(memory_.rows()),
      observation_(rows_.observation.size()),
      actions_(static_cast<std::size_t>(envs_->count() * envs_->action_size())),
      tasks_(tasks_of_environments()),
      random_(config_.seed, kRandomActions),
      episodes_(tasks_, tasks_with_success()),
      evaluator_(config_, make),
      writer_(directory_),
      begun_(std::chrono::steady_clock::now()) {}

std::vector<std::int32_t> Trainer::tasks_of_environments() const {
  std::vector<std::int32_t> tasks(static_cast<std::size_t>(envs_->count()));
  for (std::size_t e = 0; e < tasks.size(); ++e)
    tasks[e] = static_cast<std::int32_t>(static_cast<Index>(e) / settings().num_envs);
  return tasks;
}

std::vector<std::uint8_t> Trainer::tasks_with_success() const {
  std::vector<std::uint8_t> knows(config_.tasks.size());
  for (std::size_t task = 0; task < knows.size(); ++task) {
    const Index first = static_cast<Index>(task) * settings().num_envs;
    knows[task] = envs_->task(first).success.empty() ? 0 : 1;
  }
  return knows;
}

std::unique_ptr<Trainer> Trainer::create(RunConfig config, const fs::path& directory,
                                         bool tensorboard, const MakeEnvs& make) {
  check_device(config.device);
  prepare_compute(config.threads);
  if (config.seed > kLargestSeed)
    throw InvalidArgument(concat("seed must be at most ", kLargestSeed, ", got ", config.seed));
  const bool made_here = make_directory(directory);
  // A process that loses a race ends here and removes nothing. Held until a failed start is cleared.
  const auto lock = std::make_shared<const DirectoryLock>(directory);
  if (!lock->still_there())
    throw IoError(concat(directory.string(), " was removed by another process; try again"));
  prepare_directory(directory);
  try {
    // The configuration first: it marks everything that follows as a run's.
    write_file(directory / "config.toml", to_toml(config));
    fs::create_directory(directory / "checkpoint");
    ReplayBuffer buffer = new_buffer(config, replay_config(config, directory));
    std::unique_ptr<Trainer> run(
        new Trainer(std::move(config), directory, lock, std::move(buffer), make));
    run->envs_->reset(run->rows_);
    run->writer_.open_events(directory, tensorboard, 0);
    if (run->settings().eval_at_start) run->evaluate_now();
    run->save();  // whenever it is stopped, there is a checkpoint to continue from
    return run;
  } catch (const fs::filesystem_error& error) {
    clear_failed_start(directory, made_here);
    throw IoError(error.what());
  } catch (...) {
    clear_failed_start(directory, made_here);
    throw;
  }
}

std::unique_ptr<Trainer> Trainer::resume(const fs::path& directory, bool tensorboard,
                                         const MakeEnvs& make) {
  RunConfig config = read_config(directory);
  check_device(config.device);
  prepare_compute(config.threads);
  if (config.replay != "disk")
    throw InvalidArgument(concat(directory.string(), " kept its replay buffer in memory, which is ",
                                 "gone; such a run cannot be resumed, only evaluated"));
  check_no_links(directory);
  auto lock = std::make_shared<const DirectoryLock>(directory);
  const fs::path state = last_state(config, directory);
  ReplayBuffer buffer = ReplayBuffer::open((directory / "replay").string());
  check_unchanged(config, buffer, directory);
  std::unique_ptr<Trainer> run(
      new Trainer(std::move(config), directory, std::move(lock), std::move(buffer), make));
  run->load(state);
  run->writer_.open_events(directory, tensorboard, run->step_ + 1);
  return run;
}

TrainedAgent load_agent(const fs::path& directory, const std::string& device) {
  TrainedAgent trained{read_config(directory), nullptr, 0};
  RunConfig& config = trained.config;
  config.device = device;
  check_device(device);
  CheckpointReader in(last_state(config, directory));
  // The agent only acts, so its buffer stays empty.
  const ReplayBuffer buffer({.observation = {config.shape.observation()},
                             .action = {config.shape.action()},
                             .capacity = 2,
                             .streams = config.shape.streams()});
  trained.agent = config.settings->make(config.shape, {buffer.reader(), {}},
                                        {.device = config.device, .seed = config.seed});
  trained.agent->load(in);
  trained.step = in.get<Index>();
  return trained;
}

template <class Archive>
void Trainer::visit_state(Archive& state) {
  state.part(*agent_);  // first: load_agent reads the policy and stops here
  state(step_);
  state(updates_);
  state(updates_owed_);
  state(evaluations_);
  auto results = static_cast<std::uint64_t>(last_evaluation_.size());
  state(results);
  if (results != 0 && results != config_.tasks.size())
    throw CorruptData("the checkpoint has evaluations of another number of tasks");
  last_evaluation_.resize(static_cast<std::size_t>(results));
  for (Evaluation& one : last_evaluation_) {
    state(one.task);
    state(one.episodes);
    for (double* value : {&one.mean_return, &one.deviation, &one.score, &one.success, &one.length})
      state(*value);
  }
  state(out_of_range_);
  double so_far = seconds();
  state(so_far);
  if (Archive::kLoading) seconds_before_ = so_far;
  state(random_);
  episodes_.visit_state(state);
  if (state.version() >= 3) state(new_episode_resumes_);
  state.all(rows_.observation);
  for (Index e = 0; e < envs_->count(); ++e)
    state.bytes([&] { return envs_->state(e); },
                [&](const std::vector<std::byte>& bytes) { envs_->set_state(e, bytes); });
  writer_.visit_state(state, timing_);
}

void Trainer::save() {
  timing_.begin();
  const bool on_disk = config_.replay == "disk";
  // The buffer's next commit makes this file the checkpoint; until then the last one stands.
  const std::uint64_t number =
      on_disk ? buffer_info((directory_ / "replay").string()).commit + 1 : 0;
  const fs::path file = state_file(directory_, number);
  CheckpointWriter out(file);
  SaveState state(out);
  visit_state(state);
  out.finish();
  if (on_disk) buffer_.commit();
  remove_old_checkpoints(directory_, file.filename().string());
  timing_.lap(Phase::checkpoint);
}

void Trainer::load(const fs::path& file) {
  CheckpointReader in(file);
  try {
    LoadState state(in, in.version());
    visit_state(state);
    in.finish();
  } catch (const CorruptData& error) {
    const std::string what = error.what();
    if (what.starts_with(directory_.string())) throw;  // it names its file already
    throw CorruptData(concat(file.string(), ": ", what));
  }
  if (!envs_->exact_state()) begin_new_episodes();
}

void Trainer::begin_new_episodes() {
  envs_->reset(rows_);
  episodes_.restart_episodes();  // the interrupted ones have no return
  for (Index stream = 0; stream < envs_->count(); ++stream) buffer_.cut(stream);
  agent_->on_episodes_interrupted();
  ++new_episode_resumes_;
  resume_note_ = concat(
      "environments in Python cannot be saved in the middle of an episode: at step ", step_,
      " every environment began a new one, the interrupted ones are not counted, and this run is ",
      "not bit for bit what it would have been without the stop");
}

}  // namespace mneme::lab
