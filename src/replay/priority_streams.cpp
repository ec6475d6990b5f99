// replay/priority_streams.cpp - keeping priorities in step with the rows of a ring.
#include "replay/priority_streams.h"

#include <algorithm>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/replay_buffer.h"
#include "samplers/registry.h"

namespace mneme {
PriorityStreams::PriorityStreams(
    std::string spec, const SamplingConfig& config, const StreamStore& store, BetaSchedule beta,
    std::function<std::unique_ptr<PriorityDistribution>()> make_distribution)
    : spec_(std::move(spec)),
      store_(store),
      make_distribution_(std::move(make_distribution)),
      streams_(static_cast<std::size_t>(store.streams())),
      beta_(beta),
      capacity_(store.capacity()),
      held_(config.horizon == Horizon::full ? config.n_step - 1 : 0),
      stack_(config.stack),
      order_(store.streams()) {
  for (Stream& stream : streams_) stream.distribution = make_distribution_();
}

std::unique_ptr<PriorityStreams> PriorityStreams::make(const SamplingConfig& config,
                                                       const StreamStore& store) {
  const auto sampler = prioritized_sampler(config.sampler);
  if (!sampler) return nullptr;
  const Params& params = sampler->params;
  return std::unique_ptr<PriorityStreams>(new PriorityStreams(
      params.canonical(), config, store, {params.at("beta"), params.at("beta_end")},
      [sampler, capacity = store.capacity()] {
        return sampler->entry->make(sampler->params, capacity);
      }));
}

void PriorityStreams::take_stored_rows() {
  std::vector<std::uint8_t> ends;
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    Stream& s = streams_[k];
    const auto stream = static_cast<Index>(k);
    const std::lock_guard lock(s.mutex);
    const StreamStore::Bounds bounds = store_.bounds(stream);
    const auto held = std::min(bounds.size(), held_), drawable = bounds.size() - held;
    // A distribution's ring begins at slot 0: what lies below the oldest row there is written over
    // by the newest, or waits for the row that a writer is about to store.
    if (const Index before = slot_of(bounds.oldest); before > 0) {
      ends.assign(static_cast<std::size_t>(before), 0);
      ends.back() = 1;
      s.distribution->append(0, before, ends, RowState::held);
    }
    ends.clear();
    for (std::uint64_t q = bounds.oldest; q < bounds.head; ++q)
      ends.push_back(StreamStore::end_of(store_.end_word(store_.side(stream, q))) != End::none ? 1
                                                                                               : 0);
    const std::span<const std::uint8_t> marks(ends);
    if (drawable > 0)
      s.distribution->append(s.distribution->next_slot(), drawable,
                             marks.first(static_cast<std::size_t>(drawable)));
    if (held > 0)
      s.distribution->append(s.distribution->next_slot(), held,
                             marks.subspan(static_cast<std::size_t>(drawable)), RowState::held);
    for (Index index = 0; bounds.oldest > 0 && index < std::min(stack_ - 1, bounds.size());
         ++index) {
      const Index slot = slot_of(bounds.oldest + static_cast<std::uint64_t>(index));
      s.distribution->exclude({&slot, 1});
    }
    s.next = bounds.head;
    s.in_step = true;
  }
}

void PriorityStreams::on_append(Index stream, std::uint64_t sequence, std::uint64_t oldest,
                                bool ends, bool cut) {
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  const std::lock_guard lock(s.mutex);
  if (!s.in_step || sequence < s.next) return;  // it is, or will be, among the stored rows
  s.next = sequence + 1;
  if (cut) s.distribution->end_episode();
  const std::uint8_t end = ends ? 1 : 0;
  s.distribution->append(slot_of(sequence), 1, {&end, 1},
                         held_ > 0 ? RowState::held : RowState::drawable);
  // The row that now has a complete window may be drawn ...
  if (held_ > 0 && sequence >= oldest + static_cast<std::uint64_t>(held_)) {
    const Index slot = slot_of(sequence - static_cast<std::uint64_t>(held_));
    s.distribution->admit({&slot, 1});
  }
  // ... and those whose stack lost a frame may not.
  for (std::uint64_t q = oldest;
       oldest > 0 && q + 1 < oldest + static_cast<std::uint64_t>(stack_) && q <= sequence; ++q) {
    const Index slot = slot_of(q);
    s.distribution->exclude({&slot, 1});
  }
}

