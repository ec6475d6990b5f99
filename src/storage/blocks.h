// storage/blocks.h - equal blocks of memory that rows are written into: taken, and given back when
// all their rows are gone.
//
// Memory once handed out stays readable as long as the pool lives, also after it was given back and
// taken by another stream: a reader that is late reads rows it will throw away, never a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/pages.h"

namespace mneme {

class Blocks {
 public:
  struct Block {
    std::byte* data = nullptr;
    std::uint32_t number = 0;
  };

  virtual ~Blocks() = default;
  /// An unused block. Throws IoError if there is no room for one; then nothing has changed.
  virtual Block take() = 0;
  virtual void give_back(std::uint32_t number) noexcept = 0;
};

/// Blocks in memory, last given back first taken: only what was ever in use at once is touched.
/// Blocks are whole powers of two, and streams that go in step stand at the same place of theirs: a
/// little room between two blocks keeps these places out of each other's lines of the caches.
class MemoryBlocks final : public Blocks {
 public:
  MemoryBlocks(std::size_t block_bytes, std::size_t most, Pages::Size pages = Pages::Size::huge);
  Block take() override;
  void give_back(std::uint32_t number) noexcept override;

 private:
  std::size_t spacing_, most_;
  Pages pages_;
  std::mutex mutex_;  // once per block, not per row
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace mneme
