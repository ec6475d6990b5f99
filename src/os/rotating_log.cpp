// os/rotating_log.cpp - appending and renaming.
#include "os/rotating_log.h"

#include <unistd.h>

#include <utility>

#include "mneme/error.h"
#include "os/file.h"

namespace mneme::lab {

namespace fs = std::filesystem;

RotatingLog::RotatingLog(fs::path directory, std::size_t limit)
    : directory_(std::move(directory)), limit_(limit) {}

RotatingLog::~RotatingLog() {
  if (file_ >= 0) close(file_);
}

void RotatingLog::open() {
  if (file_ >= 0) return;
  std::error_code error;
  if (!fs::is_directory(directory_, error)) return;
  const fs::path path = directory_ / "log.txt";
  const std::uintmax_t there = fs::file_size(path, error);
  bytes_ = error ? 0 : static_cast<std::size_t>(there);
  try {
    file_ = open_regular(path, OpenFor::append);
  } catch (const Error&) {
  }
}

void RotatingLog::write(std::string_view text) {
  open();
  if (file_ < 0) return;
  if (bytes_ > 0 && bytes_ + text.size() > limit_) {
    close(std::exchange(file_, -1));
    std::error_code error;
    fs::rename(directory_ / "log.1.txt", directory_ / "log.2.txt", error);
    fs::rename(directory_ / "log.txt", directory_ / "log.1.txt", error);
    open();
    if (file_ < 0) return;
  }
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written > 0) bytes_ += static_cast<std::size_t>(written);
}

}  // namespace mneme::lab