void PriorityStreams::on_cut(Index stream) {
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  const std::lock_guard lock(s.mutex);
  s.distribution->end_episode();
}

bool PriorityStreams::can_draw(Index stream) const {
  const Stream& s = streams_[static_cast<std::size_t>(stream)];
  const std::lock_guard lock(s.mutex);
  return s.distribution->can_sample();
}

void PriorityStreams::draw(Index stream, StreamStore::Bounds& bounds, double progress, Rng& rng,
                           std::span<std::uint64_t> sequences, std::span<float> weights) {
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  slots_.resize(sequences.size());
  const std::lock_guard lock(s.mutex);
  s.distribution->sample(rng, beta_.at(progress), slots_, weights);
  // The store is never behind the distribution, but a writer may be between the two: then the slot
  // of the row it has just replaced looks like the newest row, whose window is not complete. Such a
  // draw is made again.
  bounds = store_.bounds(stream);
  const auto ring = static_cast<std::uint64_t>(capacity_);
  const std::uint64_t base = bounds.oldest % ring;  // the slot of the oldest row
  for (std::size_t k = 0; k < sequences.size(); ++k) {
    const auto sequence_of = [&] {
      const auto slot = static_cast<std::uint64_t>(slots_[k]);
      return bounds.oldest + (slot >= base ? slot - base : slot + ring - base);
    };
    sequences[k] = sequence_of();
    for (int tries = 0;
         tries < 64 && sequences[k] + static_cast<std::uint64_t>(held_) >= bounds.head; ++tries) {
      s.distribution->sample(rng, beta_.at(progress), {&slots_[k], 1}, {&weights[k], 1});
      sequences[k] = sequence_of();
    }
  }
}

FeedbackReport PriorityStreams::update(std::span<const std::uint64_t> ids,
                                       std::span<const float> td_errors) {
  FeedbackReport report;
  // In stream order, and within a stream as given, so that the last value of a row wins.
  const auto stream_of = [&](std::size_t k) {
    return static_cast<std::size_t>(ReplayBuffer::stream_of(ids[k]));
  };
  order_.each(ids.size(), stream_of, [&](std::size_t k, std::span<const std::uint32_t> members) {
    Stream& s = streams_[k];
    const std::lock_guard lock(s.mutex);
    const StreamStore::Bounds bounds = store_.bounds(static_cast<Index>(k));
    slots_.clear();
    values_.clear();
    for (const std::uint32_t member : members) {
      const std::uint64_t sequence = ReplayBuffer::sequence_of(ids[member]);
      if (sequence < bounds.oldest || sequence >= bounds.head) {
        ++report.stale;
        continue;
      }
      slots_.push_back(slot_of(sequence));
      values_.push_back(td_errors[member]);
    }
    const FeedbackCount count = s.distribution->update(slots_, values_);
    report.applied += count.applied;
    report.refused += count.refused;
    report.stale += count.skipped;
  });
  return report;
}

void PriorityStreams::save(StateWriter& out) const {
  for (const Stream& s : streams_) {
    const std::lock_guard lock(s.mutex);
    out.put(s.next);
    s.distribution->save(out);
  }
}

PriorityStreams::Distributions PriorityStreams::load(StateReader& in) const {
  Distributions distributions;
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    const auto next = in.get<std::uint64_t>();
    const std::uint64_t head = store_.bounds(static_cast<Index>(k)).head;
    if (next != head)
      throw InvalidArgument(concat("the saved priorities of stream ", k, " end before row ", next,
                                   ", the stored rows before row ", head,
                                   "; load them with the rows they were saved with"));
    distributions.push_back(make_distribution_());
    distributions.back()->load(in);
    if (distributions.back()->next_slot() != slot_of(next))
      throw CorruptData(concat("the saved priorities of stream ", k, " continue at slot ",
                               distributions.back()->next_slot(), " instead of ", slot_of(next)));
  }
  return distributions;
}

void PriorityStreams::apply(Distributions distributions) {
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    Stream& s = streams_[k];
    const std::lock_guard lock(s.mutex);
    s.distribution = std::move(distributions[k]);
    s.next = store_.bounds(static_cast<Index>(k)).head;
    s.in_step = true;
  }
}

}  // namespace mneme
