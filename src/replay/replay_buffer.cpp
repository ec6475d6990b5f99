// replay/replay_buffer.cpp - rows in, readers out, and the checks at the edge.
#include "mneme/replay_buffer.h"

#include <cmath>
#include <cstring>
#include <thread>

#include "base/text.h"
#include "mneme/error.h"
#include "replay/buffer_impl.h"
#include "replay/columns.h"
#include "replay/transition_assembler.h"

namespace mneme {
namespace {

SamplingConfig own_sampling(const ReplayConfig& c) {
  return {.sampler = c.sampler,
          .stream_policy = c.stream_policy,
          .n_step = c.n_step,
          .discount = c.discount,
          .horizon = c.horizon,
          .stack = c.stack,
          .seed = c.seed,
          .diagnostics = c.diagnostics};
}

std::unique_ptr<Archive> created(const ReplayConfig& c) {
  if (c.commit_every < 0 || (c.commit_every > 0 && c.path.empty()))
    throw InvalidArgument(concat("commit_every is ", c.commit_every, "; it takes a buffer with a ",
                                 "path, and 0 or more transitions"));
  if (c.path.empty()) return nullptr;
  return Archive::create(Disk::real(), c.path,
                         StreamStore::shape_for(layout_of(c), c.streams, c.capacity));
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

ReplayBuffer::Impl::Impl(const ReplayConfig& given, std::unique_ptr<Archive> files)
    : config(given),
      archive(std::move(files)),
      store(archive
                ? StreamStore(layout_of(config), config.streams, config.capacity, archive->blocks())
                : StreamStore(layout_of(config), config.streams, config.capacity)),
      gate(static_cast<std::size_t>(config.streams)),
      own(std::make_unique<ReplayReader::Impl>("", own_sampling(config), store)) {
  own->take_stored_rows();
  const RowLayout& layout = store.layout();
  scratch.resize(static_cast<std::size_t>(config.streams));
  for (auto& bytes : scratch) bytes.resize(2 * layout.observation_bytes + layout.side_stride);
}

ReplayReader::Impl* ReplayBuffer::Impl::find(std::string_view name) const {
  ReplayReader::Impl* found = nullptr;
  each_reader([&](ReplayReader::Impl& reader) { found = reader.name() == name ? &reader : found; });
  return found;
}

ReplayReader::Impl& ReplayBuffer::Impl::add_reader(std::string_view name,
                                                   const SamplingConfig& sampling) {
  const std::lock_guard lock(adding);
  if (name.empty() || find(name) != nullptr)
    throw InvalidArgument(concat("a reader cannot be added as '", name,
                                 "'; give it a name that no other reader of this buffer has"));
  auto made = std::make_unique<ReplayReader::Impl>(std::string(name), sampling, store);
  ReplayReader::Impl* last = own.get();
  while (ReplayReader::Impl* next = last->next.load(std::memory_order_relaxed)) last = next;
  others.push_back(std::move(made));
  ReplayReader::Impl& reader = *others.back();
  last->next.store(&reader, std::memory_order_release);
  reader.take_stored_rows();  // and what writers append from now on reaches it
  return reader;
}

void ReplayBuffer::Impl::check_stream(Index stream) const {
  if (stream < 0 || stream >= config.streams)
    throw InvalidArgument(concat("stream ", stream, " is outside [0, ", config.streams, ")"));
}

void ReplayBuffer::Impl::append(Index stream, std::size_t row, const Values& observation,
                                const Values& action, float reward, const Values& next,
                                bool terminated, bool truncated,
                                const std::vector<Values>& extras) {
  const RowLayout& layout = store.layout();
  std::byte* memory = scratch[static_cast<std::size_t>(stream)].data();
  std::byte *now = memory, *after = memory + layout.observation_bytes,
            *side = after + layout.observation_bytes;
  const auto row_of = [row](const Values& values, std::size_t count) {
    return static_cast<const std::byte*>(values.data()) + row * count * size_of(values.type());
  };
  const auto take = [&](const Values& values, std::size_t count, DType type, void* to) {
    convert(row_of(values, count), values.type(), to, type, count);
  };
  // Observations that come in the type they are stored in go where they belong without a stop.
  const auto observed = [&](const Values& values, std::byte* room) -> const void* {
    if (values.type() == layout.observation_type) return row_of(values, layout.observation_count);
    take(values, layout.observation_count, layout.observation_type, room);
    return room;
  };
  const void *given = observed(observation, now), *then = observed(next, after);
  const FieldPlace& action_place = layout.fields[RowLayout::kAction];
  take(action, action_place.count, action_place.type, side + action_place.offset);
  std::memcpy(side + layout.fields[RowLayout::kReward].offset, &reward, sizeof reward);
  for (std::size_t f = 0; f < extras.size(); ++f) {
    const FieldPlace& place = layout.fields[RowLayout::kExtras + f];
    take(extras[f], place.count, place.type, side + place.offset);
  }
  const End end = terminated ? End::terminated : truncated ? End::truncated : End::none;
  const StreamStore::Appended done = store.append(stream, {given, then, side, end});
  each_reader([&](ReplayReader::Impl& reader) {
    reader.on_append(stream, done.sequence, done.oldest, end != End::none, done.cut);
  });
}

void ReplayBuffer::Impl::check(std::size_t rows, const Values& observation, const Values& action,
                               const Values& next, const std::vector<Values>& extras) const {
  const RowLayout& layout = store.layout();
  check_values("observation", observation, rows * layout.observation_count,
               layout.observation_type);
  check_values("next_observation", next, rows * layout.observation_count, layout.observation_type);
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

ReplayBuffer::ReplayBuffer(const ReplayConfig& config)
    : impl_(std::make_shared<Impl>(config, created(config))) {
  // So that a directory which was once given to a buffer always holds one.
  if (impl_->archive) impl_->commit();
}
ReplayBuffer::ReplayBuffer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

ReplayBuffer::Impl& ReplayBuffer::impl() const {
  if (!impl_) throw InvalidArgument("this buffer is closed");
  return *impl_;
}

ReplayBuffer::~ReplayBuffer() = default;
ReplayBuffer::ReplayBuffer(ReplayBuffer&&) noexcept = default;
ReplayBuffer& ReplayBuffer::operator=(ReplayBuffer&&) noexcept = default;

void ReplayBuffer::add(const Transition& step) {
  Impl& self = impl();
  self.check_stream(step.stream);
  self.check(1, step.observation, step.action, step.next_observation, step.fields);
  if (!std::isfinite(step.reward))
    throw InvalidArgument(concat("the reward is ", step.reward, "; it must be finite"));
  {
    const WriterGate::Pass pass(self.gate, static_cast<std::size_t>(step.stream));
    self.append(step.stream, 0, step.observation, step.action, step.reward, step.next_observation,
                step.terminated, step.truncated, step.fields);
  }
  self.count_added(1);
}

void ReplayBuffer::add_all(const VectorStep& step) {
  Impl& self = impl();
  const auto streams = static_cast<std::size_t>(self.config.streams);
  self.check(streams, step.observation, step.action, step.next_observation, step.fields);
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
  {
    const WriterGate::Pass pass(self.gate, 0);
    // A disk that is full is so before the first stream, not in the middle of them.
    for (Index s = 0; self.archive && s < self.config.streams; ++s) self.store.make_room(s);
    constexpr Index kAhead = 4;  // streams whose memory is on its way while another is written
    for (std::size_t s = 0; s < streams; ++s) {
      if (const auto later = static_cast<Index>(s) + kAhead; later < self.config.streams)
        self.store.prefetch_append(later);
      self.append(static_cast<Index>(s), s, step.observation, step.action, step.reward[s],
                  step.next_observation, !step.terminated.empty() && step.terminated[s] != 0,
                  !step.truncated.empty() && step.truncated[s] != 0, step.fields);
    }
  }
  self.count_added(self.config.streams);
}

void ReplayBuffer::cut(Index stream) {
  Impl& self = impl();
  self.check_stream(stream);
  const WriterGate::Pass pass(self.gate, static_cast<std::size_t>(stream));
  if (self.store.cut(stream))
    self.each_reader([&](ReplayReader::Impl& reader) { reader.on_cut(stream); });
}

ReplayReader ReplayBuffer::add_reader(std::string_view name, const SamplingConfig& config) {
  return ReplayReader({impl_, &impl().add_reader(name, config)});
}

ReplayReader ReplayBuffer::reader(std::string_view name) const {
  ReplayReader::Impl* found = impl().find(name);
  if (found == nullptr) {
    std::vector<std::string> names;
    impl().each_reader([&](ReplayReader::Impl& reader) {
      if (!reader.name().empty()) names.push_back(reader.name());
    });
    throw NotFound(names.empty() ? concat("unknown reader '", name,
                                          "'; this buffer has only its own, which is reader()")
                                 : concat(unknown_name("reader", std::string(name), names),
                                          "; the buffer's own is reader()"));
  }
  return ReplayReader({impl_, found});
}

Batch ReplayBuffer::make_batch(std::size_t size) const { return impl().own->make_batch(size); }
void ReplayBuffer::sample(Batch& batch) { impl().own->sample(batch); }
void ReplayBuffer::sample(const BatchView& batch) { impl().own->sample(batch); }
SequenceBatch ReplayBuffer::make_sequences(std::size_t size, Index length, Index burn_in) const {
  return impl().own->make_sequences(size, length, burn_in);
}
void ReplayBuffer::sample(SequenceBatch& batch) { impl().own->sample(batch); }
void ReplayBuffer::sample(const SequenceView& batch) { impl().own->sample(batch); }
FeedbackReport ReplayBuffer::update_priorities(std::span<const std::uint64_t> ids,
                                               std::span<const float> td_errors) {
  return impl().own->update_priorities(ids, td_errors);
}
LiveDiagnostics ReplayBuffer::diagnostics() const { return impl().own->diagnostics(); }
void ReplayBuffer::reset_diagnostics() { impl().own->reset_diagnostics(); }
void ReplayBuffer::set_progress(double progress) { impl().own->set_progress(progress); }

Index ReplayBuffer::size(Index stream) const {
  impl().check_stream(stream);
  return impl().store.bounds(stream).size();
}

Index ReplayBuffer::size() const {
  Index sum = 0;
  for (Index s = 0; s < impl().config.streams; ++s) sum += impl().store.bounds(s).size();
  return sum;
}

std::uint64_t ReplayBuffer::added(Index stream) const {
  impl().check_stream(stream);
  return impl().store.bounds(stream).head;
}

std::uint64_t ReplayBuffer::added() const {
  std::uint64_t sum = 0;
  for (Index s = 0; s < impl().config.streams; ++s) sum += impl().store.bounds(s).head;
  return sum;
}

void ReplayBuffer::read(Index stream, Index first, const BatchView& rows,
                        std::span<std::uint8_t> ends) const {
  const Impl& self = impl();
  self.check_stream(stream);
  const StreamStore& store = self.store;
  check_columns(rows, store.layout(), store.layout().observation_count, false);
  if (!ends.empty() && ends.size() != rows.size)
    throw InvalidArgument(concat("ends has room for ", ends.size(), " rows of ", rows.size));
  const TransitionAssembler assembler(store, 1, self.config.discount, 1);
  // A writer on a full ring evicts the oldest row with every step: a reader that is slower than it
  // must be told, not kept forever.
  constexpr int kAttempts = 16, kWaits = 1 << 20;
  int waits = 0;
  for (int attempt = 0; attempt < kAttempts;) {
    const StreamStore::Bounds bounds = store.bounds(stream);
    const auto count = static_cast<Index>(rows.size);
    if (first < 0 || count > bounds.size() || first > bounds.size() - count) {
      // In the middle of an append a full ring holds one row less than its capacity. The writer
      // may have been interrupted there: it needs the processor, and the rows are not lost.
      const bool mid_append = first >= 0 && bounds.oldest > 0 && count <= store.capacity() - first;
      if (mid_append && ++waits < kWaits) {
        std::this_thread::yield();
        continue;
      }
      if (mid_append)
        throw IoError(concat("stream ", stream, " has been in the middle of an append for ", kWaits,
                             " looks; read fewer rows, or later"));
      throw InvalidArgument(concat("rows ", first, " to ", first + count, " of stream ", stream,
                                   " are outside [0, ", bounds.size(), ")"));
    }
    const std::uint64_t start = bounds.oldest + static_cast<std::uint64_t>(first);
    for (std::size_t k = 0; k < rows.size; ++k) {
      const TransitionAssembler::Start row{stream, start + k};
      assembler.read(row, assembler.prefetch(row), bounds, rows, k);
      if (!ends.empty())
        ends[k] = static_cast<std::uint8_t>(
            StreamStore::end_of(store.end_word(store.side(stream, row.sequence))));
    }
    // What a writer evicted or cut meanwhile is read again.
    if (store.still_valid(stream, start, bounds)) return;
    ++attempt;
  }
  throw IoError(concat("rows ", first, " to ", first + static_cast<Index>(rows.size), " of stream ",
                       stream, " were overwritten while they were read, ", kAttempts,
                       " times; read fewer rows at a time, newer rows, or pause the writer"));
}

void ReplayBuffer::trust_flags(bool trust) { impl().store.trust_flags(trust); }

std::uint64_t ReplayBuffer::cuts() const { return impl().store.cuts(); }
const ReplayConfig& ReplayBuffer::config() const { return impl().config; }

}  // namespace mneme
