// storage/stream_store.cpp - appending, ending and evicting rows.
#include "storage/stream_store.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

// The writer's side of copy_shared.
void publish(void* to, const void* from, std::size_t bytes) { copy_shared(to, from, bytes); }

// Whether two rows are equal: bit for bit, but +0 and -0 are the same number.
bool same_numbers(const std::byte* one, const void* other, std::size_t bytes, DType type) {
  if (std::memcmp(one, other, bytes) == 0) return true;
  const auto equal = [&]<class Bits>(Bits) {
    constexpr Bits kNoSign = static_cast<Bits>(~Bits{0}) >> 1;
    const auto* second = static_cast<const std::byte*>(other);
    for (std::size_t at = 0; at < bytes; at += sizeof(Bits)) {
      Bits a, b;
      std::memcpy(&a, one + at, sizeof a);
      std::memcpy(&b, second + at, sizeof b);
      if (a != b && ((a | b) & kNoSign) != 0) return false;
    }
    return true;
  };
  switch (type) {
    case DType::f32:
      return equal(std::uint32_t{});
    case DType::f64:
      return equal(std::uint64_t{});
    case DType::f16:
    case DType::bf16:
      return equal(std::uint16_t{});
    default:
      return false;
  }
}

// Rows per block: about `bytes` of them, but many blocks to a ring, so that what is kept beyond the
// capacity is little.
unsigned shift_for(std::size_t stride, std::size_t bytes, std::size_t capacity,
                   std::size_t blocks) {
  const std::size_t rows = std::max<std::size_t>(1, std::min(bytes / stride, capacity / blocks));
  return static_cast<unsigned>(std::bit_width(rows) - 1);
}

}  // namespace

StoreShape StreamStore::shape_for(const RowLayout& layout, Index streams, Index capacity) {
  if (streams < 1 || streams > (Index{1} << 20))
    throw InvalidArgument(concat("streams is ", streams, "; allowed: 1 to ", Index{1} << 20));
  // An end word has 30 bits for the number of a final observation.
  if (capacity < 1 || capacity >= (Index{1} << 29))
    throw InvalidArgument(concat("capacity is ", capacity, "; allowed: 1 to ", (Index{1} << 29) - 1,
                                 " transitions per stream"));
  const auto ring = static_cast<std::size_t>(capacity);
  constexpr std::size_t kBlock = 256 << 10, kFinalBlock = 16 << 10;
  const std::size_t wide = layout.observation_stride, narrow = layout.side_stride;
  StoreShape shape{streams, capacity, {}};
  // One row more than the ring while an append is under way; observations lead by one.
  shape.tapes[kObservations] = {wide, shift_for(wide, kBlock, ring, 32), ring + 2};
  shape.tapes[kSides] = {narrow, shift_for(narrow, kBlock, ring, 32), ring + 1};
  shape.tapes[kFinals] = {wide, shift_for(wide, kFinalBlock, ring, 64), ring + 2};
  return shape;
}

StreamStore::OwnBlocks StreamStore::blocks_in_memory(const RowLayout& layout, Index streams,
                                                     Index capacity) {
  const StoreShape shape = shape_for(layout, streams, capacity);
  const std::size_t row = layout.observation_stride + layout.side_stride;
  const double needed =
      static_cast<double>(streams) * static_cast<double>(capacity) * static_cast<double>(row);
  const auto available = static_cast<double>(physical_memory());
  if (available > 0 && needed > available) {
    throw InvalidArgument(concat(streams, " x ", capacity, " transitions of ", row, " bytes need ",
                                 needed / 0x1p30, " GiB, and this machine has ", available / 0x1p30,
                                 " GiB; lower the capacity, store observations as f16 or u8, or "
                                 "keep the buffer in a file"));
  }
  OwnBlocks own;
  for (std::size_t t = 0; t < 3; ++t) {
    own.pools[t] = std::make_unique<MemoryBlocks>(
        shape.tapes[t].block_bytes(),
        static_cast<std::size_t>(streams) * shape.tapes[t].most_blocks(),
        // A final observation per episode is little, and read seldom.
        t == kFinals ? Pages::Size::usual : Pages::Size::huge);
  }
  return own;
}

