// replay/transition_assembler.cpp - assembling transitions and windows out of rows.
#include "replay/transition_assembler.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace mneme {
namespace {

// First out of the writer's reach, then into the other type, by the piece.
[[gnu::noinline]] void convert_numbers(const std::byte* from, DType type, std::size_t count,
                                       const MutableValues& out, std::size_t at) {
  constexpr std::size_t kPiece = 256;
  std::array<std::byte, kPiece * 8> piece;
  const std::size_t size = size_of(type), out_size = size_of(out.type());
  auto* to = static_cast<std::byte*>(out.data()) + at * out_size;
  for (std::size_t done = 0; done < count; done += kPiece) {
    const std::size_t some = std::min(kPiece, count - done);
    copy_shared(piece.data(), from + done * size, some * size);
    convert(piece.data(), type, to + done * out_size, out.type(), some);
  }
}

// Numbers `at`, at + 1, ... of a column, from a row that a writer may be changing. Short where no
// type changes: how many rows are under way at once depends on how much there is to do for each.
inline void copy_numbers(const std::byte* from, DType type, std::size_t count,
                         const MutableValues& out, std::size_t at) {
  if (type != out.type()) return convert_numbers(from, type, count, out, at);
  const std::size_t size = type == DType::f32 ? sizeof(float) : size_of(type);
  copy_shared(static_cast<std::byte*>(out.data()) + at * size, from, count * size);
}

// Asks for the lines that a row of a column will be written to, if there is one: where the batch is
// larger than the caches each of them is a miss like those of the rows.
inline void expect_row(const MutableValues& out, std::size_t row, std::size_t count) {
  if (out.type() != DType::f32 || out.empty()) return;
  const auto* to = static_cast<const float*>(out.data()) + row * count;
  constexpr std::size_t kMost = 256, kLine = 64 / sizeof(float);
  for (std::size_t at = 0; at < std::min(kMost, count); at += kLine) __builtin_prefetch(to + at, 1);
}

void copy_field(const FieldPlace& field, const std::byte* side, const MutableValues& out,
                std::size_t row) {
  if (!out.empty())
    copy_numbers(side + field.offset, field.type, field.count, out, row * field.count);
}

// Rows first .. first + rows - 1 of a column become 0.
void clear_rows(const MutableValues& out, std::size_t first, std::size_t rows, std::size_t count) {
  const std::size_t bytes = count * size_of(out.type());
  if (!out.empty())
    std::memset(static_cast<std::byte*>(out.data()) + first * bytes, 0, rows * bytes);
}

template <class T>
void put(std::span<T> column, std::size_t k, T value) {
  if (!column.empty()) column[k] = value;
}

std::uint64_t id_of(const TransitionAssembler::Start& start) {
  return static_cast<std::uint64_t>(start.stream) << 44 | start.sequence;
}

}  // namespace

TransitionAssembler::TransitionAssembler(const StreamStore& store, Index n_step, double discount,
                                         Index stack)
    : store_(store), n_step_(n_step), stack_(stack) {
  double power = 1;
  for (Index k = 0; k <= n_step; ++k, power *= discount) powers_.push_back(power);
}

TransitionAssembler::Place TransitionAssembler::prefetch(const Start& start) const {
  const auto lines = [](const std::byte* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at);
  };
  // One-step rows: observation and successor are neighbors. The last line of longer ones comes by
  // the hardware.
  constexpr std::size_t kMost = 1024;
  const std::size_t bytes = std::min(kMost, store_.layout().observation_bytes);
  const Place place{
      store_.side(start.stream, start.sequence), store_.observation(start.stream, start.sequence),
      store_.observation(start.stream, start.sequence + static_cast<std::uint64_t>(n_step_))};
  lines(place.side, store_.layout().side_stride);
  lines(place.observation, bytes);
  lines(place.next, bytes);
  return place;
}

void TransitionAssembler::copy_observation(const std::byte* row, const MutableValues& out,
                                           std::size_t at) const {
  const RowLayout& layout = store_.layout();
  copy_numbers(row, layout.observation_type, layout.observation_count, out, at);
}

