// replay/replay_buffer.cpp - storage + stream policy + sampler, and the checks at the edge.
#include "mneme/replay_buffer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "mneme/error.h"
#include "replay/priority_streams.h"
#include "replay/reader.h"
#include "replay/stream_policy.h"

namespace mneme {
namespace {

// What the random numbers of a buffer are for; see mneme/rng.h.
constexpr std::uint32_t kChooseStream = 1, kChooseIndex = 2;

ReplayConfig checked(ReplayConfig config) {
  const auto at_least_one = [](const char* name, Index value) {
    if (value < 1) throw InvalidArgument(concat(name, " is ", value, "; it must be at least 1"));
  };
  at_least_one("n_step", config.n_step);
  at_least_one("stack", config.stack);
  if (config.n_step > config.capacity)
    throw InvalidArgument(concat("n_step is ", config.n_step, " but a stream holds only ",
                                 config.capacity, " transitions; raise the capacity"));
  if (config.stack > config.capacity)
    throw InvalidArgument(concat("stack is ", config.stack, " but a stream holds only ",
                                 config.capacity, " transitions; raise the capacity"));
  if (!(config.discount >= 0 && config.discount <= 1))
    throw InvalidArgument(concat("discount is ", config.discount, "; allowed: 0 to 1"));
  return config;
}

void check_values(const char* what, const Values& values, std::size_t count, DType type) {
  if (values.size() != count)
    throw InvalidArgument(
        concat(what, " has ", values.size(), " numbers; this buffer stores ", count));
  if (!can_store(values.type(), type))
    throw InvalidArgument(concat(what, " is handed in as ", name_of(values.type()),
                                 " but stored as ", name_of(type), "; convert it first"));
}

}  // namespace

struct ReplayBuffer::Parts {
  explicit Parts(const ReplayConfig& given)
      : config(checked(given)),
        store(RowLayout(config.observation, config.action, config.fields), config.streams,
              config.capacity),
        reader(store, config.n_step, config.discount, config.stack),
        priorities(PriorityStreams::make(config.sampler, config)),
        sampler(make_sampler(priorities ? "uniform" : config.sampler)),
        policy(config.stream_policy, config.streams),
        stream_rng(config.seed, kChooseStream),
        index_rng(config.seed, kChooseIndex),
        bounds(static_cast<std::size_t>(config.streams)) {
    const RowLayout& layout = store.layout();
    scratch.resize(static_cast<std::size_t>(config.streams));
    for (auto& bytes : scratch) bytes.resize(2 * layout.observation_bytes + layout.side_stride);
  }

  // One row of a (vector) step, converted into the stream's own scratch memory and appended.
  void append(Index stream, std::size_t row, const Values& observation, const Values& action,
              float reward, const Values& next, bool terminated, bool truncated,
              const std::vector<Values>& extras) {
    const RowLayout& layout = store.layout();
    std::byte* memory = scratch[static_cast<std::size_t>(stream)].data();
    std::byte *now = memory, *after = memory + layout.observation_bytes,
              *side = after + layout.observation_bytes;
    const auto take = [row](const Values& values, std::size_t count, DType type, void* to) {
      const auto* from =
          static_cast<const std::byte*>(values.data()) + row * count * size_of(values.type());
      convert(from, values.type(), to, type, count);
    };
    take(observation, layout.observation_count, layout.observation_type, now);
    take(next, layout.observation_count, layout.observation_type, after);
    const FieldPlace& action_place = layout.fields[RowLayout::kAction];
    take(action, action_place.count, action_place.type, side + action_place.offset);
    std::memcpy(side + layout.fields[RowLayout::kReward].offset, &reward, sizeof reward);
    for (std::size_t f = 0; f < extras.size(); ++f) {
      const FieldPlace& place = layout.fields[RowLayout::kExtras + f];
      take(extras[f], place.count, place.type, side + place.offset);
    }
    const End end = terminated ? End::terminated : truncated ? End::truncated : End::none;
    const StreamStore::Appended done = store.append(stream, {now, after, side, end});
    if (priorities)
      priorities->on_append(stream, done.sequence, done.oldest, end != End::none, done.cut);
  }