StreamStore::StreamStore(RowLayout layout, Index streams, Index capacity)
    : StreamStore(layout, streams, capacity, blocks_in_memory(layout, streams, capacity)) {}

StreamStore::StreamStore(RowLayout layout, Index streams, Index capacity, OwnBlocks own)
    : StreamStore(std::move(layout), streams, capacity, own.pointers()) {
  own_ = std::move(own);
}

StreamStore::StreamStore(RowLayout layout, Index streams, Index capacity,
                         std::array<Blocks*, 3> blocks)
    : layout_(std::move(layout)),
      streams_(streams),
      capacity_(capacity),
      ring_(static_cast<std::size_t>(capacity)),
      tapes_{RowStorage(shape_for(layout_, streams, capacity).tapes[0], streams, *blocks[0]),
             RowStorage(shape_for(layout_, streams, capacity).tapes[1], streams, *blocks[1]),
             RowStorage(shape_for(layout_, streams, capacity).tapes[2], streams, *blocks[2])},
      cursors_(std::make_unique<Cursor[]>(static_cast<std::size_t>(streams))) {}

void StreamStore::set_end(std::byte* side_record, End end, std::uint64_t final_row) {
  // The tape of finals wraps long before 2^30, so the low bits name a row.
  const auto word = static_cast<std::uint32_t>(end) | static_cast<std::uint32_t>(final_row << 2);
  publish(side_record + layout_.end_offset, &word, sizeof word);
}

std::uint64_t StreamStore::store_final(Index stream, Cursor& cursor, const void* observation) {
  publish(tapes_[kFinals].row_mutable(stream, cursor.finals_head), observation,
          layout_.observation_bytes);
  return cursor.finals_head++;
}

// The newest row keeps the successor it was given, out of line; the place of that successor becomes
// free for another row.
void StreamStore::make_cut(Index stream, Cursor& cursor) {
  const std::uint64_t head = cursor.head.load(std::memory_order_relaxed);
  // Readers that saw the row as continuing must not trust what they copied.
  cursor.revision.fetch_add(1, std::memory_order_acq_rel);
  std::atomic_thread_fence(std::memory_order_release);
  const std::uint64_t final_row = store_final(stream, cursor, observation(stream, head));
  set_end(tapes_[kSides].row_mutable(stream, head - 1), End::cut, final_row);
  cursor.cuts.fetch_add(1, std::memory_order_relaxed);
  cursor.revision.fetch_add(1, std::memory_order_release);
}

bool StreamStore::cut(Index stream) {
  Cursor& cursor = cursors_[static_cast<std::size_t>(stream)];
  const std::uint64_t head = cursor.head.load(std::memory_order_relaxed);
  if (head == 0 || end_of(end_word(side(stream, head - 1))) != End::none) return false;
  tapes_[kFinals].reach(stream, cursor.finals_head + 1);
  make_cut(stream, cursor);
  return true;
}

void StreamStore::evict_oldest(Index stream, Cursor& cursor) {
  const std::uint64_t evicted = cursor.oldest.load(std::memory_order_relaxed);
  const std::uint32_t word = end_word(side(stream, evicted));
  // No reader may start on it any more; only then its blocks may serve another stream.
  cursor.oldest.store(evicted + 1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_release);
  if (end_of(word) != End::none) {
    MNEME_ASSERT((cursor.finals_oldest & 0x3fffffff) == word >> 2);
    ++cursor.finals_oldest;
    tapes_[kFinals].forget(stream, cursor.finals_oldest);
  }
  tapes_[kObservations].forget(stream, evicted + 1);
  tapes_[kSides].forget(stream, evicted + 1);
}

