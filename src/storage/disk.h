// storage/disk.h - the few file operations that can fail in the middle, each in one place.
//
// The class itself is the real disk; tests derive from it to fail on purpose (short writes, a full
// disk, an fsync that reports an error) and to record what would survive a power loss.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace mneme {

class Disk {
 public:
  virtual ~Disk() = default;

  // As the system calls: -1 and errno, or what they did. `allocate` returns an error number.
  virtual int allocate(int file, off_t bytes);
  virtual ssize_t write(int file, const void* data, std::size_t bytes);
  virtual int sync(int file);
  virtual int rename(const char* from, const char* to);

  static Disk& real();
};

/// An open regular file, or directory, that closes itself.
class File {
 public:
  /// create: a new file; one of that name, or a link, is removed first.
  enum class Mode { read, write, create, directory };
  /// Throws IoError with the path and the reason: also for a symbolic link, a FIFO, a device, or a
  /// directory where a file is meant. Never waits.
  File(const std::filesystem::path& path, Mode mode);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;

  int descriptor() const { return descriptor_; }
  std::size_t bytes() const;

 private:
  int descriptor_;
  std::filesystem::path path_;
};

/// "PATH: cannot WHAT: No space left on device".
[[noreturn]] void throw_io_error(const std::filesystem::path& path, const char* what, int error);

/// Writes a whole file, under another name first: a reader of `path` finds the old or the new
/// content, also after a power loss. Throws IoError, also if `path` is anything but a regular file;
/// then the old content is still there.
void replace_file(Disk& disk, const std::filesystem::path& path, const void* data,
                  std::size_t bytes);
void sync_directory(Disk& disk, const std::filesystem::path& path);

}  // namespace mneme
