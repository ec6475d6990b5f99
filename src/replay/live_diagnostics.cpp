// replay/live_diagnostics.cpp - counting draws, and what can be said from the counts.
#include "replay/live_diagnostics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/replay_buffer.h"

namespace mneme {
namespace {

// Rows in all streams: up to so many each is tracked, beyond that about so many of them. Few enough
// that their counters stay in the cache while rows pass through it.
constexpr double kTrackAll = 65'536, kTrackSome = 16'384;
constexpr std::uint64_t kSearchEvery = 32;                  // batches
constexpr std::uint64_t kStateTag = 0x3165766c6d656e6dULL;  // "mnemlve1"

std::size_t fast_bin(std::uint64_t value) {
  const auto octave = static_cast<unsigned>(std::bit_width(value | 8)) - 4;  // 0 below 16
  return 8 * octave + (value >> octave);
}

double ratio(double above, double below) {
  return below > 0 ? above / below : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::uint64_t> without_zeros_at_the_end(std::vector<std::uint64_t> bins) {
  while (!bins.empty() && bins.back() == 0) bins.pop_back();
  return bins;
}

}  // namespace

int bin_of(Index value) {
  if (value < 0)
    throw InvalidArgument(concat("bin_of(", value, "): ages and counts are 0 or more"));
  return static_cast<int>(fast_bin(static_cast<std::uint64_t>(value)));
}

Index first_of_bin(int bin) {
  if (bin < 0 || bin > 487)
    throw InvalidArgument(concat("first_of_bin(", bin, "): allowed are 0 to 487"));
  if (bin < 16) return bin;
  const int octave = bin / 8 - 1;
  return static_cast<Index>(bin - 8 * octave) << octave;
}

DrawCounter::DrawCounter(const StreamStore& store)
    : store_(&store), streams_(static_cast<std::size_t>(store.streams())), spans_(streams_.size()) {
  const double rows = static_cast<double>(store.streams()) * static_cast<double>(store.capacity());
  while (rows > kTrackAll && std::ldexp(kTrackSome, static_cast<int>(shift_)) < rows) ++shift_;
  mask_ = (std::uint64_t{1} << shift_) - 1;
  // Live rows lie across one block more than they fill.
  blocks_ =
      std::bit_ceil((static_cast<std::size_t>(store.capacity()) >> shift_) + (shift_ > 0 ? 2 : 0));
  reset();
}

void DrawCounter::reset() {
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const std::uint64_t head = store_->bounds(static_cast<Index>(s)).head;
    streams_[s] = {head, head};
  }
  counters_.assign(streams_.size() * blocks_, 0);
  totals_ = {};
  ages_.assign(kBins, 0);
  odd_ages_.assign(kBins, 0);
  replays_.assign(kBins, 0);
  rows_evicted_ = replay_sum_ = 0;
  applied_ = stale_ = refused_ = 0;
  cuts_at_reset_ = store_->cuts();
}

// Rows below `oldest` are gone. Their counters are empty from then on, for the rows that follow in
// the same place.
void DrawCounter::collect(std::size_t stream, std::uint64_t oldest) {
  std::uint64_t& done = streams_[stream].evicted;
  if (oldest <= done) return;
  for (std::uint64_t block = done >> shift_; block <= (oldest - 1) >> shift_; ++block) {
    const std::uint64_t hash = block * 0x9e3779b97f4a7c15ULL;
    const std::uint64_t row = (block << shift_) | ((hash >> 40) & mask_);
    if (row >= done && row < oldest) {
      std::uint16_t& count = counter(stream, row);
      ++replays_[fast_bin(count)];
      replay_sum_ += count;
      ++rows_evicted_;
      count = 0;
    }
  }
  done = oldest;
}

void DrawCounter::note(std::span<const TransitionAssembler::Start> drawn,
                       std::span<const StreamStore::Bounds> bounds, Index below, Index above) {
  seen_.reserve(
      std::bit_ceil(2 * drawn.size()));  // with the first batch of a size, searched or not
  if (totals_.batches++ % kSearchEvery == 0) search(drawn);
  totals_.draws += drawn.size();
  for (std::size_t s = 0; s < bounds.size(); ++s)
    if (bounds[s].oldest > streams_[s].evicted) collect(s, bounds[s].oldest);

  for (const TransitionAssembler::Start& start : drawn)
    if (tracked(start.sequence)) count_replay(start);
  if (with_ages(totals_.batches - 1)) note_ages(drawn, bounds, below, above);
}

void DrawCounter::note_ages(std::span<const TransitionAssembler::Start> drawn,
                            std::span<const StreamStore::Bounds> bounds, Index below, Index above) {
  // recency: index among the starts, over their number less one
  const auto span_of = [&](const StreamStore::Bounds& b) {
    const Index starts = std::max<Index>(1, b.size() - above - (b.oldest > 0 ? below : 0));
    totals_.most_starts = std::max(totals_.most_starts, starts + above);
    return Span{b.head - 1, b.head - 1 - static_cast<std::uint64_t>(above),
                starts > 1 ? 1 / static_cast<double>(starts - 1) : 0.0};
  };
  // Two histograms take turns: neighbors in a batch often fall into the same bin, and the second
  // would wait for the first.
  std::uint64_t* const bins[2]{ages_.data(), odd_ages_.data()};
  std::uint64_t age_sum = 0;
  double lag_sum = 0;
  const auto age_of = [](const TransitionAssembler::Start& start, std::uint64_t newest) {
    // A row drawn a second time may be newer than the bounds.
    return newest - std::min(newest, start.sequence);
  };
  if (bounds.size() == 1) {
    const Span span = span_of(bounds[0]);
    std::uint64_t lags = 0;
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      const std::uint64_t age = age_of(drawn[k], span.head);
      ++bins[k % 2][fast_bin(age)];
      age_sum += age;
      lags += age_of(drawn[k], span.top);
    }
    lag_sum = static_cast<double>(lags) * span.scale;
  } else {
    const bool each = bounds.size() <= drawn.size();
    for (std::size_t s = 0; each && s < bounds.size(); ++s) spans_[s] = span_of(bounds[s]);
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      const auto s = static_cast<std::size_t>(drawn[k].stream);
      const Span span = each ? spans_[s] : span_of(bounds[s]);
      const std::uint64_t age = age_of(drawn[k], span.head);
      ++bins[k % 2][fast_bin(age)];
      age_sum += age;
      lag_sum += static_cast<double>(age_of(drawn[k], span.top)) * span.scale;
    }
  }
  totals_.age_sum += static_cast<double>(age_sum);
  totals_.recency_sum += static_cast<double>(drawn.size()) - lag_sum;
  totals_.aged_draws += drawn.size();
}

