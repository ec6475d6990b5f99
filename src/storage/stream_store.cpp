// storage/stream_store.cpp - appending, ending and evicting rows.
#include "storage/stream_store.h"

#include <cstring>

#include "base/assert.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

// The writer's side of copy_shared.
void publish(void* to, const void* from, std::size_t bytes) { copy_shared(to, from, bytes); }

}  // namespace

#if defined(__SANITIZE_THREAD__)
#define MNEME_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MNEME_THREAD_SANITIZER 1
#endif
#endif

void copy_shared(void* to, const void* from, std::size_t bytes) {
#ifdef MNEME_THREAD_SANITIZER
  auto* target = static_cast<unsigned char*>(to);
  auto* source = static_cast<unsigned char*>(const_cast<void*>(from));
  for (std::size_t k = 0; k < bytes; ++k)
    __atomic_store_n(target + k, __atomic_load_n(source + k, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
#else
  std::memcpy(to, from, bytes);
#endif
}

StreamStore::StreamStore(RowLayout layout, Index streams, Index capacity)
    : layout_(std::move(layout)),
      streams_(streams),
      capacity_(capacity),
      ring_(static_cast<std::size_t>(capacity)) {
  if (streams < 1 || streams > (Index{1} << 20))
    throw InvalidArgument(concat("streams is ", streams, "; allowed: 1 to ", Index{1} << 20));
  if (capacity < 1 || capacity >= (Index{1} << 30))
    throw InvalidArgument(concat("capacity is ", capacity, "; allowed: 1 to ", (Index{1} << 30) - 1,
                                 " transitions per stream"));
  const auto rows = static_cast<double>(streams) * static_cast<double>(capacity);
  const double needed =
      rows * static_cast<double>(layout_.observation_stride + layout_.side_stride);
  const auto available = static_cast<double>(physical_memory());
  if (available > 0 && needed > available) {
    throw InvalidArgument(concat(streams, " x ", capacity, " transitions of ",
                                 layout_.observation_stride + layout_.side_stride, " bytes need ",
                                 needed / 0x1p30, " GiB, and this machine has ", available / 0x1p30,
                                 " GiB; lower the capacity or store observations as f16 or u8"));
  }
  const auto count = static_cast<std::size_t>(streams);
  observations_ = Pages(count * (ring_ + 1) * layout_.observation_stride);
  sides_ = Pages(count * ring_ * layout_.side_stride);
  finals_ = Pages(count * ring_ * layout_.observation_stride);
  free_ = Pages(count * ring_ * sizeof(std::uint32_t));
  cursors_ = std::make_unique<Cursor[]>(count);
}

std::uint32_t StreamStore::end_word(const std::byte* side_record) const {
  std::uint32_t word;
  copy_shared(&word, side_record + layout_.end_offset, sizeof word);
  return word;
}

void StreamStore::set_end(std::byte* side_record, End end, std::uint32_t place) {
  const std::uint32_t word = static_cast<std::uint32_t>(end) | place << 2;
  publish(side_record + layout_.end_offset, &word, sizeof word);
}

std::uint32_t StreamStore::store_final(Index stream, const void* observation) {
  Cursor& cursor = cursors_[static_cast<std::size_t>(stream)];
  const std::uint32_t place =
      cursor.free_count > 0 ? free_list(stream)[--cursor.free_count] : cursor.finals_used++;
  MNEME_ASSERT(place < ring_);
  publish(const_cast<std::byte*>(final_row(stream, place)), observation, layout_.observation_bytes);
  return place;
}

void StreamStore::release_final(Index stream, std::uint32_t place) {
  Cursor& cursor = cursors_[static_cast<std::size_t>(stream)];
  free_list(stream)[cursor.free_count++] = place;
}

// The newest row keeps the successor it was given, out of line; the place of that successor becomes
// free for another row.
void StreamStore::make_cut(Index stream, Cursor& cursor) {
  const std::uint64_t head = cursor.head.load(std::memory_order_relaxed);
  // Readers that saw the row as continuing must not trust what they copied.
  cursor.revision.fetch_add(1, std::memory_order_acq_rel);
  std::atomic_thread_fence(std::memory_order_release);
  const std::uint32_t place = store_final(stream, observation(stream, head));
  set_end(side_mutable(stream, head - 1), End::cut, place);
  cursor.cuts.fetch_add(1, std::memory_order_relaxed);
  cursor.revision.fetch_add(1, std::memory_order_release);
}

bool StreamStore::cut(Index stream) {
  Cursor& cursor = cursors_[static_cast<std::size_t>(stream)];
  const std::uint64_t head = cursor.head.load(std::memory_order_relaxed);
  if (head == 0 || end_of(end_word(side(stream, head - 1))) != End::none) return false;
  make_cut(stream, cursor);
  return true;
}

StreamStore::Appended StreamStore::append(Index stream, const RowInput& row) {
  Cursor& cursor = cursors_[static_cast<std::size_t>(stream)];
  const std::uint64_t sequence = cursor.head.load(std::memory_order_relaxed);

  // 1. make room: nobody may start reading the oldest row any more
  std::uint32_t released = 0;
  bool releases = false;
  if (sequence >= ring_) {
    const std::uint64_t evicted = sequence - ring_;
    const std::uint32_t word = end_word(side(stream, evicted));
    releases = end_of(word) != End::none;
    released = word >> 2;
    cursor.oldest.store(evicted + 1, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_release);
  }

  // 2. does it continue the row before? (With a ring of one that row is the evicted one: nothing to
  // continue.)
  const bool has_previous = sequence > 0 && ring_ > 1;
  const bool continues = has_previous && end_of(end_word(side(stream, sequence - 1))) == End::none;
  if (releases) release_final(stream, released);
  const bool chained = continues && std::memcmp(observation(stream, sequence), row.observation,
                                                layout_.observation_bytes) == 0;
  if (!chained) {  // otherwise its observation is there already
    if (continues) make_cut(stream, cursor);
    publish(observation_mutable(stream, sequence), row.observation, layout_.observation_bytes);
  }

  // 3. the row itself, its successor, and only then the news that it exists
  std::byte* record = side_mutable(stream, sequence);
  publish(record, row.side, layout_.side_stride);
  if (row.end == End::none) {
    set_end(record, End::none, 0);
    publish(observation_mutable(stream, sequence + 1), row.next_observation,
            layout_.observation_bytes);
  } else {
    set_end(record, row.end, store_final(stream, row.next_observation));
  }
  cursor.head.store(sequence + 1, std::memory_order_release);
  return {sequence, cursor.oldest.load(std::memory_order_relaxed), continues && !chained};
}

StreamStore::Bounds StreamStore::bounds(Index stream) const {
  const Cursor& cursor = cursors_[static_cast<std::size_t>(stream)];
  Bounds b;
  b.revision = cursor.revision.load(std::memory_order_acquire);
  // Both of one moment: with `oldest` the same before and after, `head` is at most one append away.
  // A reader that is interrupted between the two would otherwise see a stream that seems empty.
  std::uint64_t again = cursor.oldest.load(std::memory_order_acquire);
  do {
    b.oldest = again;
    b.head = cursor.head.load(std::memory_order_acquire);
    again = cursor.oldest.load(std::memory_order_acquire);
  } while (again != b.oldest);
  return b;
}

bool StreamStore::still_valid(Index stream, std::uint64_t sequence, const Bounds& before) const {
  std::atomic_thread_fence(std::memory_order_acquire);
  const Cursor& cursor = cursors_[static_cast<std::size_t>(stream)];
  return before.revision % 2 == 0 &&
         cursor.revision.load(std::memory_order_relaxed) == before.revision &&
         sequence >= cursor.oldest.load(std::memory_order_relaxed);
}

std::uint64_t StreamStore::cuts() const {
  std::uint64_t sum = 0;
  for (Index s = 0; s < streams_; ++s)
    sum += cursors_[static_cast<std::size_t>(s)].cuts.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace mneme
