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

File::File(const std::filesystem::path& path, Mode mode) : path_(path) {
  const int flags = mode == Mode::read    ? O_RDONLY
                    : mode == Mode::write ? O_RDWR
                                          : O_RDWR | O_CREAT | O_TRUNC;
  descriptor_ = open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw_io_error(path, mode == Mode::create ? "create" : "open", errno);
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
    if (disk.rename(fresh.c_str(), path.c_str()) != 0) throw_io_error(fresh, "rename", errno);
  } catch (...) {
    unlink(fresh.c_str());
    throw;
  }
  sync_directory(disk, path.parent_path());
}

void sync_directory(Disk& disk, const std::filesystem::path& path) {
  const File directory(path, File::Mode::read);
  if (disk.sync(directory.descriptor()) != 0) throw_io_error(path, "sync", errno);
}

}  // namespace mneme
