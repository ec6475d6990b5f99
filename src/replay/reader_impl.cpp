// replay/reader_impl.cpp - choosing rows, and reading again what a writer took away.
#include "replay/reader_impl.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/replay_buffer.h"
#include "replay/columns.h"

namespace mneme {
namespace {

// What the random numbers of a reader are for; see mneme/rng.h.
constexpr std::uint32_t kChooseStream = 1, kChooseIndex = 2;
constexpr std::uint64_t kStateTag = 0x3172656461657264ULL;  // "dreader1"

// FNV-1a; 0 for the buffer's own reader, whose numbers are those of the plain seed.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return name.empty() ? 0 : hash;
}

Rng rng_of(const SamplingConfig& config, std::string_view name, std::uint32_t purpose) {
  const std::uint64_t hash = hash_of(name);
  return Rng(config.seed ^ hash, purpose, static_cast<std::uint32_t>(hash >> 32));
}

SamplingConfig checked(SamplingConfig config, Index capacity) {
  const auto at_least_one = [](const char* name, Index value) {
    if (value < 1) throw InvalidArgument(concat(name, " must be at least 1, got ", value));
  };
  at_least_one("n_step", config.n_step);
  at_least_one("stack", config.stack);
  if (config.n_step > capacity)
    throw InvalidArgument(concat("n_step is ", config.n_step, " but a stream holds only ", capacity,
                                 " transitions; raise the capacity"));
  if (config.stack > capacity)
    throw InvalidArgument(concat("stack is ", config.stack, " but a stream holds only ", capacity,
                                 " transitions; raise the capacity"));
  if (!(config.discount >= 0 && config.discount <= 1))
    throw InvalidArgument(concat("discount must be in [0, 1], got ", config.discount));
  return config;
}

}  // namespace

ReplayReader::Impl::Impl(std::string name, const SamplingConfig& config, const StreamStore& store)
    : name_(std::move(name)),
      config_(checked(config, store.capacity())),
      store_(store),
      assembler_(store, config.n_step, config.discount, config.stack),
      priorities_(PriorityStreams::make(config, store)),
      sampler_(make_sampler(priorities_ ? "uniform" : config.sampler)),
      policy_(config.stream_policy, store.streams()),
      stream_rng_(rng_of(config, name_, kChooseStream)),
      index_rng_(rng_of(config, name_, kChooseIndex)),
      bounds_(static_cast<std::size_t>(store.streams())),
      order_(store.streams()) {
  if (config_.diagnostics) counter_.emplace(store);
}

ReplayReader::Impl::Starts ReplayReader::Impl::starts(const StreamStore::Bounds& b) const {
  // A stack must not reach below the oldest row, unless nothing was ever evicted.
  const Index first = b.oldest > 0 ? config_.stack - 1 : 0;
  const Index incomplete = config_.horizon == Horizon::full ? config_.n_step - 1 : 0;
  return {first, std::max<Index>(0, b.size() - first - incomplete)};
}

BufferView ReplayReader::Impl::view_of(const Starts& s) const {
  const Index capacity =
      store_.capacity() - (config_.horizon == Horizon::full ? config_.n_step - 1 : 0);
  return {.size = s.size, .capacity = std::max(capacity, s.size), .progress = progress_};
}

void ReplayReader::Impl::snapshot() {
  for (std::size_t s = 0; s < bounds_.size(); ++s)
    bounds_[s] = store_.bounds(static_cast<Index>(s));
}

void ReplayReader::Impl::require_starts() const {
  for (std::size_t s = 0; s < bounds_.size(); ++s) {
    if (starts(bounds_[s]).size < 1)
      throw InvalidArgument(concat("stream ", s, " holds ", bounds_[s].size(),
                                   " transitions, and no complete window of ", config_.n_step,
                                   " steps starts there yet; add more before sampling"));
    if (priorities_ && !priorities_->can_draw(static_cast<Index>(s)))
      throw InvalidArgument(concat("every row of stream ", s, " that could be drawn has priority ",
                                   "0; give feedback above 0, or set eps above 0"));
  }
}

