// storage/segment_files.cpp - making, mapping and syncing segments.
#include "storage/segment_files.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/crc32c.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

constexpr std::size_t kHeaderBytes = 4096;

std::uint32_t crc_of(const SegmentHeader& header) {
  return crc32c(0, &header, offsetof(SegmentHeader, crc));
}

}  // namespace

SegmentFiles::SegmentFiles(Disk& disk, Settings settings, std::uint32_t segments)
    : disk_(disk), settings_(std::move(settings)) {
  for (std::uint32_t k = 0; k < segments; ++k) open_segment(k);
}

void SegmentFiles::Unmap::operator()(std::byte* data) const { munmap(data, bytes); }

std::filesystem::path SegmentFiles::path_of(std::uint32_t index) const {
  char number[16];
  std::snprintf(number, sizeof number, "-%06u", index);
  return settings_.directory / concat(settings_.name, number, ".segment");
}

std::size_t SegmentFiles::segment_bytes() const {
  return kHeaderBytes + settings_.block_bytes * settings_.blocks_per_segment;
}

SegmentFiles::Memory SegmentFiles::map(const File* file, const std::filesystem::path& path) const {
  const int sharing = file == nullptr ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
                      : settings_.access == Access::write ? MAP_SHARED
                                                          : MAP_PRIVATE;
  void* data = mmap(nullptr, segment_bytes(), PROT_READ | PROT_WRITE, sharing,
                    file == nullptr ? -1 : file->descriptor(), 0);
  if (data == MAP_FAILED) throw_io_error(path, "map", errno);
  return Memory(static_cast<std::byte*>(data), Unmap{segment_bytes()});
}

void SegmentFiles::open_segment(std::uint32_t index) {
  const std::filesystem::path path = path_of(index);
  File file(path, settings_.access == Access::write ? File::Mode::write : File::Mode::read);
  // Looked at before it is mapped: touching a mapping beyond the end of its file is fatal.
  if (file.bytes() != segment_bytes())
    throw CorruptData(concat(path.string(), " has ", file.bytes(), " bytes where the manifest ",
                             "promises ", segment_bytes(), "; it was truncated or replaced"));
  Memory memory = map(&file, path);
  SegmentHeader header;
  std::memcpy(&header, memory.get(), sizeof header);
  const SegmentHeader wanted;
  if (header.magic != wanted.magic || header.crc != crc_of(header))
    throw CorruptData(concat(path.string(), " does not begin as a segment does"));
  if (header.version != wanted.version)
    throw CorruptData(concat(path.string(), " is of format version ", header.version,
                             "; this mneme reads version ", wanted.version));
  if (header.identity != settings_.identity || header.index != index ||
      header.block_bytes != settings_.block_bytes || header.blocks != settings_.blocks_per_segment)
    throw CorruptData(concat(path.string(), " belongs to another buffer"));
  mapped_.push_back({std::move(memory), std::move(file)});
  dirty_.push_back(false);
}

SegmentFiles::Mapping SegmentFiles::make_segment(const std::filesystem::path& path,
                                                 std::uint32_t index) const {
  if (settings_.access == Access::read) return {map(nullptr, path), std::nullopt};
  try {
    File file(path, File::Mode::create);
    const int error = disk_.allocate(file.descriptor(), static_cast<off_t>(segment_bytes()));
    if (error != 0) throw_io_error(path, "reserve space for more rows", error);
    Memory memory = map(&file, path);
    SegmentHeader header;
    header.index = index;
    header.identity = settings_.identity;
    header.block_bytes = settings_.block_bytes;
    header.blocks = settings_.blocks_per_segment;
    header.crc = crc_of(header);
    std::memcpy(memory.get(), &header, sizeof header);
    return {std::move(memory), std::move(file)};
  } catch (...) {
    unlink(path.c_str());
    throw;
  }
}

void SegmentFiles::add_segment() {
  const std::uint32_t index = segments();
  free_.reserve(free_.size() + settings_.blocks_per_segment);
  waiting_.reserve(std::size_t{index + 1} * settings_.blocks_per_segment);
  dirty_.reserve(index + 1);
  mapped_.push_back(make_segment(path_of(index), index));
  directory_changed_ = settings_.access == Access::write;
  dirty_.push_back(true);
  for (std::uint32_t k = settings_.blocks_per_segment; k-- > 0;)
    free_.push_back(index * settings_.blocks_per_segment + k);
}

Blocks::Block SegmentFiles::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) add_segment();
  const std::uint32_t number = free_.back();
  free_.pop_back();
  return at(number);
}

void SegmentFiles::give_back(std::uint32_t number) noexcept {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(number);  // room was reserved with the segment
}

Blocks::Block SegmentFiles::at(std::uint32_t number) const {
  const std::size_t within = number % settings_.blocks_per_segment;
  return {mapped_[number / settings_.blocks_per_segment].memory.get() + kHeaderBytes +
              within * settings_.block_bytes,
          number};
}

void SegmentFiles::set_used(std::span<const std::uint32_t> numbers) {
  const std::size_t all = mapped_.size() * settings_.blocks_per_segment;
  std::vector<bool> used(all, false);
  for (const std::uint32_t number : numbers) used[number] = true;
  free_.clear();
  free_.reserve(all);
  waiting_.reserve(all);
  for (std::size_t k = all; k-- > 0;) {
    if (!used[k]) free_.push_back(static_cast<std::uint32_t>(k));
  }
}

void SegmentFiles::sync() {
  for (std::size_t k = 0; k < mapped_.size(); ++k) {
    if (!dirty_[k]) continue;
    if (disk_.sync(mapped_[k].file->descriptor()) != 0)
      throw_io_error(path_of(static_cast<std::uint32_t>(k)), "sync", errno);
    dirty_[k] = false;
  }
  if (directory_changed_) sync_directory(disk_, settings_.directory);
  directory_changed_ = false;
}

std::size_t SegmentFiles::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void SegmentFiles::release(std::size_t count) {
  const std::lock_guard lock(mutex_);
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  free_.insert(free_.end(), waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
}

}  // namespace mneme
