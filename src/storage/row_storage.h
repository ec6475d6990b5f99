// storage/row_storage.h - an endless tape of rows per stream, of which a moving window is kept.
//
// Rows are numbered from 0. They lie in blocks of 2^shift rows; a table per stream says where each
// block of the window is, so that row n is found with one look-up, whatever the memory is made of.
//
// Threads: one writer per stream calls reach and forget; row() is for any thread. What a late
// reader finds under the number of a forgotten row is some other row: it must check afterwards that
// its row was still there.
#pragma once

#include <atomic>
#include <memory>

#include "mneme/index.h"
#include "storage/blocks.h"

namespace mneme {

/// How the rows of a tape are cut into blocks.
struct RowStorageShape {
  std::size_t stride = 0;  // bytes from row to row
  unsigned shift = 0;      // 2^shift rows in a block
  std::size_t window = 0;  // rows kept at most

  std::size_t rows() const { return std::size_t{1} << shift; }
  std::size_t block_bytes() const { return (rows() * stride + 63) / 64 * 64; }
  /// Blocks that a window can lie across.
  std::size_t most_blocks() const { return (window + rows() - 1) / rows() + 1; }
  bool operator==(const RowStorageShape&) const = default;
};

class RowStorage {
 public:
  RowStorage(const RowStorageShape& shape, Index streams, Blocks& blocks);

  const RowStorageShape& shape() const { return shape_; }

  const std::byte* row(Index stream, std::uint64_t n) const {
    // As a number: a row that was never reached may be asked for (and prefetched), not read.
    const std::uintptr_t block = table_[entry(stream, n >> shift_)].load(std::memory_order_relaxed);
    return reinterpret_cast<const std::byte*>(block + (n & low_) * stride_);
  }
  /// Asks the memory for the first `bytes` of a row, if it has any: it may lie ahead of the window.
  void prefetch(Index stream, std::uint64_t n, std::size_t bytes) const {
    if (table_[entry(stream, n >> shift_)].load(std::memory_order_relaxed) == 0) return;
    const std::byte* from = row(stream, n);
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at, 1);
  }
  std::byte* row_mutable(Index stream, std::uint64_t n) {
    return const_cast<std::byte*>(row(stream, n));
  }

  /// Makes room for the rows below n. Throws IoError if it cannot.
  void reach(Index stream, std::uint64_t n) {
    const Window& w = windows_[static_cast<std::size_t>(stream)];
    while (w.end << shift_ < n) add_block(stream);
  }
  /// Gives back the blocks of which every row is below n.
  void forget(Index stream, std::uint64_t n) {
    Window& w = windows_[static_cast<std::size_t>(stream)];
    while (w.first < n >> shift_ && w.first < w.end) drop_block(stream, w);
  }

  /// Number of the block that holds rows block << shift and on, which must be in the window.
  std::uint32_t number(Index stream, std::uint64_t block) const {
    return numbers_[entry(stream, block)];
  }

  /// For a stream that holds nothing yet: its tape begins with this block ...
  void begin_at(Index stream, std::uint64_t block) {
    windows_[static_cast<std::size_t>(stream)] = {block, block};
  }
  /// ... and continues with this memory, of which rows have been written already.
  void restore(Index stream, const Blocks::Block& memory);

 private:
  struct Window {
    std::uint64_t first = 0, end = 0;  // blocks
  };

  std::size_t entry(Index stream, std::uint64_t block) const {
    return static_cast<std::size_t>(stream) * entries_ + (block & (entries_ - 1));
  }
  void add_block(Index stream);
  void drop_block(Index stream, Window& w);

  RowStorageShape shape_;
  std::size_t stride_, low_, entries_;  // entries_ per stream, a power of two
  unsigned shift_;
  Blocks& blocks_;
  std::unique_ptr<std::atomic<std::uintptr_t>[]> table_;
  std::unique_ptr<std::uint32_t[]> numbers_;
  std::unique_ptr<Window[]> windows_;
};

}  // namespace mneme