// Streams and sequence numbers of a batch into `drawn_`. All streams at the same size (the common
// case) share one call.
void ReplayReader::Impl::draw(std::size_t count) {
  drawn_streams_.resize(count);
  drawn_.resize(count);
  indices_.resize(count);
  policy_.assign(stream_rng_, drawn_streams_);
  if (priorities_) return draw_by_priority(count);
  const Starts common = starts(bounds_[0]);
  const bool lockstep =
      std::all_of(bounds_.begin(), bounds_.end(), [&](const StreamStore::Bounds& b) {
        const Starts s = starts(b);
        return s.size == common.size && s.first == common.first;
      });
  if (lockstep) {
    sampler_->sample(view_of(common), index_rng_, indices_);
  } else {
    // Each stream gets its own distribution, but all are part of one batch.
    group_.resize(count);
    const std::uint64_t batch_number = sampler_->batches();
    by_stream(count, [&](std::size_t stream, std::span<const std::uint32_t> members) {
      sampler_->set_batches(batch_number);
      sampler_->sample(view_of(starts(bounds_[stream])), index_rng_,
                       std::span(group_).first(members.size()));
      for (std::size_t k = 0; k < members.size(); ++k) indices_[members[k]] = group_[k];
    });
    sampler_->set_batches(batch_number + 1);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const StreamStore::Bounds& b = bounds_[static_cast<std::size_t>(drawn_streams_[k])];
    drawn_[k] = {drawn_streams_[k],
                 b.oldest + static_cast<std::uint64_t>(starts(b).first + indices_[k])};
  }
}

// Calls use(stream, positions in the batch) for every stream that was chosen, in ascending order.
template <class Use>
void ReplayReader::Impl::by_stream(std::size_t count, const Use& use) {
  order_.each(
      count, [&](std::size_t k) { return static_cast<std::size_t>(drawn_streams_[k]); }, use);
}

void ReplayReader::Impl::draw_by_priority(std::size_t count) {
  weights_.resize(count);
  sequences_.resize(count);
  group_weights_.resize(count);
  by_stream(count, [&](std::size_t stream, std::span<const std::uint32_t> members) {
    const std::span<std::uint64_t> chosen = std::span(sequences_).first(members.size());
    const std::span<float> own = std::span(group_weights_).first(members.size());
    priorities_->draw(static_cast<Index>(stream), bounds_[stream], progress_, index_rng_, chosen,
                      own);
    for (std::size_t k = 0; k < members.size(); ++k) {
      drawn_[members[k]] = {static_cast<Index>(stream), chosen[k]};
      weights_[members[k]] = own[k];
    }
  });
}

// Another draw for position k, after a writer has taken the row away. The other rows keep the
// bounds they were read with.
StreamStore::Bounds ReplayReader::Impl::draw_again(std::size_t k) {
  TransitionAssembler::Start& start = drawn_[k];
  StreamStore::Bounds now = store_.bounds(start.stream);
  const Starts open = starts(now);
  if (open.size < 1)
    throw InvalidArgument(concat("stream ", start.stream, " was emptied while it was sampled"));
  if (priorities_) {
    priorities_->draw(start.stream, now, progress_, index_rng_, {&start.sequence, 1},
                      {&weights_[k], 1});
  } else {
    Index index = 0;
    const std::uint64_t batch_number = sampler_->batches();
    sampler_->sample(view_of(open), index_rng_, {&index, 1});
    sampler_->set_batches(batch_number);
    start.sequence = now.oldest + static_cast<std::uint64_t>(open.first + index);
  }
  return now;
}

// Whether no stream has moved on since its bounds were taken. Only asked where it is cheap.
bool ReplayReader::Impl::untouched() const {
  if (bounds_.size() > drawn_.size()) return false;
  for (std::size_t s = 0; s < bounds_.size(); ++s)
    if (!store_.still_valid(static_cast<Index>(s), bounds_[s].oldest, bounds_[s])) return false;
  return true;
}

