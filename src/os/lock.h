// os/lock.h - one process at a time in a directory.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace mneme::lab {

/// A lock on a directory itself (flock), given up when the process ends, however it ends. File
/// systems that cannot lock directories are let through.
class DirectoryLock {
 public:
  /// Throws IoError if another process holds it, or the directory cannot be opened; a link in its
  /// place is refused.
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

  /// Whether the path still leads to the directory that is locked.
  bool still_there() const;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

/// A lock file that child processes inherit: it holds as long as this process or one that it
/// started lives.
class InheritedLock {
 public:
  /// Waits so long for the process that has it, then throws IoError with `taken`. The file is made, never
  /// removed; a link in its place is refused.
  InheritedLock(const std::filesystem::path& file, std::chrono::milliseconds patience,
                const std::string& taken);
  ~InheritedLock();
  InheritedLock(const InheritedLock&) = delete;
  InheritedLock& operator=(const InheritedLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace mneme::lab
