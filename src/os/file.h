// os/file.h - files read whole, replaced whole, and opened without following links.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace mneme::lab {

/// The whole of a regular file of at most `limit` bytes. Never waits (a FIFO is refused). Throws
/// IoError with the path and the reason.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 31);

/// The same; nothing if there is no such file.
std::optional<std::string> read_file_if_present(const std::filesystem::path& path,
                                                std::size_t limit = std::size_t{1} << 31);

/// A regular file opened for writing, made if it is missing; a link in its place is refused, so that
/// a directory from elsewhere cannot point a write at another file. The caller closes the
/// descriptor. Throws IoError.
enum class OpenFor { append, update, create_new };
int open_regular(const std::filesystem::path& path, OpenFor purpose);

/// Takes a regular file back to `bytes`; a link in its place is refused. Throws IoError if it is
/// shorter.
void truncate_file(const std::filesystem::path& path, std::uintmax_t bytes);

/// A file that appears whole or not at all: written beside its target under a name of its own
/// (O_EXCL, O_NOFOLLOW), on the disk before it is renamed. Where the target is a link, the file it
/// points to is replaced. A target that is neither missing nor a regular file is refused.
class NewFile {
 public:
  /// Throws IoError, here and later; then the target is as it was.
  explicit NewFile(std::filesystem::path target);
  ~NewFile();  ///< takes the temporary away unless it was committed
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void commit();
  int descriptor() const { return file_; }
  const std::filesystem::path& temporary() const { return temporary_; }

 private:
  std::filesystem::path target_, temporary_;
  int file_ = -1;
  bool committed_ = false;
};

/// Writes a whole file, by NewFile; its folder is made if need be. A character device or a FIFO
/// (/dev/stdout) is written to as it is. Throws IoError.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Whether `path`, every link in it followed, is in `folder` or below it.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace mneme::lab
