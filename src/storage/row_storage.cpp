// storage/row_storage.cpp - blocks come and go at the ends of a window.
#include "storage/row_storage.h"

#include <bit>

#include "base/assert.h"

namespace mneme {

RowStorage::RowStorage(const RowStorageShape& shape, Index streams, Blocks& blocks)
    : shape_(shape),
      stride_(shape.stride),
      low_(shape.rows() - 1),
      entries_(std::bit_ceil(shape.most_blocks())),
      shift_(shape.shift),
      blocks_(blocks) {
  const auto count = static_cast<std::size_t>(streams);
  table_ = std::make_unique<std::atomic<std::uintptr_t>[]>(count * entries_);
  numbers_ = std::make_unique<std::uint32_t[]>(count * entries_);
  windows_ = std::make_unique<Window[]>(count);
}

void RowStorage::add_block(Index stream) { restore(stream, blocks_.take()); }

void RowStorage::drop_block(Index stream, Window& w) {
  blocks_.give_back(numbers_[entry(stream, w.first)]);
  ++w.first;
}

void RowStorage::restore(Index stream, const Blocks::Block& memory) {
  Window& w = windows_[static_cast<std::size_t>(stream)];
  MNEME_ASSERT(w.end - w.first < entries_);
  numbers_[entry(stream, w.end)] = memory.number;
  table_[entry(stream, w.end)].store(reinterpret_cast<std::uintptr_t>(memory.data),
                                     std::memory_order_relaxed);
  ++w.end;
}

}  // namespace mneme