// Draws, and fills all rows with read(start, place, bounds, k). What a writer changed meanwhile is
// drawn and read again; `reach` rows before a start are read with it.
template <class View, class Read>
void ReplayReader::Impl::fill(const View& batch, Index reach, const Read& read) {
  snapshot();
  require_starts();
  draw(batch.size);
  constexpr std::size_t kAhead = 12, kPlaces = 16;
  std::array<TransitionAssembler::Place, kPlaces> places;
  const std::size_t count = batch.size;
  for (std::size_t k = 0; k < std::min(kAhead, count); ++k)
    places[k] = assembler_.prefetch(drawn_[k]);
  for (std::size_t k = 0; k < count; ++k) {
    if (k + kAhead < count)
      places[(k + kAhead) % kPlaces] = assembler_.prefetch(drawn_[k + kAhead]);
    read(drawn_[k], places[k % kPlaces], bounds_[static_cast<std::size_t>(drawn_[k].stream)], k);
  }
  if (!untouched()) {
    for (std::size_t k = 0; k < count; ++k) {
      StreamStore::Bounds bounds = bounds_[static_cast<std::size_t>(drawn_[k].stream)];
      const auto lowest = [&] {
        const std::uint64_t wanted = drawn_[k].sequence;
        return std::max(bounds.oldest,
                        wanted - std::min(wanted, static_cast<std::uint64_t>(reach)));
      };
      while (!store_.still_valid(drawn_[k].stream, lowest(), bounds)) {
        bounds = draw_again(k);  // evicted or cut under our hands
        read(drawn_[k], assembler_.prefetch(drawn_[k]), bounds, k);
      }
    }
  }
  if (priorities_ && !batch.weight.empty())
    std::copy_n(weights_.begin(), count, batch.weight.begin());
  if (counter_)
    counter_->note(drawn_, bounds_, config_.stack - 1,
                   config_.horizon == Horizon::full ? config_.n_step - 1 : 0);
}

void ReplayReader::Impl::check(const BatchView& batch, Columns wanted) const {
  check_columns(batch, store_.layout(), assembler_.stacked_count(), wanted == Columns::all);
}

void ReplayReader::Impl::check(const SequenceView& batch, Columns wanted) const {
  check_columns(batch, store_.layout(), assembler_.stacked_count(), wanted == Columns::all);
}

void ReplayReader::Impl::sample(const BatchView& batch) {
  check(batch, Columns::any);
  const std::lock_guard lock(mutex_);
  sample_locked(batch);
}

void ReplayReader::Impl::sample(Batch& batch) {
  const std::lock_guard lock(mutex_);
  show(batch, view_);
  check(view_, Columns::all);
  sample_locked(view_);
}

void ReplayReader::Impl::check_ahead(const BatchView& batch) const {
  check(batch, Columns::any);
  if (batch.id.empty() || batch.age.empty())
    throw InvalidArgument("a batch that is drawn ahead needs the columns id and age");
}

ReplayReader::Impl::Mark ReplayReader::Impl::sample_ahead(const BatchView& batch) {
  const std::lock_guard lock(mutex_);
  const Mark mark{stream_rng_.state(), index_rng_.state(), sampler_->batches(),
                  counter_ ? counter_->totals() : DrawCounter::Totals{}};
  sample_locked(batch);
  return mark;
}

void ReplayReader::Impl::go_back(const Mark& mark, const BatchView& batch) {
  const std::lock_guard lock(mutex_);
  stream_rng_ = Rng(mark.stream_rng);
  index_rng_ = Rng(mark.index_rng);
  sampler_->set_batches(mark.batches);
  if (counter_) counter_->take_back(mark.totals, batch.id, batch.age);
}

