// study/run_directory.cpp - looking, and clearing by renaming first.
#include "study/run_directory.h"

#include <fstream>
#include <iterator>

#include "base/text.h"
#include "mneme/buffer_files.h"
#include "mneme/error.h"

namespace mneme::lab {

namespace fs = std::filesystem;

Progress progress_of(const fs::path& directory) {
  std::error_code error;
  if (!fs::exists(directory / "config.toml", error)) return Progress::none;
  if (!fs::exists(directory / "replay", error))
    return fs::exists(directory / "eval.csv", error) ? Progress::over : Progress::none;
  try {
    // As the trainer tells: the state whose number is that of the buffer's last commit.
    const std::uint64_t commit = buffer_info((directory / "replay").string()).commit;
    return fs::exists(directory / "checkpoint" / concat("state-", commit), error) ? Progress::begun
                                                                                  : Progress::none;
  } catch (const Error&) {
    return Progress::none;
  }
}

std::string configuration_in(const fs::path& directory) {
  std::ifstream file(directory / "config.toml", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void clear_finished(const fs::path& directory) {
  std::error_code error;
  // One rename decides: a run with half a buffer would be neither finished nor to go on with.
  fs::rename(directory / "replay", directory / "replay.old", error);
  for (const char* name : {"replay.old", "checkpoint"}) fs::remove_all(directory / name, error);
}

}  // namespace mneme::lab
