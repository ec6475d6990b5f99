// os/remove.cpp - walking by descriptors, so that no name is looked up through a link.
#include "os/remove.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what, int error) {
  throw IoError(concat(path.string(), ": cannot ", what, ": ", std::strerror(error)));
}

// An open directory, by descriptor.
class Folder {
 public:
  Folder(int parent, const char* name, const fs::path& path) {
    const int file = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 && (errno == ELOOP || errno == ENOTDIR))
      throw IoError(concat(path.string(), " is not a directory"));
    if (file < 0) fail(path, "open", errno);
    stream_.reset(fdopendir(file));
    if (!stream_) {
      close(file);
      fail(path, "read", errno);
    }
  }
  int descriptor() const { return dirfd(stream_.get()); }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    while (const dirent* entry = readdir(stream_.get())) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") all.push_back(name);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  struct Close {
    void operator()(DIR* stream) const { closedir(stream); }
  };
  std::unique_ptr<DIR, Close> stream_;
};

bool matches(std::span<const std::string_view> patterns, const std::string& path) {
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    return fnmatch(std::string(pattern).c_str(), path.c_str(), FNM_PATHNAME) == 0;
  });
}

// Whether a pattern has files below this directory.
bool may_hold(std::span<const std::string_view> patterns, const std::string& directory) {
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    return pattern.starts_with(directory + "/");
  });
}

// Every entry below a folder: its parent's descriptor, its name, its path from the top, its status;
// directories after what is in them. Only into directories that `enter` accepts.
using Visit = std::function<void(int parent, const std::string& name, const std::string& path,
                                 const struct stat& status)>;
void walk(const Folder& folder, const fs::path& top, const std::string& below,
          const std::function<bool(const std::string&)>& enter, const Visit& visit, int depth = 0) {
  for (const std::string& name : folder.names()) {
    const std::string path = below.empty() ? name : below + "/" + name;
    struct stat status {};
    if (fstatat(folder.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;
      fail(top / path, "look at", errno);
    }
    if (S_ISDIR(status.st_mode) && enter(path)) {
      if (depth > 200) throw IoError(concat((top / path).string(), ": directories nested too deep"));
      walk(Folder(folder.descriptor(), name.c_str(), top / path), top, path, enter, visit,
           depth + 1);
    }
    visit(folder.descriptor(), name, path, status);
  }
}

bool is_regular(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

void remove_file_at(int parent, const std::string& name, const fs::path& path) {
  if (unlinkat(parent, name.c_str(), 0) != 0 && errno != ENOENT) fail(path, "remove", errno);
}

void remove_matching(const fs::path& directory, const KnownFiles& what,
                     std::span<const std::string_view> patterns) {
  const Folder folder(AT_FDCWD, directory.c_str(), directory);
  walk(
      folder, directory, "", [&](const std::string& path) { return may_hold(what.patterns, path); },
      [&](int parent, const std::string& name, const std::string& path, const struct stat& status) {
        if (S_ISREG(status.st_mode)) {
          if (matches(what.patterns, path) && matches(patterns, path))
            remove_file_at(parent, name, directory / path);
        } else if (S_ISDIR(status.st_mode) && may_hold(patterns, path)) {
          unlinkat(parent, name.c_str(), AT_REMOVEDIR);  // stays if something is left in it
        }
      });
}

void remove_everything(const fs::path& directory) {
  const Folder folder(AT_FDCWD, directory.c_str(), directory);
  struct stat top {};
  fstat(folder.descriptor(), &top);
  walk(
      folder, directory, "", [](const std::string&) { return true; },
      [&](int parent, const std::string& name, const std::string& path, const struct stat& status) {
        if (status.st_dev != top.st_dev)
          throw IoError(concat((directory / path).string(), " is on another file system"));
        if (!S_ISDIR(status.st_mode)) return remove_file_at(parent, name, directory / path);
        if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
          fail(directory / path, "remove", errno);
      });
  if (rmdir(directory.c_str()) != 0 && errno != ENOENT) fail(directory, "remove", errno);
}

}  // namespace

Contents contents_of(const fs::path& directory, const KnownFiles& what) {
  Contents found;
  const Folder folder(AT_FDCWD, directory.c_str(), directory);
  walk(
      folder, directory, "", [&](const std::string& path) { return may_hold(what.patterns, path); },
      [&](int, const std::string&, const std::string& path, const struct stat& status) {
        if (S_ISDIR(status.st_mode) && may_hold(what.patterns, path)) return;
        if (!S_ISREG(status.st_mode) || !matches(what.patterns, path)) {
          found.unknown.push_back(path);
          return;
        }
        found.known.push_back(path);
        found.bytes += static_cast<std::uintmax_t>(status.st_size);
        found.marked |= path == what.marker;
      });
  return found;
}

bool remove_known(const fs::path& directory, const KnownFiles& what) {
  if (!contents_of(directory, what).marked)
    throw InvalidArgument(concat(directory.string(), " is not removed: it has no ", what.marker,
                                 ", so that nothing proves what it is"));
  // The marker last: what is interrupted can be repeated.
  std::vector<std::string_view> others;
  for (const std::string_view pattern : what.patterns)
    if (pattern != what.marker) others.push_back(pattern);
  remove_matching(directory, what, others);
  remove_matching(directory, what, std::span(&what.marker, 1));
  return rmdir(directory.c_str()) == 0;
}

void remove_known_part(const fs::path& directory, const KnownFiles& what,
                       std::span<const std::string_view> patterns) {
  remove_matching(directory, what, patterns);
}

void remove_own_directory(const fs::path& directory) noexcept {
  try {
    remove_everything(directory);
  } catch (const std::exception&) {  // what cannot be removed stays
  }
}

bool remove_marked_directory(const fs::path& directory, const fs::path& marker) {
  struct stat status {};
  if (lstat(directory.c_str(), &status) != 0 && errno == ENOENT) return false;
  const fs::path parent = marker.parent_path();
  if (!is_regular(marker) || (parent != directory && parent != directory.parent_path()))
    throw InvalidArgument(concat(directory.string(), " is not removed: it has no ",
                                 marker.filename().string(), ", so that nothing proves what it is"));
  remove_everything(directory);
  return true;
}

bool remove_known_file(const fs::path& folder, std::string_view name) {
  const fs::path path = folder / name;
  if (!is_regular(path)) return false;
  if (unlink(path.c_str()) != 0 && errno != ENOENT) fail(path, "remove", errno);
  return true;
}

bool remove_empty_directory(const fs::path& directory) { return rmdir(directory.c_str()) == 0; }

}  // namespace mneme::lab
