// run/run_table.cpp - appending to CSV files.
#include "run/run_table.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"
#include "storage/disk.h"

namespace mneme::lab {

RunTableFile::RunTableFile(const std::filesystem::path& directory, RunTable table)
    : path_(directory / file_of(table)), file_(open_regular(path_, OpenFor::append)) {
  try {
    if (bytes() == 0) write(header_of(table) + '\n');
  } catch (...) {
    close(file_);
    throw;
  }
}

RunTableFile::~RunTableFile() { close(file_); }

void RunTableFile::write(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t done = ::write(file_, text.data() + at, text.size() - at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw IoError(concat(path_.string(), ": cannot write; is the disk full?"));
    at += static_cast<std::size_t>(done);
  }
}

std::uint64_t RunTableFile::bytes() const {
  struct stat status{};
  if (fstat(file_, &status) != 0) throw_io_error(path_, "look at", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void RunTableFile::add(const std::string& line) { write(line + '\n'); }

void RunTableFile::save(StateWriter& out) {
  // What a checkpoint counts on must be on the disk before it.
  if (Disk::real().sync(file_) != 0) throw_io_error(path_, "sync", errno);
  out.put(bytes());
}

void RunTableFile::load(StateReader& in) {
  const auto kept = in.get<std::uint64_t>();
  if (bytes() < kept)
    throw CorruptData(concat(path_.string(), " is shorter than when the checkpoint was written"));
  if (ftruncate(file_, static_cast<off_t>(kept)) != 0) throw_io_error(path_, "truncate", errno);
}

}  // namespace mneme::lab
