// storage/blocks.cpp - blocks in memory.
#include "storage/blocks.h"

#include "base/assert.h"

namespace mneme {

namespace {

constexpr std::size_t kBetween = 5 * 64;  // an odd number of lines, and more than most rows have

}  // namespace

MemoryBlocks::MemoryBlocks(std::size_t block_bytes, std::size_t most, Pages::Size pages)
    : spacing_(block_bytes + kBetween), most_(most), pages_(spacing_ * most, pages) {
  free_.reserve(most);  // so that give_back never allocates
}

Blocks::Block MemoryBlocks::take() {
  const std::lock_guard lock(mutex_);
  MNEME_ASSERT(!free_.empty() || used_ < most_);
  std::uint32_t number;
  if (free_.empty()) {
    number = used_++;
  } else {
    number = free_.back();
    free_.pop_back();
  }
  return {pages_.data() + number * spacing_, number};
}

void MemoryBlocks::give_back(std::uint32_t number) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(number);
}

}  // namespace mneme