  void check(std::size_t rows, const Values& observation, const Values& action, const Values& next,
             const std::vector<Values>& extras) const {
    const RowLayout& layout = store.layout();
    check_values("observation", observation, rows * layout.observation_count,
                 layout.observation_type);
    check_values("next_observation", next, rows * layout.observation_count,
                 layout.observation_type);
    const FieldPlace& action_place = layout.fields[RowLayout::kAction];
    check_values("action", action, rows * action_place.count, action_place.type);
    if (extras.size() != config.fields.size())
      throw InvalidArgument(
          concat(extras.size(), " extra fields are given; this buffer has ", config.fields.size()));
    for (std::size_t f = 0; f < extras.size(); ++f) {
      const FieldPlace& place = layout.fields[RowLayout::kExtras + f];
      check_values(place.name.c_str(), extras[f], rows * place.count, place.type);
    }
  }

  /// The starts that may be drawn from a stream: indices first .. first+size-1 of its live rows.
  struct Starts {
    Index first, size;
  };
  Starts starts(const StreamStore::Bounds& b) const {
    // A stack must not reach below the oldest row, unless nothing was ever evicted.
    const Index first = b.oldest > 0 ? config.stack - 1 : 0;
    const Index incomplete = config.horizon == Horizon::full ? config.n_step - 1 : 0;
    return {first, std::max<Index>(0, b.size() - first - incomplete)};
  }

  void snapshot() {
    for (Index s = 0; s < config.streams; ++s)
      bounds[static_cast<std::size_t>(s)] = store.bounds(s);
  }

  // Streams and sequence numbers of a batch into `drawn`. All streams at the same size (the common
  // case) share one call.
  void draw(std::size_t count) {
    drawn_streams.resize(count);
    drawn.resize(count);
    indices.resize(count);
    policy.assign(stream_rng, drawn_streams);
    if (priorities) return draw_by_priority(count);
    const Starts common = starts(bounds[0]);
    const bool lockstep =
        std::all_of(bounds.begin(), bounds.end(), [&](const StreamStore::Bounds& b) {
          const Starts s = starts(b);
          return s.size == common.size && s.first == common.first;
        });
    if (lockstep) {
      sampler->sample(view_of(common), index_rng, indices);
    } else {
      // Each stream gets its own law, but all are part of one batch.
      group.resize(count);
      const std::uint64_t batch_number = sampler->batches();
      by_stream(count, [&](std::size_t stream, std::span<const std::uint32_t> members) {
        sampler->set_batches(batch_number);
        sampler->sample(view_of(starts(bounds[stream])), index_rng,
                        std::span(group).first(members.size()));
        for (std::size_t k = 0; k < members.size(); ++k) indices[members[k]] = group[k];
      });
      sampler->set_batches(batch_number + 1);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const StreamStore::Bounds& b = bounds[stream_at(static_cast<std::uint32_t>(k))];
      drawn[k] = {drawn_streams[k],
                  b.oldest + static_cast<std::uint64_t>(starts(b).first + indices[k])};
    }
  }

