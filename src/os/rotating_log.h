// os/rotating_log.h - a text file of bounded size: log.txt, and before it log.1.txt and log.2.txt.
#pragma once

#include <filesystem>
#include <string_view>

namespace mneme::lab {

class RotatingLog {
 public:
  /// Appends to `directory`/log.txt, which is renamed when it has `limit` bytes. The directory is
  /// not made: before it exists, what is written is dropped. Trouble with the file is not reported,
  /// because a run must not fail for its log.
  explicit RotatingLog(std::filesystem::path directory, std::size_t limit = std::size_t{1} << 20);
  ~RotatingLog();
  RotatingLog(const RotatingLog&) = delete;
  RotatingLog& operator=(const RotatingLog&) = delete;
  void write(std::string_view text);

 private:
  void open();

  std::filesystem::path directory_;
  std::size_t limit_, bytes_ = 0;
  int file_ = -1;
};

}  // namespace mneme::lab