void ReplayReader::Impl::sample_locked(const BatchView& batch) {
  fill(batch, config_.stack - 1,
       [&](const TransitionAssembler::Start& start, const TransitionAssembler::Place& place,
           const StreamStore::Bounds& bounds,
           std::size_t k) { assembler_.read(start, place, bounds, batch, k); });
}

void ReplayReader::Impl::sample(const SequenceView& batch) {
  check(batch, Columns::any);
  const std::lock_guard lock(mutex_);
  fill(batch, config_.stack - 1 + batch.burn_in,
       [&](const TransitionAssembler::Start& start, const TransitionAssembler::Place&,
           const StreamStore::Bounds& bounds,
           std::size_t k) { assembler_.read(start, bounds, batch, k); });
}

void ReplayReader::Impl::sample(SequenceBatch& batch) {
  const std::lock_guard lock(mutex_);
  show(batch, sequence_view_);
  check(sequence_view_, Columns::all);
  fill(sequence_view_, config_.stack - 1 + batch.burn_in,
       [&](const TransitionAssembler::Start& start, const TransitionAssembler::Place&,
           const StreamStore::Bounds& bounds,
           std::size_t k) { assembler_.read(start, bounds, sequence_view_, k); });
}

Batch ReplayReader::Impl::make_batch(std::size_t size) const {
  return batch_for(size, store_.layout(), assembler_.stacked_count());
}

SequenceBatch ReplayReader::Impl::make_sequences(std::size_t size, Index length,
                                                 Index burn_in) const {
  if (size < 1 || length < 1 || burn_in < 0)
    throw InvalidArgument(concat("sequences: ", size, " windows of ", length, " steps with ",
                                 burn_in, " of burn-in; at least 1, 1 and 0"));
  if (length > store_.capacity() || burn_in > store_.capacity() - length)
    throw InvalidArgument(concat("sequences of ", length, " steps after ", burn_in,
                                 " of burn-in in streams of ", store_.capacity(),
                                 "; raise the capacity"));
  return sequences_for(size, length + burn_in, burn_in, store_.layout(),
                       assembler_.stacked_count());
}

FeedbackReport ReplayReader::Impl::update_priorities(std::span<const std::uint64_t> ids,
                                                     std::span<const float> td_errors) {
  if (ids.size() != td_errors.size())
    throw InvalidArgument(concat(ids.size(), " ids but ", td_errors.size(),
                                 " TD errors; pass one for each row of a batch"));
  for (const std::uint64_t id : ids) {
    const Index stream = ReplayBuffer::stream_of(id);
    if (stream >= store_.streams() || ReplayBuffer::sequence_of(id) >= store_.bounds(stream).head)
      throw InvalidArgument(
          concat("id ", id, " names no row of this buffer; pass ids returned by sample()"));
  }
  const std::lock_guard lock(mutex_);
  if (!priorities_) return {.ignored = static_cast<Index>(ids.size())};
  const FeedbackReport report = priorities_->update(ids, td_errors);
  if (counter_) counter_->note(report);
  return report;
}

