// run/run_log.h - the tables of a run: lines appended, and taken back to where a checkpoint
// left them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "base/state.h"

namespace mneme::lab {

class RunLog {
 public:
  /// A CSV file with this first line, or the one that is there. Throws IoError.
  RunLog(std::filesystem::path path, const std::string& header);

  /// One line, without its end.
  void add(const std::string& line);

  /// Everything so far is in the file and counts; what comes later does not, for `load`.
  void save(StateWriter& out);
  /// What was written after that `save` is gone.
  void load(StateReader& in);

 private:
  void flush();

  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace mneme::lab
