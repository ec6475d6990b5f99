// os/lock.cpp - flock on directories and on files.
#include "os/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"

namespace mneme::lab {

DirectoryLock::DirectoryLock(const std::filesystem::path& directory) : path_(directory) {
  file_ = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file_ < 0) throw IoError(concat(directory.string(), ": ", std::strerror(errno)));
  if (flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(file_);
  throw IoError(concat(directory.string(), " is in use by another process"));
}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) close(file_);
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

bool DirectoryLock::still_there() const {
  struct stat locked{}, there{};
  return fstat(file_, &locked) == 0 && stat(path_.c_str(), &there) == 0 &&
         locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
}

InheritedLock::InheritedLock(const std::filesystem::path& path, std::chrono::milliseconds patience,
                             const std::string& taken) {
  file_ = open_regular(path, OpenFor::append);
  fcntl(file_, F_SETFD, 0);  // not closed on exec: workers hold it too
  const auto end = std::chrono::steady_clock::now() + patience;
  while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > end) {
      close(file_);
      throw IoError(taken);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

InheritedLock::~InheritedLock() { close(file_); }

}  // namespace mneme::lab
