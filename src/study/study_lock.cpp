// study/study_lock.cpp - a lock that workers inherit, so that it ends with the last of them.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/text.h"
#include "mneme/error.h"
#include "study/engines/local/engine.h"

namespace mneme::lab {

StudyLock::StudyLock(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const std::filesystem::path path = directory / "lock";
  // Not closed on exec, on purpose.
  file_ = open(path.c_str(), O_RDWR | O_CREAT, 0644);  // NOLINT(android-cloexec-open)
  if (file_ < 0) throw IoError(concat(path.string(), ": ", std::strerror(errno)));
  for (int tries = 0; flock(file_, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (tries > 100) {
      close(file_);
      throw IoError(concat(directory.string(), ": another mneme study is at work here; wait for ",
                           "it, or choose another directory with --out"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

StudyLock::~StudyLock() { close(file_); }

}  // namespace mneme::lab