float TransitionAssembler::reward(const std::byte* side) const {
  float value;
  copy_shared(&value, side + store_.layout().fields[RowLayout::kReward].offset, sizeof value);
  return value;
}

std::uint64_t TransitionAssembler::first_frame(Index stream, std::uint64_t newest, Index count,
                                               const StreamStore::Bounds& bounds) const {
  std::uint64_t first = newest;
  while (static_cast<Index>(newest - first) + 1 < count && first > bounds.oldest &&
         StreamStore::end_of(store_.end_word(store_.side(stream, first - 1))) == End::none)
    --first;
  return first;
}

// Frames oldest first; where the episode is younger than the stack, its first frame is repeated.
void TransitionAssembler::copy_stack(const Start& start, const std::byte* row,
                                     const StreamStore::Bounds& bounds, const MutableValues& out,
                                     std::size_t k) const {
  if (out.empty()) return;
  if (stack_ == 1) return copy_observation(row, out, k * stacked_count());
  const std::size_t count = store_.layout().observation_count;
  const std::uint64_t first = first_frame(start.stream, start.sequence, stack_, bounds);
  const auto missing =
      static_cast<std::size_t>(stack_) - static_cast<std::size_t>(start.sequence - first) - 1;
  for (std::size_t frame = 0; frame < static_cast<std::size_t>(stack_); ++frame) {
    const std::uint64_t sequence = frame < missing ? first : first + (frame - missing);
    copy_observation(store_.observation(start.stream, sequence), out,
                     k * stacked_count() + frame * count);
  }
}

// The stack after step `last`: its own newest frames and the successor.
void TransitionAssembler::copy_successor_stack(const Start& last, const std::byte* successor,
                                               const StreamStore::Bounds& bounds,
                                               const MutableValues& out, std::size_t k) const {
  if (out.empty()) return;
  const std::size_t count = store_.layout().observation_count;
  if (stack_ > 1) {
    const std::uint64_t first = first_frame(last.stream, last.sequence, stack_ - 1, bounds);
    const auto missing =
        static_cast<std::size_t>(stack_) - 2 - static_cast<std::size_t>(last.sequence - first);
    for (std::size_t frame = 0; frame + 1 < static_cast<std::size_t>(stack_); ++frame) {
      const std::uint64_t sequence = frame < missing ? first : first + (frame - missing);
      copy_observation(store_.observation(last.stream, sequence), out,
                       k * stacked_count() + frame * count);
    }
  }
  copy_observation(successor, out,
                   k * stacked_count() + (static_cast<std::size_t>(stack_) - 1) * count);
}

void TransitionAssembler::read(const Start& start, const Place& place,
                               const StreamStore::Bounds& bounds, const BatchView& batch,
                               std::size_t k) const {
  const RowLayout& layout = store_.layout();
  const std::byte* side = place.side;
  if (constexpr std::size_t kSoon = 4; k + kSoon < batch.size) {
    expect_row(batch.observation, k + kSoon, stacked_count());
    expect_row(batch.next_observation, k + kSoon, stacked_count());
  }
  // One frame is the common case; the calls below would come to the same.
  const std::size_t count = layout.observation_count;
  const bool single = stack_ == 1;
  if (!single)
    copy_stack(start, place.observation, bounds, batch.observation, k);
  else if (!batch.observation.empty())
    copy_numbers(place.observation, layout.observation_type, count, batch.observation, k * count);
  copy_field(layout.fields[RowLayout::kAction], side, batch.action, k);
  for (std::size_t f = 0; f < batch.fields.size(); ++f)
    copy_field(layout.fields[RowLayout::kExtras + f], side, batch.fields[f], k);

  // sum rewards until the window, the episode or the data ends
  double sum = reward(side);
  std::uint32_t word = store_.end_word(side);
  std::uint64_t last = start.sequence;
  Index taken = 1;
  while (taken < n_step_ && StreamStore::end_of(word) == End::none && last + 1 < bounds.head) {
    ++last;
    side = store_.side(start.stream, last);
    sum += powers_[static_cast<std::size_t>(taken++)] * static_cast<double>(reward(side));
    word = store_.end_word(side);
  }
  const std::byte* successor = place.next;
  if (StreamStore::end_of(word) != End::none) {
    // The word of a row that is gone leads nowhere; the caller will find that out as well.
    if (!store_.still_valid(start.stream, start.sequence, bounds)) return;
    successor = store_.successor(start.stream, last, word);
  } else if (taken != n_step_) {
    successor = store_.observation(start.stream, last + 1);
  }
  if (!single)
    copy_successor_stack({start.stream, last}, successor, bounds, batch.next_observation, k);
  else if (!batch.next_observation.empty())
    copy_numbers(successor, layout.observation_type, count, batch.next_observation, k * count);
  put(batch.reward, k, static_cast<float>(sum));
  put(batch.discount, k,
      StreamStore::end_of(word) == End::terminated
          ? 0.0f
          : static_cast<float>(powers_[static_cast<std::size_t>(taken)]));
  put(batch.horizon, k, static_cast<std::int32_t>(taken));
  put(batch.weight, k, 1.0f);
  put(batch.stream, k, static_cast<std::int32_t>(start.stream));
  put(batch.age, k, static_cast<Index>(bounds.head - 1 - start.sequence));
  put(batch.id, k, id_of(start));
}