void ReplayReader::Impl::set_progress(double progress) {
  if (!(progress >= 0 && progress <= 1))
    throw InvalidArgument(concat("progress must be in [0, 1], got ", progress));
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

LiveDiagnostics ReplayReader::Impl::diagnostics() const {
  const std::lock_guard lock(mutex_);
  if (!counter_)
    throw InvalidArgument(
        "the diagnostics of this reader are off; make it with diagnostics = true");
  return counter_->result();
}

void ReplayReader::Impl::reset_diagnostics() {
  const std::lock_guard lock(mutex_);
  if (counter_) counter_->reset();
}

namespace {

void put_rng(StateWriter& out, const Rng::State& state) {
  out.put(state.seed);
  out.put(state.purpose);
  out.put(state.stream);
  out.put(state.position);
}

Rng get_rng(StateReader& in, std::uint32_t purpose) {
  Rng::State state;
  state.seed = in.get<std::uint64_t>();
  state.purpose = in.get<std::uint32_t>();
  state.stream = in.get<std::uint32_t>();
  state.position = in.get<std::uint64_t>();
  if (state.purpose != purpose)
    throw CorruptData("the saved state of a reader has other generators");
  return Rng(state);
}

// All that must be the same for a saved state to mean what it meant. The seed is not part of it:
// the generators are.
std::string outline(const SamplingConfig& c, const std::string& sampler, const StreamStore& store) {
  return concat(sampler, "; ", c.stream_policy, "; n_step=", c.n_step,
                " discount=", shortest_number(c.discount),
                c.horizon == Horizon::full ? " full" : " clip", " stack=", c.stack,
                " streams=", store.streams(), " capacity=", store.capacity());
}

}  // namespace

void ReplayReader::Impl::attach(Ahead& ahead) {
  const std::lock_guard lock(ahead_mutex_);
  ahead_.push_back(&ahead);
}

void ReplayReader::Impl::detach(Ahead& ahead) {
  const std::lock_guard lock(ahead_mutex_);
  std::erase(ahead_, &ahead);
}

void ReplayReader::Impl::save(StateWriter& out) const {
  const std::lock_guard lock(ahead_mutex_);
  struct Hold {  // resumes also if saving fails
    explicit Hold(Ahead& a) : ahead(a) { ahead.hold(); }
    ~Hold() { ahead.resume(); }
    Ahead& ahead;
  };
  std::deque<Hold> holds;
  for (Ahead* ahead : ahead_) holds.emplace_back(*ahead);
  save_state(out);
}

void ReplayReader::Impl::save_state(StateWriter& out) const {
  const std::lock_guard lock(mutex_);
  const std::string text =
      outline(config_, priorities_ ? priorities_->spec() : sampler_->spec(), store_);
  out.put(kStateTag);
  out.put(static_cast<std::uint64_t>(text.size()));
  out.put_all(std::span<const char>(text));
  put_rng(out, stream_rng_.state());
  put_rng(out, index_rng_.state());
  out.put(sampler_->batches());
  out.put(progress_);
  if (priorities_) priorities_->save(out);
  out.put(static_cast<std::uint8_t>(counter_.has_value()));
  if (counter_) counter_->save(out);
}

void ReplayReader::Impl::load(StateReader& in) {
  const std::lock_guard lock(mutex_);
  const std::string text =
      outline(config_, priorities_ ? priorities_->spec() : sampler_->spec(), store_);
  if (in.get<std::uint64_t>() != kStateTag)
    throw CorruptData("this is not the saved state of a reader");
  const auto length = in.get<std::uint64_t>();
  if (length > (std::uint64_t{1} << 24))
    throw CorruptData(
        concat("the saved state of a reader has a description of ", length, " bytes"));
  std::string saved(static_cast<std::size_t>(length), ' ');
  in.get_all(std::span<char>(saved));
  if (saved != text)
    throw InvalidArgument(concat("the state was saved by a reader with ", saved,
                                 " and cannot be loaded by one with ", text));
  const Rng stream_rng = get_rng(in, kChooseStream), index_rng = get_rng(in, kChooseIndex);
  const auto batches = in.get<std::uint64_t>();
  const auto progress = in.get<double>();
  if (!(progress >= 0 && progress <= 1))
    throw CorruptData(concat("the saved progress is ", progress));
  PriorityStreams::Distributions distributions;
  if (priorities_) distributions = priorities_->load(in);
  // Diagnostics do not decide what is drawn: where they are off they are left out.
  std::optional<DrawCounter> counter;
  if (in.get<std::uint8_t>() != 0) counter = DrawCounter(store_).load(in);

  // everything fits; nothing below throws
  stream_rng_ = stream_rng;
  index_rng_ = index_rng;
  sampler_->set_batches(batches);
  progress_ = progress;
  if (counter_ && counter) counter_ = std::move(counter);
  if (priorities_) priorities_->apply(std::move(distributions));
}

}  // namespace mneme