  // Calls use(stream, positions in the batch) for every stream that was chosen, in ascending order.
  template <class Use>
  void by_stream(std::size_t count, const Use& use) {
    order.resize(count);
    for (std::size_t k = 0; k < count; ++k) order[k] = static_cast<std::uint32_t>(k);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return drawn_streams[a] != drawn_streams[b] ? drawn_streams[a] < drawn_streams[b] : a < b;
    });
    for (std::size_t from = 0; from < count;) {
      std::size_t to = from;
      while (to < count && drawn_streams[order[to]] == drawn_streams[order[from]]) ++to;
      use(stream_at(order[from]), std::span<const std::uint32_t>(order).subspan(from, to - from));
      from = to;
    }
  }

  void draw_by_priority(std::size_t count) {
    weights.resize(count);
    sequences.resize(count);
    group_weights.resize(count);
    by_stream(count, [&](std::size_t stream, std::span<const std::uint32_t> members) {
      const std::span<std::uint64_t> chosen = std::span(sequences).first(members.size());
      const std::span<float> own = std::span(group_weights).first(members.size());
      priorities->draw(static_cast<Index>(stream), store, bounds[stream], progress, index_rng,
                       chosen, own);
      for (std::size_t k = 0; k < members.size(); ++k) {
        drawn[members[k]] = {static_cast<Index>(stream), chosen[k]};
        weights[members[k]] = own[k];
      }
    });
  }

  // Another draw for position k, after a writer has taken the row away.
  void draw_again(std::size_t k) {
    const auto s = static_cast<std::size_t>(drawn[k].stream);
    bounds[s] = store.bounds(drawn[k].stream);
    const Starts now = starts(bounds[s]);
    if (now.size < 1)
      throw InvalidArgument(concat("stream ", s, " was emptied while it was sampled"));
    if (priorities) {
      priorities->draw(drawn[k].stream, store, bounds[s], progress, index_rng,
                       {&drawn[k].sequence, 1}, {&weights[k], 1});
    } else {
      Index index = 0;
      const std::uint64_t batch_number = sampler->batches();
      sampler->sample(view_of(now), index_rng, {&index, 1});
      sampler->set_batches(batch_number);
      drawn[k].sequence = bounds[s].oldest + static_cast<std::uint64_t>(now.first + index);
    }
  }

  std::size_t stream_at(std::uint32_t k) const {
    return static_cast<std::size_t>(drawn_streams[k]);
  }

  BufferView view_of(const Starts& s) const {
    const Index capacity =
        config.capacity - (config.horizon == Horizon::full ? config.n_step - 1 : 0);
    return {.size = s.size, .capacity = std::max(capacity, s.size), .progress = progress};
  }

  void require_starts() const {
    for (std::size_t s = 0; s < bounds.size(); ++s) {
      if (starts(bounds[s]).size < 1 ||
          (priorities && !priorities->can_draw(static_cast<Index>(s))))
        throw InvalidArgument(concat("stream ", s, " holds ", bounds[s].size(),
                                     " transitions, and no complete window of ", config.n_step,
                                     " steps starts there yet; add more before sampling"));
    }
  }

  // Fills all rows with `read(start, bounds, k)`, and reads again what a writer changed meanwhile.
  template <class Read>
  void gather(std::size_t count, const Read& read) {
    constexpr std::size_t kAhead = 12;
    for (std::size_t k = 0; k < std::min(kAhead, count); ++k) reader.prefetch(drawn[k]);
    for (std::size_t k = 0; k < count; ++k) {
      if (k + kAhead < count) reader.prefetch(drawn[k + kAhead]);
      read(drawn[k], bounds[static_cast<std::size_t>(drawn[k].stream)], k);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const auto s = static_cast<std::size_t>(drawn[k].stream);
      while (!store.still_valid(drawn[k].stream, drawn[k].sequence, bounds[s])) {
        draw_again(k);  // evicted or cut under our hands
        read(drawn[k], bounds[s], k);
      }
    }
  }

  ReplayConfig config;
  StreamStore store;
  Reader reader;
  std::unique_ptr<PriorityStreams> priorities;  // none for age-only samplers
  std::unique_ptr<Sampler> sampler;
  double progress = 0;
  StreamPolicy policy;
  Rng stream_rng, index_rng;
  std::vector<std::vector<std::byte>> scratch;  // per stream: a row on its way in
  // of the batch being drawn
  std::vector<StreamStore::Bounds> bounds;
  std::vector<std::int32_t> drawn_streams;
  std::vector<Index> indices, group;
  std::vector<std::uint32_t> order;
  std::vector<Reader::Start> drawn;
  std::vector<std::uint64_t> sequences;
  std::vector<float> group_weights;
  std::vector<float> weights;  // with priorities: of the draws, in their order
};

ReplayBuffer::ReplayBuffer(const ReplayConfig& config) : parts_(std::make_unique<Parts>(config)) {}
ReplayBuffer::~ReplayBuffer() = default;
ReplayBuffer::ReplayBuffer(ReplayBuffer&&) noexcept = default;
ReplayBuffer& ReplayBuffer::operator=(ReplayBuffer&&) noexcept = default;

