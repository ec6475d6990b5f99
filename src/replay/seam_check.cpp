// replay/seam_check.cpp - a world whose rows describe themselves, and the comparison.
#include "replay/seam_check.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace mneme {
namespace {

constexpr double kDiscount = 0.97;

enum class Ending { running, terminated, truncated, cut, silent };

struct Episode {
  Index length = 0;  // steps taken; final once the ending is known
  Ending ending = Ending::running;
};

struct Step {
  Index episode, time;
};

// One stream of the world: every step ever taken, by sequence number.
struct History {
  std::vector<Episode> episodes{Episode{}};
  std::vector<Step> steps;
  Index planned = 1;
};

float reward_of(Index stream, Index episode, Index time) {
  return static_cast<float>((7 * episode + 3 * time + stream) % 41 - 20) / 8;
}

class World {
 public:
  World(const SeamSettings& settings, ReplayBuffer& buffer)
      : settings_(settings),
        buffer_(buffer),
        rng_(settings.seed, 77),
        streams_(static_cast<std::size_t>(settings.streams)) {
    for (History& history : streams_) history.planned = random_length();
  }

  /// Takes one step in one stream and stores it.
  void step(Index stream, SeamReport& report) {
    History& history = streams_[static_cast<std::size_t>(stream)];
    const auto episode = static_cast<Index>(history.episodes.size()) - 1;
    Episode& now = history.episodes.back();
    const Index time = now.length++;
    history.steps.push_back({episode, time});
    const bool ends = now.length >= history.planned;
    // How it ends: a third each terminated and truncated, the rest interrupted, with or without
    // notice.
    const std::uint64_t kind = ends ? rng_.below(6) : 0;
    const bool terminated = ends && kind < 2, truncated = ends && kind >= 2 && kind < 4;
    const std::vector<float> observation = row(stream, episode, time),
                             next = row(stream, episode, time + 1);
    const float action[1]{static_cast<float>(time)};
    buffer_.add({.stream = stream,
                 .observation = observation,
                 .action = action,
                 .reward = reward_of(stream, episode, time),
                 .next_observation = next,
                 .terminated = terminated,
                 .truncated = truncated});
    ++report.steps;
    if (!ends) return;
    now.ending = terminated  ? Ending::terminated
                 : truncated ? Ending::truncated
                 : kind == 4 ? Ending::cut
                             : Ending::silent;
    if (now.ending == Ending::cut) buffer_.cut(stream);
    report.silent_resets += now.ending == Ending::silent ? 1 : 0;
    ++report.episodes;
    history.episodes.push_back({});
    history.planned = random_length();
  }

  static std::vector<float> row(Index stream, Index episode, Index time) {
    return {static_cast<float>(stream), static_cast<float>(episode), static_cast<float>(time)};
  }
  const History& history(Index stream) const { return streams_[static_cast<std::size_t>(stream)]; }
  Index random(Index below) {
    return static_cast<Index>(rng_.below(static_cast<std::uint64_t>(below)));
  }

 private:
  Index random_length() {
    return 1 + static_cast<Index>(-settings_.mean_length * std::log1p(-rng_.uniform()));
  }

