// os/file.cpp - open, read, write, rename.
#include "os/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what, int error) {
  throw IoError(concat(path.string(), ": cannot ", what, ": ", std::strerror(error)));
}

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

std::string contents(int file, const fs::path& path, std::size_t limit) {
  struct stat status {};
  if (fstat(file, &status) != 0) fail(path, "read", errno);
  if (!S_ISREG(status.st_mode)) throw IoError(concat(path.string(), " is not a regular file"));
  if (static_cast<std::uintmax_t>(status.st_size) > limit)
    throw IoError(concat(path.string(), " has ", status.st_size, " bytes; at most ", limit,
                         " are read"));
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  char more[4096];  // it may have grown since
  for (;;) {
    const bool full = done == text.size();
    const ssize_t got = full ? read(file, more, sizeof more)
                             : read(file, text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "read", errno);
    if (got == 0) break;
    if (full) text.append(more, static_cast<std::size_t>(got));
    done += static_cast<std::size_t>(got);
    if (done > limit) throw IoError(concat(path.string(), " grew beyond ", limit, " bytes"));
  }
  text.resize(done);
  return text;
}

void write_all(int file, const fs::path& path, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = write(file, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(path, "write", errno);
    if (done == 0) fail(path, "write", ENOSPC);
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

// Where a link ends; a link to nothing is refused.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  fs::path end = fs::canonical(path, error);
  if (error) throw IoError(concat(path.string(), " is a link to a file that does not exist"));
  return end;
}

// The kind of the file at the end of a path; FileType::not_found for none.
fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type();
}

}  // namespace

std::optional<std::string> read_file_if_present(const fs::path& path, std::size_t limit) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (file.number < 0) fail(path, "open", errno);
  return contents(file.number, path, limit);
}

std::string read_file(const fs::path& path, std::size_t limit) {
  std::optional<std::string> text = read_file_if_present(path, limit);
  if (!text) fail(path, "open", ENOENT);
  return *std::move(text);
}

int open_regular(const fs::path& path, OpenFor purpose) {
  const int flags = purpose == OpenFor::append       ? O_WRONLY | O_APPEND | O_CREAT
                    : purpose == OpenFor::create_new ? O_WRONLY | O_CREAT | O_EXCL
                                                     : O_RDWR;
  const int file = open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file < 0 && errno == ELOOP)
    throw IoError(concat(path.string(), " is a link; a file that is written must not be one"));
  if (file < 0) fail(path, "open for writing", errno);
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
  close(file);
  throw IoError(concat(path.string(), " is not a regular file"));
}

void truncate_file(const fs::path& path, std::uintmax_t bytes) {
  const Descriptor file{open_regular(path, OpenFor::update)};
  struct stat status {};
  if (fstat(file.number, &status) != 0) fail(path, "look at", errno);
  if (static_cast<std::uintmax_t>(status.st_size) < bytes)
    throw IoError(concat(path.string(), " has ", status.st_size, " bytes, not the ", bytes,
                         " it should have at least"));
  if (ftruncate(file.number, static_cast<off_t>(bytes)) != 0) fail(path, "truncate", errno);
}

NewFile::NewFile(fs::path target) : target_(resolved(target)) {
  const fs::file_type type = type_of(target_);
  if (type != fs::file_type::not_found && type != fs::file_type::regular)
    throw IoError(concat(target_.string(), " is not a regular file and is not replaced"));
  std::random_device random;
  for (int tries = 0; file_ < 0; ++tries) {
    std::string letters;
    for (int k = 0; k < 8; ++k) letters += "abcdefghijklmnopqrstuvwxyz234567"[random() % 32];
    temporary_ = target_.parent_path() /
                 concat('.', target_.filename().string().substr(0, 200), '.', letters, ".part");
    file_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0 && (errno != EEXIST || tries > 100)) fail(target_, "write", errno);
  }
  struct stat status {};
  if (type == fs::file_type::regular && stat(target_.c_str(), &status) == 0)
    fchmod(file_, status.st_mode & 0777);  // as it was
}

NewFile::~NewFile() {
  if (!committed_) unlink(temporary_.c_str());
  if (file_ >= 0) close(file_);
}

void NewFile::write(const void* data, std::size_t bytes) {
  write_all(file_, target_, data, bytes);
}

void NewFile::commit() {
  if (fsync(file_) != 0) fail(target_, "write", errno);
  // Checked again: what came into its place since is not ours to replace.
  const fs::file_type type = type_of(target_);
  if (type != fs::file_type::not_found && type != fs::file_type::regular)
    throw IoError(concat(target_.string(), " is not a regular file and is not replaced"));
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, "rename", errno);
  committed_ = true;
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const Descriptor directory{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.number >= 0) fsync(directory.number);
}

void write_file(const fs::path& path, std::string_view content) {
  const fs::path target = resolved(path);
  const fs::file_type type = type_of(target);
  if (type == fs::file_type::character || type == fs::file_type::fifo) {
    const Descriptor file{open(target.c_str(), O_WRONLY | O_CLOEXEC)};
    if (file.number < 0) fail(path, "open for writing", errno);
    return write_all(file.number, path, content.data(), content.size());
  }
  std::error_code error;
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  NewFile file(target);
  file.write(content.data(), content.size());
  file.commit();
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  if (error) return false;
  const fs::path within = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error) return false;
  const auto [end, at] = std::mismatch(within.begin(), within.end(), whole.begin(), whole.end());
  return end == within.end() && at != whole.end();
}

}  // namespace mneme::lab