StreamStore::Appended StreamStore::append(Index stream, const RowInput& row) {
  Cursor& cursor = cursors_[static_cast<std::size_t>(stream)];
  const std::uint64_t sequence = cursor.head.load(std::memory_order_relaxed);

  // 1. Does it continue the row before? (With a ring of one that row is the evicted one: nothing to
  // continue.)
  const bool has_previous = sequence > 0 && ring_ > 1;
  const bool continues = has_previous && end_of(end_word(side(stream, sequence - 1))) == End::none;
  const bool chained =
      continues &&
      (trust_flags_ || same_numbers(observation(stream, sequence), row.observation,
                                    layout_.observation_bytes, layout_.observation_type));
  const bool cuts = continues && !chained, ends = row.end != End::none;

  // 2. Room first: without it, nothing has changed yet.
  tapes_[kObservations].reach(stream, sequence + 2);
  tapes_[kSides].reach(stream, sequence + 1);
  tapes_[kFinals].reach(stream, cursor.finals_head + (cuts ? 1 : 0) + (ends ? 1 : 0));
  if (sequence >= ring_) evict_oldest(stream, cursor);
  // A reader of what is written below must find `oldest` of the stream that had these blocks
  // before raised: that happened before they were taken.
  std::atomic_thread_fence(std::memory_order_release);

  // 3. the end of the row before, if that is what this row means
  if (!chained) {  // otherwise its observation is there already
    if (cuts) make_cut(stream, cursor);
    publish(tapes_[kObservations].row_mutable(stream, sequence), row.observation,
            layout_.observation_bytes);
  }

  // 4. the row itself, its successor, and only then the news that it exists
  std::byte* record = tapes_[kSides].row_mutable(stream, sequence);
  publish(record, row.side, layout_.side_stride);
  if (ends) {
    set_end(record, row.end, store_final(stream, cursor, row.next_observation));
  } else {
    set_end(record, End::none, 0);
    publish(tapes_[kObservations].row_mutable(stream, sequence + 1), row.next_observation,
            layout_.observation_bytes);
  }
  cursor.head.store(sequence + 1, std::memory_order_release);
  return {sequence, cursor.oldest.load(std::memory_order_relaxed), cuts};
}

void StreamStore::prefetch_append(Index stream) const {
  const Cursor& cursor = cursors_[static_cast<std::size_t>(stream)];
  const std::uint64_t head = cursor.head.load(std::memory_order_relaxed);
  constexpr std::size_t kMost = 1024;  // the rest of a longer row comes by the hardware
  const std::size_t bytes = std::min(kMost, layout_.observation_bytes);
  tapes_[kObservations].prefetch(stream, head, bytes);
  tapes_[kObservations].prefetch(stream, head + 1, bytes);
  tapes_[kSides].prefetch(stream, head, std::min(kMost, layout_.side_stride));
  if (head >= ring_) tapes_[kSides].prefetch(stream, head - ring_, 1);  // how the evicted row ends
}

void StreamStore::make_room(Index stream) {
  const StreamState now = state(stream);
  tapes_[kObservations].reach(stream, now.head + 2);
  tapes_[kSides].reach(stream, now.head + 1);
  tapes_[kFinals].reach(stream, now.finals_head + 2);
}

StreamState StreamStore::state(Index stream) const {
  const Cursor& c = cursors_[static_cast<std::size_t>(stream)];
  return {c.head.load(std::memory_order_relaxed), c.oldest.load(std::memory_order_relaxed),
          c.finals_head, c.finals_oldest, c.cuts.load(std::memory_order_relaxed)};
}

void StreamStore::restore(Index stream, const StreamState& state) {
  Cursor& c = cursors_[static_cast<std::size_t>(stream)];
  c.finals_head = state.finals_head;
  c.finals_oldest = state.finals_oldest;
  c.cuts.store(state.cuts, std::memory_order_relaxed);
  c.oldest.store(state.oldest, std::memory_order_relaxed);
  c.head.store(state.head, std::memory_order_release);
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