void ReplayBuffer::add(const Transition& step) {
  Parts& parts = *parts_;
  if (step.stream < 0 || step.stream >= parts.config.streams)
    throw InvalidArgument(
        concat("stream ", step.stream, " is outside [0, ", parts.config.streams, ")"));
  parts.check(1, step.observation, step.action, step.next_observation, step.fields);
  if (!std::isfinite(step.reward))
    throw InvalidArgument(concat("the reward is ", step.reward, "; it must be finite"));
  parts.append(step.stream, 0, step.observation, step.action, step.reward, step.next_observation,
               step.terminated, step.truncated, step.fields);
}

void ReplayBuffer::add_all(const VectorStep& step) {
  Parts& parts = *parts_;
  const auto streams = static_cast<std::size_t>(parts.config.streams);
  parts.check(streams, step.observation, step.action, step.next_observation, step.fields);
  if (step.reward.size() != streams)
    throw InvalidArgument(concat(step.reward.size(), " rewards for ", streams, " streams"));
  for (const auto& flags : {step.terminated, step.truncated}) {
    if (!flags.empty() && flags.size() != streams)
      throw InvalidArgument(
          concat(flags.size(), " end flags for ", streams, " streams; pass one each, or none"));
  }
  for (std::size_t s = 0; s < streams; ++s) {
    if (!std::isfinite(step.reward[s]))
      throw InvalidArgument(
          concat("the reward of stream ", s, " is ", step.reward[s], "; it must be finite"));
  }
  for (std::size_t s = 0; s < streams; ++s) {
    parts.append(static_cast<Index>(s), s, step.observation, step.action, step.reward[s],
                 step.next_observation, !step.terminated.empty() && step.terminated[s] != 0,
                 !step.truncated.empty() && step.truncated[s] != 0, step.fields);
  }
}

void ReplayBuffer::cut(Index stream) {
  if (stream < 0 || stream >= parts_->config.streams)
    throw InvalidArgument(
        concat("stream ", stream, " is outside [0, ", parts_->config.streams, ")"));
  if (parts_->store.cut(stream) && parts_->priorities) parts_->priorities->on_cut(stream);
}

FeedbackReport ReplayBuffer::update_priorities(std::span<const std::uint64_t> ids,
                                               std::span<const float> td_errors) {
  Parts& parts = *parts_;
  if (ids.size() != td_errors.size())
    throw InvalidArgument(concat(ids.size(), " ids but ", td_errors.size(),
                                 " TD errors; pass one for each row of a batch"));
  for (const std::uint64_t id : ids) {
    if (stream_of(id) >= parts.config.streams ||
        sequence_of(id) >= parts.store.bounds(stream_of(id)).head)
      throw InvalidArgument(
          concat("id ", id, " names no row of this buffer; pass ids returned by sample()"));
  }
  if (!parts.priorities) return {.ignored = static_cast<Index>(ids.size())};
  return parts.priorities->update(ids, td_errors, parts.store);
}

void ReplayBuffer::set_progress(double progress) {
  if (!(progress >= 0 && progress <= 1))
    throw InvalidArgument(concat("progress is ", progress, "; allowed: 0 to 1"));
  parts_->progress = progress;
}

Batch ReplayBuffer::make_batch(std::size_t size) const {
  if (size < 1) throw InvalidArgument("a batch has at least one row");
  const Parts& parts = *parts_;
  const RowLayout& layout = parts.store.layout();
  Batch batch;
  batch.size = size;
  batch.observation.resize(size * parts.reader.stacked_count());
  batch.next_observation.resize(batch.observation.size());
  batch.action.resize(size * layout.fields[RowLayout::kAction].count);
  for (auto* column : {&batch.reward, &batch.discount, &batch.weight}) column->resize(size);
  batch.id.resize(size);
  batch.stream.resize(size);
  batch.horizon.resize(size);
  batch.age.resize(size);
  for (std::size_t f = RowLayout::kExtras; f < layout.fields.size(); ++f)
    batch.fields.emplace_back(size * layout.fields[f].count);
  return batch;
}