void DrawCounter::count_replay(const TransitionAssembler::Start& start) {
  const auto s = static_cast<std::size_t>(start.stream);
  const auto ring = static_cast<std::uint64_t>(store_->capacity());
  if (start.sequence >= streams_[s].evicted + ring) collect(s, start.sequence + 1 - ring);
  if (start.sequence < streams_[s].evicted) return;
  std::uint16_t& replays = counter(s, start.sequence);
  replays = static_cast<std::uint16_t>(replays + (replays < 0xffff ? 1 : 0));
}

// Distinct rows of one batch, by an open hash table twice its size.
void DrawCounter::search(std::span<const TransitionAssembler::Start> drawn) {
  const std::size_t room = std::bit_ceil(2 * drawn.size());
  const int shift = 64 - std::countr_zero(room);
  seen_.assign(room, ~std::uint64_t{});
  for (const TransitionAssembler::Start& start : drawn) {
    const std::uint64_t id = static_cast<std::uint64_t>(start.stream) << 44 | start.sequence;
    std::size_t at = static_cast<std::size_t>((id * 0x9e3779b97f4a7c15ULL) >> shift);
    while (seen_[at] != id && seen_[at] != ~std::uint64_t{}) at = (at + 1) & (room - 1);
    totals_.unique += seen_[at] != id ? 1 : 0;
    seen_[at] = id;
  }
  ++totals_.searched;
  totals_.searched_draws += drawn.size();
}

void DrawCounter::note(const FeedbackReport& report) {
  applied_ += static_cast<std::uint64_t>(report.applied);
  stale_ += static_cast<std::uint64_t>(report.stale);
  refused_ += static_cast<std::uint64_t>(report.refused);
}

void DrawCounter::take_back(const Totals& before, std::span<const std::uint64_t> ids,
                            std::span<const Index> ages) {
  // the batch after `before`; with several, the last one comes first
  const bool aged = with_ages(before.batches);
  totals_ = before;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::size_t bin = fast_bin(static_cast<std::uint64_t>(ages[k]));
    // A row that was drawn a second time may have been counted one bin further.
    if (std::uint64_t& count = (k % 2 == 0 ? ages_ : odd_ages_)[bin]; aged && count > 0) --count;
    const auto s = static_cast<std::size_t>(ReplayBuffer::stream_of(ids[k]));
    const std::uint64_t sequence = ReplayBuffer::sequence_of(ids[k]);
    // What has been collected meanwhile stays as it was counted.
    if (!tracked(sequence) || sequence < streams_[s].evicted) continue;
    std::uint16_t& replays = counter(s, sequence);
    replays = static_cast<std::uint16_t>(replays - (replays > 0 ? 1 : 0));
  }
}