  const SeamSettings& settings_;
  ReplayBuffer& buffer_;
  Rng rng_;
  std::vector<History> streams_;
};

// What must come out of a stack of frames that ends at `time`.
bool stack_is(const float* frames, Index stack, Index stream, Index episode, Index time) {
  for (Index f = 0; f < stack; ++f) {
    const Index expected = std::max<Index>(0, time - (stack - 1 - f));
    const float* frame = frames + 3 * f;
    if (frame[0] != static_cast<float>(stream) || frame[1] != static_cast<float>(episode) ||
        frame[2] != static_cast<float>(expected))
      return false;
  }
  return true;
}

struct Expected {
  Index episode, time, horizon;
  double reward;
  float discount;
};

Expected expect(const SeamSettings& settings, const History& history, Index stream,
                std::uint64_t sequence) {
  const Step& step = history.steps.at(sequence);
  const Episode& episode = history.episodes.at(static_cast<std::size_t>(step.episode));
  Expected e{step.episode, step.time, std::min(settings.n_step, episode.length - step.time), 0, 0};
  for (Index k = 0; k < e.horizon; ++k)
    e.reward += std::pow(kDiscount, static_cast<double>(k)) *
                static_cast<double>(reward_of(stream, step.episode, step.time + k));
  const bool over = episode.ending == Ending::terminated && step.time + e.horizon == episode.length;
  e.discount =
      over ? 0.0f : static_cast<float>(std::pow(kDiscount, static_cast<double>(e.horizon)));
  return e;
}

std::string wrong_row(const SeamSettings& settings, const World& world, const ReplayBuffer& buffer,
                      const Batch& batch, std::size_t k) {
  const Index stream = batch.stream[k];
  const std::uint64_t sequence = ReplayBuffer::sequence_of(batch.id[k]);
  const History& history = world.history(stream);
  if (ReplayBuffer::stream_of(batch.id[k]) != stream || sequence >= history.steps.size())
    return concat("an id that was never given out, ", batch.id[k]);
  const auto age = static_cast<Index>(history.steps.size() - 1 - sequence);
  const Expected e = expect(settings, history, stream, sequence);
  const auto stacked = static_cast<std::size_t>(3 * settings.stack);
  const std::string where =
      concat("stream ", stream, " episode ", e.episode, " step ", e.time, ": ");
  if (batch.age[k] != age || age >= buffer.size(stream))
    return concat(where, "age ", batch.age[k], " instead of ", age);
  if (settings.horizon == Horizon::full && age < settings.n_step - 1)
    return concat(where, "a start whose window is not complete");
  if (!stack_is(&batch.observation[k * stacked], settings.stack, stream, e.episode, e.time))
    return concat(where, "wrong observation");
  if (batch.action[k] != static_cast<float>(e.time)) return concat(where, "wrong action");
  if (batch.horizon[k] != e.horizon)
    return concat(where, "horizon ", batch.horizon[k], " instead of ", e.horizon);
  if (std::abs(static_cast<double>(batch.reward[k]) - e.reward) > 1e-5)
    return concat(where, "reward ", batch.reward[k], " instead of ", e.reward);
  if (std::abs(batch.discount[k] - e.discount) > 1e-6f)
    return concat(where, "discount ", batch.discount[k], " instead of ", e.discount);
  const float* next = &batch.next_observation[k * stacked];
  if (!stack_is(next, settings.stack, stream, e.episode, e.time + e.horizon))
    return concat(where, "its successor is step ", next[stacked - 1], " of episode ",
                  next[stacked - 2], " instead of step ", e.time + e.horizon);
  return {};
}

std::string wrong_window(const SeamSettings& settings, const World& world,
                         const SequenceBatch& batch, std::size_t k) {
  const Index stream = batch.stream[k];
  const History& history = world.history(stream);
  const Step& start = history.steps.at(ReplayBuffer::sequence_of(batch.id[k]));
  const Episode& episode = history.episodes.at(static_cast<std::size_t>(start.episode));
  const auto stacked = static_cast<std::size_t>(3 * settings.stack);
  Index last = -1;
  for (Index p = 0; p < batch.length; ++p) {
    const std::size_t at = k * static_cast<std::size_t>(batch.length) + static_cast<std::size_t>(p);
    const Index time = start.time + p - batch.burn_in;
    const bool must = time >= start.time && time < episode.length,
               may = time >= 0 && time < episode.length;
    const std::string where = concat("window at stream ", stream, " episode ", start.episode,
                                     " step ", start.time, " place ", p, ": ");
    if (batch.valid[at] ? !may : must)
      return concat(where, batch.valid[at] ? "valid beyond the episode" : "a step is missing");
    if (!batch.valid[at]) continue;
    last = time;
    if (!stack_is(&batch.observation[at * stacked], settings.stack, stream, start.episode, time))
      return concat(where, "wrong observation");
    if (batch.action[at] != static_cast<float>(time) ||
        batch.reward[at] != reward_of(stream, start.episode, time))
      return concat(where, "wrong action or reward");
  }
  if (!stack_is(&batch.last_observation[k * stacked], settings.stack, stream, start.episode,
                last + 1))
    return "a window with a wrong last observation";
  const bool over = episode.ending == Ending::terminated && last + 1 == episode.length;
  if ((batch.terminated[k] != 0) != over) return "a window with a wrong end";
  return {};
}

// What a ring that knows no seams would hand out as successors.
void forget_seams(const World& world, const ReplayBuffer& buffer, Batch& batch) {
  const std::size_t stacked = batch.next_observation.size() / batch.size;
  for (std::size_t k = 0; k < batch.size; ++k) {
    const std::vector<Step>& steps = world.history(batch.stream[k]).steps;
    std::size_t next =
        ReplayBuffer::sequence_of(batch.id[k]) + static_cast<std::size_t>(batch.horizon[k]);
    if (next >= steps.size())
      next =
          steps.size() - static_cast<std::size_t>(buffer.size(batch.stream[k]));  // around the ring
    const std::vector<float> row =
        World::row(batch.stream[k], steps[next].episode, steps[next].time);
    std::copy(row.begin(), row.end(), &batch.next_observation[(k + 1) * stacked - 3]);
  }
}

}  // namespace

SeamReport check_seams(const SeamSettings& settings, const std::function<void(double)>& progress) {
  ReplayBuffer buffer({.observation = {3},
                       .action = {1},
                       .capacity = settings.capacity,
                       .streams = settings.streams,
                       .sampler = settings.sampler,
                       .stream_policy = settings.stream_policy,
                       .n_step = settings.n_step,
                       .discount = kDiscount,
                       .horizon = settings.horizon,
                       .stack = settings.stack,
                       .seed = settings.seed});
  World world(settings, buffer);
  SeamReport report;
  // Until every stream has a window, then in uneven steps, so that streams differ in size and every
  // cursor is met.
  const Index first = std::min(settings.capacity, settings.n_step + settings.stack);
  for (Index k = 0; k < first; ++k)
    for (Index s = 0; s < settings.streams; ++s) world.step(s, report);
  Batch batch = buffer.make_batch(64);
  SequenceBatch windows = buffer.make_sequences(64, std::min<Index>(5, settings.capacity),
                                                settings.capacity > 8 ? 3 : 0);
  while (report.rows < settings.rows) {
    const Index more = 1 + world.random(3);
    for (Index k = 0; k < more; ++k) world.step(world.random(settings.streams), report);
    settings.sequences ? buffer.sample(windows) : buffer.sample(batch);
    if (settings.naive_ring) forget_seams(world, buffer, batch);
    for (std::size_t k = 0; k < 64; ++k) {
      const std::string wrong = settings.sequences ? wrong_window(settings, world, windows, k)
                                                   : wrong_row(settings, world, buffer, batch, k);
      ++report.rows;
      if (wrong.empty()) continue;
      if (report.wrong++ == 0) report.first_wrong = wrong;
    }
    if (progress && report.rows % (1 << 16) == 0)
      progress(static_cast<double>(report.rows) / static_cast<double>(settings.rows));
  }
  return report;
}

}  // namespace mneme
