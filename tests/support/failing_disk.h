// tests/support/failing_disk.h - disks that fail on purpose, and one that remembers what a power
// loss would leave.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "mneme/rng.h"
#include "storage/disk.h"

namespace mneme::testing {

/// A directory of its own that goes away with the test; in memory where the system has that, for a
/// real fsync costs milliseconds and proves nothing here.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = access(memory.c_str(), W_OK) == 0;
    const std::filesystem::path parent = usable ? memory : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "mneme-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::vector<char> bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
inline void write_bytes(const std::filesystem::path& path, const std::vector<char>& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Fails the n-th operation of a kind from now on, once or for good.
class FailingDisk : public Disk {
 public:
  enum class Fault { none, full, short_write, sync, rename };
  void fail(Fault fault, int after) { fault_ = fault, countdown_ = after; }
  bool failed() const { return failed_; }

  int allocate(int file, off_t bytes) override {
    return now(Fault::full) ? ENOSPC : Disk::allocate(file, bytes);
  }
  ssize_t write(int file, const void* data, std::size_t bytes) override {
    if (now(Fault::full)) return errno = ENOSPC, -1;
    // A short write is not an error: the rest must follow.
    if (bytes > 1 && now(Fault::short_write)) return Disk::write(file, data, bytes / 2);
    return Disk::write(file, data, bytes);
  }
  int sync(int file) override { return now(Fault::sync) ? (errno = EIO, -1) : Disk::sync(file); }
  int rename(const char* from, const char* to) override {
    return now(Fault::rename) ? (errno = EIO, -1) : Disk::rename(from, to);
  }

 private:
  bool now(Fault fault) {
    if (fault != fault_ || countdown_-- > 0) return false;
    fault_ = Fault::none;
    return failed_ = true;
  }
  Fault fault_ = Fault::none;
  int countdown_ = 0;
  bool failed_ = false;
};

/// Does everything, and knows what of it was synced. `lose_power` writes into another directory
/// what might be found after the machine stopped now: of what was not synced, every sector is there
/// or not as chance has it, and a rename may or may not have happened.
class PowerLossDisk : public Disk {
 public:
  int sync(int file) override {
    const int done = Disk::sync(file);
    const std::filesystem::path path =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file));
    if (!std::filesystem::is_directory(path)) {
      synced_[path.filename()] = bytes_of(path);
    } else {
      for (const auto& entry : std::filesystem::directory_iterator(path))
        if (entry.path().filename() != "manifest") named_[entry.path().filename()] = true;
      if (renamed_) durable_manifest_ = current_manifest_;
      has_durable_manifest_ |= renamed_;
    }
    return done;
  }
  int rename(const char* from, const char* to) override {
    const int done = Disk::rename(from, to);
    current_manifest_ = synced_[std::filesystem::path(from).filename()];
    renamed_ = true;
    return done;
  }

  void lose_power(const std::filesystem::path& from, const std::filesystem::path& to,
                  Rng& rng) const {
    std::filesystem::create_directories(to);
    for (const auto& entry : std::filesystem::directory_iterator(from)) {
      const std::string name = entry.path().filename();
      if (name == "manifest" || name == "manifest.new") continue;
      const bool known = named_.count(name) != 0;
      if (!known && rng.below(2) == 0) continue;
      const std::vector<char> now = bytes_of(entry.path());
      const auto found = synced_.find(name);
      std::vector<char> left = found == synced_.end() ? std::vector<char>{} : found->second;
      left.resize(now.size(), 0);
      for (std::size_t at = 0; at < now.size(); at += 512) {
        if (rng.below(2) == 0) continue;
        for (std::size_t k = at; k < std::min(now.size(), at + 512); ++k) left[k] = now[k];
      }
      write_bytes(to / name, left);
    }
    const bool newer = renamed_ && (!has_durable_manifest_ || rng.below(2) == 0);
    if (newer && (has_durable_manifest_ || rng.below(2) == 0))
      write_bytes(to / "manifest", current_manifest_);
    else if (has_durable_manifest_)
      write_bytes(to / "manifest", durable_manifest_);
  }

 private:
  std::map<std::string, std::vector<char>> synced_;
  std::map<std::string, bool> named_;
  std::vector<char> current_manifest_, durable_manifest_;
  bool renamed_ = false, has_durable_manifest_ = false;
};

}  // namespace mneme::testing