LiveDiagnostics DrawCounter::result() const {
  LiveDiagnostics live;
  // Rows that left since the last batch count as well.
  DrawCounter now = *this;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const StreamStore::Bounds bounds = store_->bounds(static_cast<Index>(s));
    now.collect(s, bounds.oldest);
    live.rows_added += bounds.head - streams_[s].first;
  }
  const auto aged = static_cast<double>(totals_.aged_draws);
  live.batches = totals_.batches;
  live.draws = totals_.draws;
  live.draws_by_age = totals_.aged_draws;
  live.replay_volume =
      ratio(static_cast<double>(totals_.draws), static_cast<double>(live.rows_added));
  live.mean_age = ratio(totals_.age_sum, aged);
  live.expected_recency = ratio(totals_.recency_sum, aged);
  live.reference_recency = 1 - ratio(totals_.age_sum, aged) /
                                   static_cast<double>(std::max<Index>(1, store_->capacity() - 1));
  for (std::size_t b = 0; b < kBins; ++b) now.ages_[b] += odd_ages_[b];
  live.age_histogram = without_zeros_at_the_end(now.ages_);

  double entropy = 0, met = 0;
  for (std::size_t b = 0; b < live.age_histogram.size(); ++b) {
    if (now.ages_[b] == 0) continue;
    met += 1;
    const Index first = first_of_bin(static_cast<int>(b)),
                end = std::min(first_of_bin(static_cast<int>(b) + 1),
                               std::max(totals_.most_starts, first + 1));
    const double share = static_cast<double>(now.ages_[b]) / aged;
    entropy -= share * std::log(share / static_cast<double>(end - first));
  }
  live.sampling_entropy = aged > 0 ? entropy + (met - 1) / (2 * aged) : ratio(0, 0);

  live.tracked_share = 1 / static_cast<double>(mask_ + 1);
  live.rows_evicted = now.rows_evicted_;
  const auto evicted = static_cast<double>(now.rows_evicted_);
  live.replays_per_row = ratio(static_cast<double>(now.replay_sum_), evicted);
  live.never_replayed = ratio(static_cast<double>(now.replays_[0]), evicted);
  live.replay_histogram = without_zeros_at_the_end(now.replays_);
  live.batches_searched = totals_.searched;
  live.unique_share =
      ratio(static_cast<double>(totals_.unique), static_cast<double>(totals_.searched_draws));
  live.feedback_applied = applied_;
  live.feedback_stale = stale_;
  live.feedback_refused = refused_;
  live.cuts = store_->cuts() - cuts_at_reset_;
  return live;
}

void DrawCounter::save(StateWriter& out) const {
  out.put(kStateTag);
  out.put(static_cast<std::uint64_t>(shift_));
  out.put(static_cast<std::uint64_t>(counters_.size()));
  for (const Stream& s : streams_) {
    out.put(s.first);
    out.put(s.evicted);
  }
  out.put_all(std::span<const std::uint16_t>(counters_));
  for (const std::uint64_t n : {totals_.batches, totals_.draws, totals_.aged_draws,
                                totals_.searched, totals_.searched_draws, totals_.unique})
    out.put(n);
  out.put(totals_.age_sum);
  out.put(totals_.recency_sum);
  out.put(totals_.most_starts);
  out.put_all(std::span<const std::uint64_t>(ages_));
  out.put_all(std::span<const std::uint64_t>(odd_ages_));
  out.put_all(std::span<const std::uint64_t>(replays_));
  // cuts as a number of their own: the store may begin to count anew
  for (const std::uint64_t n :
       {rows_evicted_, replay_sum_, applied_, stale_, refused_, store_->cuts() - cuts_at_reset_})
    out.put(n);
}

DrawCounter DrawCounter::load(StateReader& in) const {
  DrawCounter made(*store_);
  if (in.get<std::uint64_t>() != kStateTag)
    throw CorruptData("these are not the saved diagnostics of a reader");
  if (in.get<std::uint64_t>() != shift_ || in.get<std::uint64_t>() != counters_.size())
    throw InvalidArgument("the saved diagnostics belong to a buffer of another size");
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    made.streams_[s] = {in.get<std::uint64_t>(), in.get<std::uint64_t>()};
    const std::uint64_t head = store_->bounds(static_cast<Index>(s)).head;
    if (made.streams_[s].first > head || made.streams_[s].evicted > head)
      throw CorruptData(
          concat("the saved diagnostics of stream ", s, " count rows that are not stored yet"));
  }
  in.get_all(std::span<std::uint16_t>(made.counters_));
  Totals& t = made.totals_;
  for (std::uint64_t* n :
       {&t.batches, &t.draws, &t.aged_draws, &t.searched, &t.searched_draws, &t.unique})
    *n = in.get<std::uint64_t>();
  t.age_sum = in.get<double>();
  t.recency_sum = in.get<double>();
  t.most_starts = in.get<Index>();
  if (!(t.age_sum >= 0) || !std::isfinite(t.recency_sum) || t.most_starts < 0 ||
      t.most_starts > store_->capacity())
    throw CorruptData("the saved diagnostics do not fit together");
  in.get_all(std::span<std::uint64_t>(made.ages_));
  in.get_all(std::span<std::uint64_t>(made.odd_ages_));
  in.get_all(std::span<std::uint64_t>(made.replays_));
  std::uint64_t cuts = 0;
  for (std::uint64_t* n : {&made.rows_evicted_, &made.replay_sum_, &made.applied_, &made.stale_,
                           &made.refused_, &cuts})
    *n = in.get<std::uint64_t>();
  made.cuts_at_reset_ = store_->cuts() - cuts;
  return made;
}

}  // namespace mneme