void ReplayBuffer::sample(Batch& batch) {
  Parts& parts = *parts_;
  const RowLayout& layout = parts.store.layout();
  bool fits = batch.size > 0 &&
              batch.observation.size() == batch.size * parts.reader.stacked_count() &&
              batch.action.size() == batch.size * layout.fields[RowLayout::kAction].count &&
              batch.id.size() == batch.size &&
              batch.fields.size() + RowLayout::kExtras == layout.fields.size() &&
              batch.reward.size() == batch.size &&
              batch.next_observation.size() == batch.observation.size();
  for (std::size_t f = 0; fits && f < batch.fields.size(); ++f)
    fits = batch.fields[f].size() == batch.size * layout.fields[RowLayout::kExtras + f].count;
  // every column, since every column is written
  fits = fits && batch.discount.size() == batch.size && batch.weight.size() == batch.size &&
         batch.stream.size() == batch.size && batch.horizon.size() == batch.size &&
         batch.age.size() == batch.size;
  if (!fits)
    throw InvalidArgument(
        "this batch was not made for this buffer; use make_batch of the same buffer and leave its "
        "columns alone");
  parts.snapshot();
  parts.require_starts();
  parts.draw(batch.size);
  parts.gather(batch.size, [&](const Reader::Start& start, const StreamStore::Bounds& bounds,
                               std::size_t k) { parts.reader.read(start, bounds, batch, k); });
  if (parts.priorities) std::copy(parts.weights.begin(), parts.weights.end(), batch.weight.begin());
}

SequenceBatch ReplayBuffer::make_sequences(std::size_t size, Index length, Index burn_in) const {
  const Parts& parts = *parts_;
  if (size < 1 || length < 1 || burn_in < 0)
    throw InvalidArgument(concat("sequences: ", size, " windows of ", length, " steps with ",
                                 burn_in, " of burn-in; at least 1, 1 and 0"));
  if (length + burn_in > parts.config.capacity)
    throw InvalidArgument(concat("sequences of ", length + burn_in, " steps in streams of ",
                                 parts.config.capacity, "; raise the capacity"));
  SequenceBatch batch;
  batch.size = size;
  batch.length = length + burn_in;
  batch.burn_in = burn_in;
  const std::size_t steps = size * static_cast<std::size_t>(batch.length);
  batch.observation.resize(steps * parts.reader.stacked_count());
  batch.action.resize(steps * parts.store.layout().fields[RowLayout::kAction].count);
  batch.reward.resize(steps);
  batch.valid.resize(steps);
  batch.last_observation.resize(size * parts.reader.stacked_count());
  batch.terminated.resize(size);
  batch.id.resize(size);
  batch.stream.resize(size);
  return batch;
}

void ReplayBuffer::sample(SequenceBatch& batch) {
  Parts& parts = *parts_;
  const std::size_t steps = batch.size * static_cast<std::size_t>(std::max<Index>(0, batch.length));
  const std::size_t count = parts.reader.stacked_count();
  const std::size_t actions = parts.store.layout().fields[RowLayout::kAction].count;
  if (steps < 1 || batch.burn_in < 0 || batch.burn_in >= batch.length ||
      batch.observation.size() != steps * count || batch.action.size() != steps * actions ||
      batch.reward.size() != steps || batch.valid.size() != steps ||
      batch.last_observation.size() != batch.size * count ||
      batch.terminated.size() != batch.size || batch.id.size() != batch.size ||
      batch.stream.size() != batch.size)
    throw InvalidArgument(
        "these sequences were not made for this buffer; use make_sequences of the same buffer");
  parts.snapshot();
  parts.require_starts();
  parts.draw(batch.size);
  parts.gather(batch.size,
               [&](const Reader::Start& start, const StreamStore::Bounds& bounds, std::size_t k) {
                 parts.reader.read(start, bounds, batch.burn_in, batch, k);
               });
}

Index ReplayBuffer::size(Index stream) const {
  if (stream < 0 || stream >= parts_->config.streams)
    throw InvalidArgument(
        concat("stream ", stream, " is outside [0, ", parts_->config.streams, ")"));
  return parts_->store.bounds(stream).size();
}

Index ReplayBuffer::size() const {
  Index sum = 0;
  for (Index s = 0; s < parts_->config.streams; ++s) sum += parts_->store.bounds(s).size();
  return sum;
}

std::uint64_t ReplayBuffer::cuts() const { return parts_->store.cuts(); }
const ReplayConfig& ReplayBuffer::config() const { return parts_->config; }

}  // namespace mneme
