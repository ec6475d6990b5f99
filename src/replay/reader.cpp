// replay/reader.cpp - assembling transitions and windows out of rows.
#include "replay/reader.h"

#include <algorithm>
#include <cstring>

namespace mneme {

Reader::Reader(const StreamStore& store, Index n_step, double discount, Index stack)
    : store_(store), n_step_(n_step), stack_(stack) {
  double power = 1;
  for (Index k = 0; k <= n_step; ++k, power *= discount) powers_.push_back(power);
}

void Reader::prefetch(const Start& start) const {
  const auto lines = [](const std::byte* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at);
  };
  // One-step rows: observation and successor are neighbours. The last line of longer ones comes by
  // the hardware.
  constexpr std::size_t kMost = 1024;
  lines(store_.side(start.stream, start.sequence), store_.layout().side_stride);
  lines(store_.observation(start.stream, start.sequence),
        std::min(kMost, store_.layout().observation_bytes));
  lines(store_.observation(start.stream, start.sequence + static_cast<std::uint64_t>(n_step_)),
        std::min(kMost, store_.layout().observation_bytes));
}

void Reader::copy_observation(const std::byte* row, float* out) const {
  const RowLayout& layout = store_.layout();
  if (layout.observation_type == DType::f32) {
    copy_shared(out, row, layout.observation_bytes);
  } else {
    convert(row, layout.observation_type, out, DType::f32, layout.observation_count);
  }
}

void Reader::copy_field(const FieldPlace& field, const std::byte* side, float* out) const {
  if (field.type == DType::f32) {
    copy_shared(out, side + field.offset, field.count * sizeof(float));
  } else {
    convert(side + field.offset, field.type, out, DType::f32, field.count);
  }
}

float Reader::reward(const std::byte* side) const {
  float value;
  copy_shared(&value, side + store_.layout().fields[RowLayout::kReward].offset, sizeof value);
  return value;
}

std::uint64_t Reader::first_frame(Index stream, std::uint64_t newest, Index count,
                                  const StreamStore::Bounds& bounds) const {
  std::uint64_t first = newest;
  while (static_cast<Index>(newest - first) + 1 < count && first > bounds.oldest &&
         StreamStore::end_of(store_.end_word(store_.side(stream, first - 1))) == End::none)
    --first;
  return first;
}

// Frames oldest first; where the episode is younger than the stack, its first frame is repeated.
void Reader::copy_stack(const Start& start, const StreamStore::Bounds& bounds, float* out) const {
  const std::size_t count = store_.layout().observation_count;
  if (stack_ == 1) return copy_observation(store_.observation(start.stream, start.sequence), out);
  const std::uint64_t first = first_frame(start.stream, start.sequence, stack_, bounds);
  const auto missing =
      static_cast<std::size_t>(stack_) - static_cast<std::size_t>(start.sequence - first) - 1;
  for (std::size_t frame = 0; frame < static_cast<std::size_t>(stack_); ++frame) {
    const std::uint64_t sequence = frame < missing ? first : first + (frame - missing);
    copy_observation(store_.observation(start.stream, sequence), out + frame * count);
  }
}

// The stack after step `last`: its own newest frames and the successor.
void Reader::copy_successor_stack(const Start& last, std::uint32_t end_word,
                                  const StreamStore::Bounds& bounds, float* out) const {
  const std::size_t count = store_.layout().observation_count;
  const std::byte* successor = store_.successor(last.stream, last.sequence, end_word);
  if (stack_ > 1) {
    const std::uint64_t first = first_frame(last.stream, last.sequence, stack_ - 1, bounds);
    const auto missing =
        static_cast<std::size_t>(stack_) - 2 - static_cast<std::size_t>(last.sequence - first);
    for (std::size_t frame = 0; frame + 1 < static_cast<std::size_t>(stack_); ++frame) {
      const std::uint64_t sequence = frame < missing ? first : first + (frame - missing);
      copy_observation(store_.observation(last.stream, sequence), out + frame * count);
    }
  }
  copy_observation(successor, out + (static_cast<std::size_t>(stack_) - 1) * count);
}

