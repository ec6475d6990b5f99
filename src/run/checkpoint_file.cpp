// run/checkpoint_file.cpp - header, state, checksum.
#include "run/checkpoint_file.h"

#include <unistd.h>

#include <cerrno>

#include "base/crc32c.h"
#include "base/text.h"

namespace mneme::lab {
namespace {

// "MNMECK03": the last two characters are the version. 2 had no success of training episodes.
constexpr std::uint64_t kMagic = 0x3330'4b43'454d'4e4dULL;
constexpr std::uint64_t kMagic2 = 0x3230'4b43'454d'4e4dULL;
constexpr std::size_t kChunk = std::size_t{1} << 20;

}  // namespace

CheckpointWriter::CheckpointWriter(std::filesystem::path path)
    : path_(std::move(path)),
      temporary_(path_.string() + ".new"),
      file_(std::make_unique<File>(temporary_, File::Mode::create)) {
  put(kMagic);
}

CheckpointWriter::~CheckpointWriter() {
  if (!finished_) unlink(temporary_.c_str());
}

void CheckpointWriter::write(const void* data, std::size_t bytes) {
  sum_ = crc32c(sum_, data, bytes);
  const std::size_t at = pending_.size();
  pending_.resize(at + bytes);
  if (bytes > 0) std::memcpy(pending_.data() + at, data, bytes);
  if (pending_.size() >= kChunk) flush();
}

void CheckpointWriter::flush() {
  for (std::size_t at = 0; at < pending_.size();) {
    const ssize_t written =
        Disk::real().write(file_->descriptor(), pending_.data() + at, pending_.size() - at);
    if (written < 0) throw_io_error(temporary_, "write the checkpoint", errno);
    at += static_cast<std::size_t>(written);
  }
  pending_.clear();
}

void CheckpointWriter::finish() {
  const std::uint32_t sum = sum_;  // writing it changes the running one
  put(sum);
  flush();
  Disk& disk = Disk::real();
  if (disk.sync(file_->descriptor()) != 0) throw_io_error(temporary_, "sync", errno);
  if (disk.rename(temporary_.c_str(), path_.c_str()) != 0) throw_io_error(path_, "rename", errno);
  sync_directory(disk, path_.parent_path());
  finished_ = true;
}

CheckpointReader::CheckpointReader(const std::filesystem::path& path) : path_(path.string()) {
  const File file(path, File::Mode::read);
  bytes_.resize(file.bytes());
  for (std::size_t at = 0; at < bytes_.size();) {
    const ssize_t got = ::read(file.descriptor(), bytes_.data() + at, bytes_.size() - at);
    if (got <= 0) throw_io_error(path, "read", got == 0 ? EIO : errno);
    at += static_cast<std::size_t>(got);
  }
  std::uint32_t sum = 0;
  if (bytes_.size() < sizeof kMagic + sizeof sum)
    throw CorruptData(concat(path_, " is too short for a checkpoint"));
  end_ = bytes_.size() - sizeof sum;
  std::memcpy(&sum, bytes_.data() + end_, sizeof sum);
  const auto magic = get<std::uint64_t>();
  version_ = magic == kMagic ? 3 : 2;
  if (magic != kMagic && magic != kMagic2)
    throw CorruptData(concat(path_, " is no checkpoint of a version this program reads"));
  if (crc32c(0, bytes_.data(), end_) != sum)
    throw CorruptData(concat(path_, " is damaged: its checksum does not fit"));
}

void CheckpointReader::read(void* data, std::size_t bytes) {
  if (bytes > end_ - at_) throw CorruptData(concat(path_, " ends too early"));
  if (bytes > 0) std::memcpy(data, bytes_.data() + at_, bytes);
  at_ += bytes;
}

void CheckpointReader::finish() const {
  if (at_ != end_) throw CorruptData(concat(path_, " goes on after its end"));
}

}  // namespace mneme::lab