void TransitionAssembler::read(const Start& start, const StreamStore::Bounds& bounds,
                               const SequenceView& batch, std::size_t k) const {
  const RowLayout& layout = store_.layout();
  const FieldPlace& action = layout.fields[RowLayout::kAction];
  const auto length = static_cast<std::size_t>(batch.length);
  clear_rows(batch.observation, k * length, length, stacked_count());
  clear_rows(batch.action, k * length, length, action.count);
  for (std::size_t f = 0; f < batch.fields.size(); ++f)
    clear_rows(batch.fields[f], k * length, length, layout.fields[RowLayout::kExtras + f].count);
  for (const std::span<float>& column : {batch.reward, batch.discount})
    if (!column.empty()) std::fill_n(column.data() + k * length, length, 0.0f);
  if (!batch.valid.empty()) std::fill_n(batch.valid.data() + k * length, length, std::uint8_t{0});

  // as much burn-in as the episode and the buffer have (with whole stacks), then on to the
  // episode's end
  StreamStore::Bounds stacked = bounds;
  if (bounds.oldest > 0)
    stacked.oldest =
        std::min(start.sequence, bounds.oldest + static_cast<std::uint64_t>(stack_ - 1));
  const std::uint64_t first = first_frame(start.stream, start.sequence, batch.burn_in + 1, stacked);
  std::size_t place =
      static_cast<std::size_t>(batch.burn_in) - static_cast<std::size_t>(start.sequence - first);
  std::uint64_t sequence = first;
  std::uint32_t word = 0;
  for (; place < length && sequence < bounds.head; ++place, ++sequence) {
    const std::byte* side = store_.side(start.stream, sequence);
    const std::size_t at = k * length + place;
    copy_stack({start.stream, sequence}, store_.observation(start.stream, sequence), bounds,
               batch.observation, at);
    copy_field(action, side, batch.action, at);
    for (std::size_t f = 0; f < batch.fields.size(); ++f)
      copy_field(layout.fields[RowLayout::kExtras + f], side, batch.fields[f], at);
    put(batch.reward, at, reward(side));
    put(batch.valid, at, std::uint8_t{1});
    word = store_.end_word(side);
    put(batch.discount, at,
        StreamStore::end_of(word) == End::terminated ? 0.0f : static_cast<float>(powers_[1]));
    if (StreamStore::end_of(word) != End::none) {
      ++sequence;
      break;
    }
  }
  if (StreamStore::end_of(word) != End::none && !store_.still_valid(start.stream, first, bounds))
    return;  // as above
  copy_successor_stack({start.stream, sequence - 1},
                       store_.successor(start.stream, sequence - 1, word), bounds,
                       batch.last_observation, k);
  put(batch.terminated, k, static_cast<std::uint8_t>(StreamStore::end_of(word) == End::terminated));
  put(batch.id, k, id_of(start));
  put(batch.stream, k, static_cast<std::int32_t>(start.stream));
  put(batch.age, k, static_cast<Index>(bounds.head - 1 - start.sequence));
  put(batch.weight, k, 1.0f);
}

}  // namespace mneme
