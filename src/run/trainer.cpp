// run/trainer.cpp - the loop, step by step, and its checkpoints.
#include "run/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "mneme/buffer_files.h"
#include "mneme/error.h"
#include "run/checkpoint_file.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kRandomActions = 0x61637473;  // "acts"
constexpr const char* kActorReader = "actor";
constexpr const char* kEventFolder = "tensorboard";
// Beyond this an observation is taken for a fault of the simulation.
constexpr float kPlausible = 1e6F;

DType storage_type(const std::string& name) {
  for (const DType type : {DType::f32, DType::f16, DType::bf16})
    if (name == name_of(type)) return type;
  throw InvalidArgument(concat("storage is '", name, "'; f32, f16 or bf16"));
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

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw IoError(concat(path.string(), ": cannot open; a run is named by the directory that ",
                         "mneme train --out made"));
  return {std::istreambuf_iterator<char>(file), {}};
}

// The state that the buffer's last commit made the checkpoint.
fs::path last_state(const RunConfig& config, const fs::path& directory) {
  const std::uint64_t number =
      config.replay == "disk" ? buffer_info((directory / "replay").string()).commit : 0;
  const fs::path state = state_file(directory, number);
  std::error_code error;
  if (!fs::exists(state, error))
    throw IoError(concat(directory.string(), " has no checkpoint yet; the run was stopped before ",
                         "its first one"));
  return state;
}

RunConfig read_config(const fs::path& directory) {
  const fs::path file = directory / "config.toml";
  return from_toml(read_text(file), file.string());
}

std::string timing_header() {
  std::string header = "step,frame,seconds";
  for (const std::string_view phase : kPhases) header += concat(',', phase);
  return header;
}

Index log_every(const RunSettings& settings) { return std::max<Index>(1, settings.steps / 200); }

}  // namespace

Trainer::Trainer(RunConfig config, fs::path directory, ReplayBuffer buffer, const MakeEnvs& make)
    : config_(std::move(config)),
      directory_(std::move(directory)),
      buffer_(std::move(buffer)),
      envs_(make(config_.env_specs(),
                 {.count = settings().num_envs, .threads = config_.threads, .seed = config_.seed})),
      agent_(config_.settings->make(config_.shape, readers_of(buffer_, settings()),
                                    {.device = config_.device, .seed = config_.seed})),
      memory_(*envs_),
      rows_(memory_.rows()),
      observation_(rows_.observation.size()),
      actions_(static_cast<std::size_t>(envs_->count() * envs_->action_size())),
      tasks_(static_cast<std::size_t>(envs_->count())),
      random_(config_.seed, kRandomActions),
      episodes_(tasks_.size()),
      finished_(config_.tasks.size()),
      knows_success_(config_.tasks.size()),
      evaluator_(config_, make),
      metrics_(directory_ / "metrics.csv", "step,frame,name,value"),
      evaluation_log_(directory_ / "eval.csv",
                      "step,frame,seconds,task,episodes,return,deviation,score,success,length"),
      diagnostics_(directory_ / "diagnostics.csv", "step,frame,reader,name,value"),
      timing_log_(directory_ / "timing.csv", timing_header()),
      begun_(std::chrono::steady_clock::now()) {
  for (std::size_t e = 0; e < tasks_.size(); ++e)
    tasks_[e] = static_cast<std::int32_t>(static_cast<Index>(e) / settings().num_envs);
  for (std::size_t task = 0; task < knows_success_.size(); ++task) {
    const Index first = static_cast<Index>(task) * settings().num_envs;
    knows_success_[task] = envs_->task(first).success.empty() ? 0 : 1;
  }
}

