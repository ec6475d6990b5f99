// os/rotating_log.cpp - appending and moving on.
#include "os/rotating_log.h"

namespace mneme::lab {

namespace fs = std::filesystem;

RotatingLog::RotatingLog(fs::path directory, std::size_t limit)
    : directory_(std::move(directory)), limit_(limit) {}

// Not before there is something to write: the directory of a run is made by the run.
void RotatingLog::open() {
  if (file_.is_open()) return;
  std::error_code error;
  if (!fs::is_directory(directory_, error)) return;
  const fs::path path = directory_ / "log.txt";
  const std::uintmax_t there = fs::file_size(path, error);
  bytes_ = error ? 0 : static_cast<std::size_t>(there);
  file_.open(path, std::ios::app | std::ios::binary);
}

void RotatingLog::write(std::string_view text) {
  open();
  if (!file_.is_open()) return;
  if (bytes_ > 0 && bytes_ + text.size() > limit_) {
    file_.close();
    std::error_code error;
    fs::rename(directory_ / "log.1.txt", directory_ / "log.2.txt", error);
    fs::rename(directory_ / "log.txt", directory_ / "log.1.txt", error);
    open();
  }
  file_ << text << std::flush;
  bytes_ += text.size();
}

}  // namespace mneme::lab
