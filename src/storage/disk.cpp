// storage/disk.cpp - system calls, and what to say when they fail.
#include "storage/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {

int Disk::allocate(int file, off_t bytes) { return posix_fallocate(file, 0, bytes); }
ssize_t Disk::write(int file, const void* data, std::size_t bytes) {
  return ::write(file, data, bytes);
}
int Disk::sync(int file) { return fsync(file); }
int Disk::rename(const char* from, const char* to) { return std::rename(from, to); }

Disk& Disk::real() {
  static Disk disk;
  return disk;
}

void throw_io_error(const std::filesystem::path& path, const char* what, int error) {
  throw IoError(concat(path.string(), ": cannot ", what, ": ", std::strerror(error)));
}

namespace {

// O_NOFOLLOW: a planted link must not lead to a file outside the directory.
// O_NONBLOCK: opening a FIFO would wait for its other end.
int flags_of(File::Mode mode) {
  constexpr int kSafely = O_NOFOLLOW | O_NONBLOCK;
  switch (mode) {
    case File::Mode::read:
      return O_RDONLY | kSafely;
    case File::Mode::write:
      return O_RDWR | kSafely;
    case File::Mode::create:
      return O_RDWR | O_CREAT | O_EXCL | kSafely;
    case File::Mode::directory:
      return O_RDONLY | O_DIRECTORY;
  }
  return O_RDONLY;
}

[[noreturn]] void throw_not_regular(const std::filesystem::path& path) {
  throw IoError(concat(path.string(), " must be a regular file, not a link, a FIFO or a device"));
}

}  // namespace

File::File(const std::filesystem::path& path, Mode mode) : path_(path) {
  if (mode == Mode::create) unlink(path.c_str());
  descriptor_ = open(path.c_str(), flags_of(mode) | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    // ELOOP: a symbolic link; ENXIO: a FIFO or socket without another end.
    if (errno == ENXIO || (errno == ELOOP && mode != Mode::directory)) throw_not_regular(path);
    throw_io_error(path, mode == Mode::create ? "create" : "open", errno);
  }
  struct stat status;
  const bool regular = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!regular && mode != Mode::directory) {
    close(descriptor_);
    throw_not_regular(path);
  }
}

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

std::size_t File::bytes() const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) throw_io_error(path_, "look at", errno);
  return static_cast<std::size_t>(status.st_size);
}

void replace_file(Disk& disk, const std::filesystem::path& path, const void* data,
                  std::size_t bytes) {
  std::filesystem::path fresh = path;
  fresh += ".new";
  try {
    const File file(fresh, File::Mode::create);
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t done = disk.write(file.descriptor(), at, bytes);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw_io_error(fresh, "write", errno);
      if (done == 0) throw_io_error(fresh, "write", ENOSPC);
      at += done;
      bytes -= static_cast<std::size_t>(done);
    }
    if (disk.sync(file.descriptor()) != 0) throw_io_error(fresh, "sync", errno);
    struct stat old;
    if (lstat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) throw_not_regular(path);
    if (disk.rename(fresh.c_str(), path.c_str()) != 0) throw_io_error(fresh, "rename", errno);
  } catch (...) {
    unlink(fresh.c_str());
    throw;
  }
  sync_directory(disk, path.parent_path());
}

void sync_directory(Disk& disk, const std::filesystem::path& path) {
  const File directory(path, File::Mode::directory);
  if (disk.sync(directory.descriptor()) != 0) throw_io_error(path, "sync", errno);
}

}  // namespace mneme
