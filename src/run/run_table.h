// run/run_table.h - a CSV file of a run: lines appended, and truncated to where a checkpoint left
// it.
#pragma once

#include <filesystem>
#include <string>

#include "base/state.h"
#include "run/tables.h"

namespace mneme::lab {

class RunTableFile {
 public:
  /// The file of this table in a run's directory, made with its header if it is missing; a link in
  /// its place is refused. Throws IoError.
  RunTableFile(const std::filesystem::path& directory, RunTable table);
  ~RunTableFile();
  RunTableFile(const RunTableFile&) = delete;
  RunTableFile& operator=(const RunTableFile&) = delete;

  /// One line, without its end. Throws IoError.
  void add(const std::string& line);

  /// Everything so far is on the disk and counts; what comes later does not, for `load`.
  void save(StateWriter& out);
  /// Removes what was written after that `save`. Throws CorruptData if there is less.
  void load(StateReader& in);

 private:
  void write(const std::string& text);
  std::uint64_t bytes() const;

  std::filesystem::path path_;
  int file_;
};

}  // namespace mneme::lab
