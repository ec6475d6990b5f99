// os/write_file.cpp - a new file beside the old one, then rename.
#include "os/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

std::string text_of(int error) { return std::strerror(error); }

// The file that will be replaced: behind symbolic links, which may point to nothing yet.
fs::path target_of(const fs::path& path) {
  if (path.empty()) throw InvalidArgument("the name of the file to write must not be empty");
  std::error_code error;
  fs::path target = path;
  for (int links = 0; fs::is_symlink(target, error); ++links) {
    if (links == 40) throw IoError(concat(path.string(), ": too many symbolic links"));
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  const fs::file_status status = fs::status(target, error);
  if (status.type() == fs::file_type::directory || !target.has_filename())
    throw IoError(concat(path.string(), ": is a folder; name a file in it"));
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw IoError(concat(path.string(), ": not a regular file; name another file"));
  if (target.has_parent_path()) {
    fs::create_directories(target.parent_path(), error);
    if (error)
      throw IoError(concat(path.string(), ": cannot make its folder (", error.message(),
                           "); name another file"));
  }
  return target;
}

// An empty file of its own beside the target, and its removal unless it was renamed.
class NewFile {
 public:
  NewFile(const fs::path& path, fs::path target) : path_(path), target_(std::move(target)) {
    std::string name = (target_.parent_path() / ".mneme-XXXXXX").string();
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) fail("cannot make a file in its folder", errno);
    name_ = name;
    // mkstemp lets the owner alone read it: the old file's rights, or what the umask leaves.
    struct stat old{};
    const mode_t mask = umask(0);
    umask(mask);
    const bool there = stat(target_.c_str(), &old) == 0;
    (void)fchmod(file_, there ? old.st_mode & 07777 : 0666 & ~mask);
  }
  ~NewFile() {
    if (file_ >= 0) close(file_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& name() const { return name_; }
  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t done = ::write(file_, text.data(), text.size());
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail("cannot write", errno);
      text.remove_prefix(static_cast<std::size_t>(done));
    }
  }
  void replace() {
    if (close(std::exchange(file_, -1)) != 0) fail("cannot write", errno);
    if (rename(name_.c_str(), target_.c_str()) != 0) fail("cannot replace it", errno);
    name_.clear();
  }

 private:
  [[noreturn]] void fail(const char* what, int error) const {
    throw IoError(concat(path_.string(), ": ", what, " (", text_of(error), "); ",
                         error == ENOSPC ? "make room on the disk" : "name another file"));
  }

  fs::path path_, target_;
  std::string name_;
  int file_ = -1;
};

}  // namespace

void write_file(const fs::path& path, std::string_view text) {
  NewFile file(path, target_of(path));
  file.write(text);
  file.replace();
}

void write_file_with(const fs::path& path, const std::function<void(const fs::path&)>& write) {
  NewFile file(path, target_of(path));
  write(file.name());
  file.replace();
}

}  // namespace mneme::lab
