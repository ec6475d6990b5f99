// os/rotating_log.h - a text file that does not grow without end: log.txt, and before it
// log.1.txt and log.2.txt.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace mneme::lab {

class RotatingLog {
 public:
  /// Appends to `directory`/log.txt, which is moved on when it has `limit` bytes. Trouble with the
  /// file is not reported: what a worker says is also in its error, and no run ends for its log.
  explicit RotatingLog(std::filesystem::path directory, std::size_t limit = std::size_t{1} << 20);
  void write(std::string_view text);

 private:
  void open();

  std::filesystem::path directory_;
  std::size_t limit_, bytes_ = 0;
  std::ofstream file_;
};

}  // namespace mneme::lab
