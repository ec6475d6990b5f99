// run/checkpoint_file.cpp - header, state, checksum.
#include "run/checkpoint_file.h"

#include <cstring>
#include <limits>
#include <utility>

#include "base/crc32c.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

// "MNMECK03": the last two characters are the version. 2 had no success of training episodes.
constexpr std::uint64_t kMagic = 0x3330'4b43'454d'4e4dULL;
constexpr std::uint64_t kMagic2 = 0x3230'4b43'454d'4e4dULL;
constexpr std::size_t kChunk = std::size_t{1} << 20;

}  // namespace

CheckpointWriter::CheckpointWriter(std::filesystem::path path) : file_(std::move(path)) {
  put(kMagic);
}

void CheckpointWriter::write(const void* data, std::size_t bytes) {
  sum_ = crc32c(sum_, data, bytes);
  const std::size_t at = pending_.size();
  pending_.resize(at + bytes);
  if (bytes > 0) std::memcpy(pending_.data() + at, data, bytes);
  if (pending_.size() >= kChunk) flush();
}

void CheckpointWriter::flush() {
  file_.write(pending_.data(), pending_.size());
  pending_.clear();
}

void CheckpointWriter::finish() {
  const std::uint32_t sum = sum_;  // writing it changes the running one
  put(sum);
  flush();
  file_.commit();
}

CheckpointReader::CheckpointReader(const std::filesystem::path& path) : path_(path.string()) {
  bytes_ = read_file(path, std::numeric_limits<std::size_t>::max());
  std::uint32_t sum = 0;
  if (bytes_.size() < sizeof kMagic + sizeof sum)
    throw CorruptData(concat(path_, " is too short for a checkpoint"));
  end_ = bytes_.size() - sizeof sum;
  std::memcpy(&sum, bytes_.data() + end_, sizeof sum);
  const auto magic = get<std::uint64_t>();
  version_ = magic == kMagic ? kCheckpointVersion : kCheckpointVersion - 1;
  if (magic != kMagic && magic != kMagic2)
    throw CorruptData(concat(path_, " is not a checkpoint of a version that this program reads"));
  if (crc32c(0, bytes_.data(), end_) != sum)
    throw CorruptData(concat(path_, " is corrupt: its checksum does not match"));
}

void CheckpointReader::read(void* data, std::size_t bytes) {
  if (bytes > end_ - at_) throw CorruptData(concat(path_, " ends too early"));
  if (bytes > 0) std::memcpy(data, bytes_.data() + at_, bytes);
  at_ += bytes;
}

void CheckpointReader::finish() const {
  if (at_ != end_) throw CorruptData(concat(path_, ": trailing bytes after the checkpoint"));
}

}  // namespace mneme::lab
