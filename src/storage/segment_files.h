// storage/segment_files.h - blocks in files: segments of equal size, mapped into memory, added as
// needed and never moved.
//
// A block that is given back stays as it is until a manifest that does not need it has reached the
// disk (`release`): until then a crash may bring the last manifest back. Space for a whole segment
// is reserved when it is made, so a full disk is an error of `take` and not a fault in the middle
// of a row. Opened for reading, everything works but nothing reaches the files: what is written
// goes to private copies of their pages.
//
// File NAME-000000.segment: a header of 4096 bytes (SegmentHeader), then the blocks.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "storage/blocks.h"
#include "storage/disk.h"

namespace mneme {

struct SegmentHeader {
  std::array<char, 8> magic{'m', 'n', 'e', 'm', 'e', 's', 'e', 'g'};
  std::uint32_t version = 1;
  std::uint32_t index = 0;     // of this segment among those of its tape
  std::uint64_t identity = 0;  // of the buffer it belongs to
  std::uint64_t block_bytes = 0;
  std::uint32_t blocks = 0;  // in this file
  std::uint32_t crc = 0;     // of everything above
};
static_assert(sizeof(SegmentHeader) == 40);

class SegmentFiles final : public Blocks {
 public:
  enum class Access { read, write };
  struct Settings {
    std::filesystem::path directory;
    std::string name;
    std::uint64_t identity = 0;
    std::size_t block_bytes = 0;
    std::uint32_t blocks_per_segment = 0;
    Access access = Access::write;
  };

  /// Maps the first `segments` files. Throws IoError or CorruptData if one is missing, too short or
  /// another buffer's.
  SegmentFiles(Disk& disk, Settings settings, std::uint32_t segments);

  Block take() override;
  void give_back(std::uint32_t number) noexcept override;

  Block at(std::uint32_t number) const;
  std::uint32_t segments() const { return static_cast<std::uint32_t>(mapped_.size()); }
  const Settings& settings() const { return settings_; }

  /// All blocks but these are free.
  void set_used(std::span<const std::uint32_t> numbers);
  /// That block was written to; the next `sync` will see to it.
  void mark(std::uint32_t number) { dirty_[number / settings_.blocks_per_segment] = true; }
  /// Everything marked reaches the disk. Throws IoError; then it is unknown what did.
  void sync();

  /// Blocks given back so far that still wait, and: the first `count` of those may be used again.
  std::size_t waiting() const;
  void release(std::size_t count);

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(std::byte* data) const;
  };
  using Memory = std::unique_ptr<std::byte, Unmap>;
  struct Mapping {
    Memory memory;
    std::optional<File> file;  // empty: memory only, where writing is not allowed
  };

  std::filesystem::path path_of(std::uint32_t index) const;
  std::size_t segment_bytes() const;
  /// Of a file, or of nothing but memory.
  Memory map(const File* file, const std::filesystem::path& path) const;
  void open_segment(std::uint32_t index);
  void add_segment();
  Mapping make_segment(const std::filesystem::path& path, std::uint32_t index) const;

  Disk& disk_;
  Settings settings_;
  mutable std::mutex mutex_;  // once per block, not per row
  std::vector<Mapping> mapped_;
  std::vector<bool> dirty_;
  std::vector<std::uint32_t> free_, waiting_;
  bool directory_changed_ = false;
};

}  // namespace mneme