void Reader::read(const Start& start, const StreamStore::Bounds& bounds, Batch& batch,
                  std::size_t k) const {
  const RowLayout& layout = store_.layout();
  const std::byte* side = store_.side(start.stream, start.sequence);
  copy_stack(start, bounds, batch.observation.data() + k * stacked_count());
  const FieldPlace& action = layout.fields[RowLayout::kAction];
  copy_field(action, side, batch.action.data() + k * action.count);
  for (std::size_t f = 0; f < batch.fields.size(); ++f) {
    const FieldPlace& field = layout.fields[RowLayout::kExtras + f];
    copy_field(field, side, batch.fields[f].data() + k * field.count);
  }

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
  copy_successor_stack({start.stream, last}, word, bounds,
                       batch.next_observation.data() + k * stacked_count());
  batch.reward[k] = static_cast<float>(sum);
  batch.discount[k] = StreamStore::end_of(word) == End::terminated
                          ? 0.0f
                          : static_cast<float>(powers_[static_cast<std::size_t>(taken)]);
  batch.horizon[k] = static_cast<std::int32_t>(taken);
  batch.weight[k] = 1;
  batch.stream[k] = static_cast<std::int32_t>(start.stream);
  batch.age[k] = static_cast<Index>(bounds.head - 1 - start.sequence);
  batch.id[k] = static_cast<std::uint64_t>(start.stream) << 44 | start.sequence;
}

void Reader::read(const Start& start, const StreamStore::Bounds& bounds, Index burn_in,
                  SequenceBatch& batch, std::size_t k) const {
  const RowLayout& layout = store_.layout();
  const FieldPlace& action = layout.fields[RowLayout::kAction];
  const auto length = static_cast<std::size_t>(batch.length), count = stacked_count();
  std::fill_n(batch.valid.data() + k * length, length, std::uint8_t{0});
  std::fill_n(batch.observation.data() + k * length * count, length * count, 0.0f);
  std::fill_n(batch.action.data() + k * length * action.count, length * action.count, 0.0f);
  std::fill_n(batch.reward.data() + k * length, length, 0.0f);

  // as much burn-in as the episode and the buffer have (with whole stacks), then on to the
  // episode's end
  StreamStore::Bounds stacked = bounds;
  if (bounds.oldest > 0)
    stacked.oldest =
        std::min(start.sequence, bounds.oldest + static_cast<std::uint64_t>(stack_ - 1));
  const std::uint64_t first = first_frame(start.stream, start.sequence, burn_in + 1, stacked);
  std::size_t place =
      static_cast<std::size_t>(burn_in) - static_cast<std::size_t>(start.sequence - first);
  std::uint64_t sequence = first;
  std::uint32_t word = 0;
  for (; place < length && sequence < bounds.head; ++place, ++sequence) {
    const std::byte* side = store_.side(start.stream, sequence);
    const std::size_t at = k * length + place;
    copy_stack({start.stream, sequence}, bounds, batch.observation.data() + at * count);
    copy_field(action, side, batch.action.data() + at * action.count);
    batch.reward[at] = reward(side);
    batch.valid[at] = 1;
    word = store_.end_word(side);
    if (StreamStore::end_of(word) != End::none) {
      ++sequence;
      break;
    }
  }
  copy_successor_stack({start.stream, sequence - 1}, word, bounds,
                       batch.last_observation.data() + k * count);
  batch.terminated[k] = StreamStore::end_of(word) == End::terminated ? 1 : 0;
  batch.id[k] = static_cast<std::uint64_t>(start.stream) << 44 | start.sequence;
  batch.stream[k] = static_cast<std::int32_t>(start.stream);
}

}  // namespace mneme