std::unique_ptr<Trainer> Trainer::create(RunConfig config, const fs::path& directory,
                                         bool tensorboard, const MakeEnvs& make) {
  check_device(config.device);
  prepare_compute(config.threads);
  std::error_code error;
  if (fs::exists(directory / "config.toml", error))
    throw InvalidArgument(concat(directory.string(), " holds a run already; go on with it by ",
                                 "mneme train --resume ", directory.string(),
                                 ", or choose another directory"));
  const bool fresh = !fs::exists(directory, error);
  try {
    fs::create_directories(directory / "checkpoint", error);
    if (error) throw IoError(concat(directory.string(), ": ", error.message()));
    ReplayBuffer buffer = new_buffer(config, replay_config(config, directory));
    const std::string text = to_toml(config);
    replace_file(Disk::real(), directory / "config.toml", text.data(), text.size());
    std::unique_ptr<Trainer> run(
        new Trainer(std::move(config), directory, std::move(buffer), make));
    run->envs_->reset(run->rows_);
    if (tensorboard) run->events_ = std::make_unique<EventFile>(directory / kEventFolder, 0);
    if (run->settings().eval_at_start) run->evaluate_now();
    run->save();  // whenever it is stopped, there is something to go on from
    return run;
  } catch (...) {
    if (fresh) fs::remove_all(directory, error);  // nothing of a run that never began
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
  const fs::path state = last_state(config, directory);
  std::unique_ptr<Trainer> run(new Trainer(
      std::move(config), directory, ReplayBuffer::open((directory / "replay").string()), make));
  run->load(state);
  std::error_code error;
  if (tensorboard || fs::exists(directory / kEventFolder, error))
    run->events_ = std::make_unique<EventFile>(directory / kEventFolder, run->step_ + 1);
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

void Trainer::step() {
  timing_.begin();
  std::copy(rows_.observation.begin(), rows_.observation.end(), observation_.begin());
  agent_->begin_step(observation_);
  choose_actions();
  timing_.lap(Phase::acting);
  envs_->step(actions_, rows_);
  timing_.lap(Phase::environment);
  ++step_;
  settle_ends();
  store();
  timing_.lap(Phase::storing);
  agent_->end_step({rows_.reward, rows_.terminated, rows_.truncated});
  timing_.lap(Phase::acting);
  count_episodes();
  learn();
  if (step_ % settings().eval_every == 0 || done()) evaluate_now();
  if (step_ % log_every(settings()) == 0 || done()) write_metrics();
}

void Trainer::choose_actions() {
  if (step_ < settings().random_steps) {
    for (float& action : actions_) action = static_cast<float>(2 * random_.uniform() - 1);
  } else {
    agent_->act({observation_, tasks_}, actions_, Acting::explore);
  }
}

void Trainer::settle_ends() {
  for (std::size_t e = 0; e < tasks_.size(); ++e) {
    if (rows_.truncated[e] == 0) continue;
    if (settings().truncation_wins) rows_.terminated[e] = 0;
    if (!settings().bootstrap_truncated) rows_.terminated[e] = 1;
  }
}

void Trainer::store() {
  const bool cut =
      std::any_of(rows_.cut.begin(), rows_.cut.end(), [](auto one) { return one != 0; });
  for (const float number : rows_.final_observation)
    out_of_range_ += !(std::abs(number) < kPlausible);
  if (!cut) {
    buffer_.add_all({.observation = observation_,
                     .action = actions_,
                     .reward = rows_.reward,
                     .next_observation = rows_.final_observation,
                     .terminated = rows_.terminated,
                     .truncated = rows_.truncated});
    return;
  }
  // A simulation failed: nothing is to be learned from its row, and nothing leads on from it.
  const std::span<const float> observations(observation_), actions(actions_),
      next(rows_.final_observation);
  const std::size_t width = observation_.size() / tasks_.size();
  const std::size_t action_width = actions_.size() / tasks_.size();
  for (std::size_t e = 0; e < tasks_.size(); ++e) {
    const auto stream = static_cast<Index>(e);
    if (rows_.cut[e] != 0)
      buffer_.cut(stream);
    else
      buffer_.add({.stream = stream,
                   .observation = observations.subspan(e * width, width),
                   .action = actions.subspan(e * action_width, action_width),
                   .reward = rows_.reward[e],
                   .next_observation = next.subspan(e * width, width),
                   .terminated = rows_.terminated[e] != 0,
                   .truncated = rows_.truncated[e] != 0});
  }
}

void Trainer::count_episodes() {
  for (std::size_t e = 0; e < tasks_.size(); ++e) {
    UnderWay& episode = episodes_[e];
    if (rows_.cut[e] == 0) {  // a cut row is no step
      episode.sum += static_cast<double>(rows_.reward[e]);
      ++episode.steps;
      if (rows_.success[e] != 0) episode.success = 1;
    }
    if (rows_.terminated[e] == 0 && rows_.truncated[e] == 0) continue;
    // An environment that was given up ends an episode without a step, over and over.
    if (episode.steps > 0) {
      Finished& of_task = finished_[static_cast<std::size_t>(tasks_[e])];
      of_task.sum += episode.sum;
      ++of_task.count;
      ++of_task.watched;
      of_task.successes += episode.success;
    }
    episode = {};
  }
}

void Trainer::learn() {
  if (step_ < settings().learning_starts) return;
  credit_ += settings().utd;
  // A third of an update per step is due after three steps, whatever its sum rounds to.
  const auto due = static_cast<Index>(std::floor(credit_ + 1e-9));
  credit_ -= static_cast<double>(due);
  if (due == 0) return;
  const BatchSeconds before = agent_->batch_seconds();
  timing_.begin();
  agent_->learn(due, static_cast<double>(step_) / static_cast<double>(settings().steps));
  timing_.lap(Phase::update);
  const BatchSeconds after = agent_->batch_seconds();
  timing_.move(Phase::update, Phase::sampling, after.sampling - before.sampling);
  timing_.move(Phase::update, Phase::feedback, after.feedback - before.feedback);
  updates_ += due;
}

void Trainer::evaluate_now() {
  timing_.begin();
  last_evaluation_ = evaluator_(*agent_, settings().eval_episodes, evaluations_++);
  timing_.lap(Phase::evaluation);
  std::vector<std::pair<std::string, double>> scalars;
  for (const Evaluation& one : last_evaluation_) {
    if (one.episodes == 0) continue;
    evaluation_log_.add(
        concat(step_, ',', step_ * settings().action_repeat, ',', seconds(), ',', one.task, ',',
               one.episodes, ',', one.mean_return, ',', one.deviation, ',', one.score, ',',
               std::isnan(one.success) ? std::string() : concat(one.success), ',', one.length));
    scalars.emplace_back(concat("score/", one.task), one.score);
    scalars.emplace_back(concat("return/", one.task), one.mean_return);
    if (!std::isnan(one.success)) scalars.emplace_back(concat("success/", one.task), one.success);
  }
  if (events_) events_->add(step_, scalars);
}

void Trainer::write_metrics() {
  const std::string at = concat(step_, ',', step_ * settings().action_repeat, ',');
  std::vector<std::pair<std::string, double>> scalars;
  for (const auto& [name, value] : agent_->take_metrics()) {
    metrics_.add(concat(at, name, ',', value));
    scalars.emplace_back(concat("train/", name), value);
  }
  for (std::size_t task = 0; task < finished_.size(); ++task) {
    const Finished& all = finished_[task];
    const std::string& name = config_.shape.tasks[task].name;
    const auto add = [&](const char* what, double value) {
      metrics_.add(concat(at, what, ':', name, ',', value));
      scalars.emplace_back(concat(what, '/', name), value);
    };
    if (all.count > 0) add("train_return", all.sum / static_cast<double>(all.count));
    if (knows_success_[task] != 0 && all.watched > 0)
      add("train_success", static_cast<double>(all.successes) / static_cast<double>(all.watched));
    finished_[task] = {};
  }
  metrics_.add(concat(at, "updates,", updates_));
  if (out_of_range_ > 0) metrics_.add(concat(at, "observations_out_of_range,", out_of_range_));
  if (new_episode_resumes_ > 0)
    metrics_.add(concat(at, "resumes_with_new_episodes,", new_episode_resumes_));
  if (envs_->counts().cuts > 0) metrics_.add(concat(at, "episodes_cut,", envs_->counts().cuts));
  std::string line = concat(at, seconds());
  for (const double phase : timing_.all()) line += concat(',', phase);
  timing_log_.add(line);
  scalars.emplace_back("train/updates", static_cast<double>(updates_));
  if (updates_ > 0) write_diagnostics(at, scalars);
  if (events_) events_->add(step_, scalars);
}

void Trainer::write_diagnostics(const std::string& at,
                                std::vector<std::pair<std::string, double>>& scalars) {
  std::vector<std::string> names{""};
  if (!settings().actor_sampler.empty()) names.push_back(kActorReader);
  for (const std::string& reader : names) {
    const LiveDiagnostics live = buffer_.reader(reader).diagnostics();
    for (const auto& [name, value] :
         {std::pair<const char*, double>{"replay_volume", live.replay_volume},
          {"expected_recency", live.expected_recency},
          {"reference_recency", live.reference_recency},
          {"sampling_entropy", live.sampling_entropy},
          {"mean_age", live.mean_age},
          {"never_replayed", live.never_replayed},
          {"replays_per_row", live.replays_per_row},
          {"unique_share", live.unique_share}}) {
      if (std::isnan(value)) continue;
      const std::string of = reader.empty() ? "critic" : reader;
      diagnostics_.add(concat(at, of, ',', name, ',', value));
      scalars.emplace_back(concat("replay_", of, '/', name), value);
    }
  }
}

double Trainer::seconds() const {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now() - begun_;
  return seconds_before_ + now.count();
}

void Trainer::save() {
  timing_.begin();
  const bool on_disk = config_.replay == "disk";
  // The buffer's next commit makes this file the checkpoint; until then the last one stands.
  const std::uint64_t number =
      on_disk ? buffer_info((directory_ / "replay").string()).commit + 1 : 0;
  CheckpointWriter out(state_file(directory_, number));
  agent_->save(out);  // first: whoever wants the policy alone stops reading here
  out.put(step_);
  out.put(updates_);
  out.put(credit_);
  out.put(evaluations_);
  out.put(static_cast<std::uint64_t>(last_evaluation_.size()));
  for (const Evaluation& one : last_evaluation_) {
    put_text(out, one.task);
    out.put(one.episodes);
    for (const double value : {one.mean_return, one.deviation, one.score, one.success, one.length})
      out.put(value);
  }
  out.put(out_of_range_);
  out.put(seconds());
  out.put(random_.state());
  out.put_all(std::span<const UnderWay>(episodes_));
  out.put_all(std::span<const Finished>(finished_));
  out.put(new_episode_resumes_);
  out.put_all(std::span<const float>(rows_.observation));
  for (Index e = 0; e < envs_->count(); ++e) {
    const std::vector<std::byte> state = envs_->state(e);
    out.put(static_cast<std::uint64_t>(state.size()));
    out.put_all(std::span<const std::byte>(state));
  }
  for (RunLog* log : {&metrics_, &evaluation_log_, &diagnostics_}) log->save(out);
  timing_.save(out);
  timing_log_.save(out);
  out.finish();
  if (on_disk) buffer_.commit();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_ / "checkpoint", error))
    if (entry.path() != state_file(directory_, number)) fs::remove(entry.path(), error);
  timing_.lap(Phase::checkpoint);
}

void Trainer::load(const fs::path& file) {
  CheckpointReader in(file);
  agent_->load(in);
  step_ = in.get<Index>();
  updates_ = in.get<Index>();
  credit_ = in.get<double>();
  evaluations_ = in.get<std::uint64_t>();
  const auto results = in.get<std::uint64_t>();
  if (results != 0 && results != config_.tasks.size())
    throw CorruptData(concat(file.string(), ": evaluations of another number of tasks"));
  last_evaluation_.resize(static_cast<std::size_t>(results));
  for (Evaluation& one : last_evaluation_) {
    one.task = get_text(in);
    one.episodes = in.get<Index>();
    for (double* number : {&one.mean_return, &one.deviation, &one.score, &one.success, &one.length})
      *number = in.get<double>();
  }
  out_of_range_ = in.get<std::uint64_t>();
  seconds_before_ = in.get<double>();
  random_ = Rng(in.get<Rng::State>());
  if (in.version() >= 3) {
    in.get_all(std::span<UnderWay>(episodes_));
    in.get_all(std::span<Finished>(finished_));
    new_episode_resumes_ = in.get<Index>();
  } else {  // returns alone: nobody had watched for success
    for (UnderWay& episode : episodes_) episode = {in.get<double>(), 1, 0};
    for (Finished& task : finished_) {
      task.sum = in.get<double>();
      task.count = in.get<Index>();
    }
  }
  in.get_all(std::span<float>(rows_.observation));
  for (Index e = 0; e < envs_->count(); ++e) {
    const auto bytes = in.get<std::uint64_t>();
    if (bytes > std::uint64_t{1} << 32)
      throw CorruptData(concat(file.string(), ": an environment of impossible size"));
    std::vector<std::byte> state(static_cast<std::size_t>(bytes));
    in.get_all(std::span<std::byte>(state));
    envs_->set_state(e, state);
  }
  for (RunLog* log : {&metrics_, &evaluation_log_, &diagnostics_}) log->load(in);
  timing_.load(in);
  timing_log_.load(in);
  in.finish();
  if (!envs_->exact_state()) begin_new_episodes();
}

void Trainer::begin_new_episodes() {
  envs_->reset(rows_);
  // What the interrupted episodes would have come to, nobody knows.
  std::fill(episodes_.begin(), episodes_.end(), UnderWay{});
  for (Index stream = 0; stream < envs_->count(); ++stream) buffer_.cut(stream);
  agent_->on_episodes_interrupted();
  ++new_episode_resumes_;
  resume_note_ = concat(
      "environments in Python cannot be saved in the middle of an episode: at step ", step_,
      " every environment began a new one, the interrupted ones count nowhere, and this run is no ",
      "longer bit for bit the one it would have been");
}

}  // namespace mneme::lab
