// run/run_log.cpp - appending to CSV files.
#include "run/run_log.h"

#include <cerrno>

#include "base/text.h"
#include "mneme/error.h"
#include "storage/disk.h"

namespace mneme::lab {

RunLog::RunLog(std::filesystem::path path, const std::string& header) : path_(std::move(path)) {
  std::error_code error;
  const bool fresh = !std::filesystem::exists(path_, error);
  file_.open(path_, std::ios::app | std::ios::binary);
  if (fresh) file_ << header << '\n';
  flush();
}

void RunLog::flush() {
  file_.flush();
  if (!file_) throw IoError(concat(path_.string(), ": cannot write; is the disk full?"));
}

void RunLog::add(const std::string& line) {
  file_ << line << '\n';
  flush();
}

void RunLog::save(StateWriter& out) {
  flush();
  // What a checkpoint counts on must be on the disk before it.
  const File file(path_, File::Mode::write);
  if (Disk::real().sync(file.descriptor()) != 0) throw_io_error(path_, "sync", errno);
  out.put(static_cast<std::uint64_t>(file.bytes()));
}

void RunLog::load(StateReader& in) {
  const auto bytes = in.get<std::uint64_t>();
  std::error_code error;
  const std::uintmax_t there = std::filesystem::file_size(path_, error);
  if (error || there < bytes)
    throw CorruptData(concat(path_.string(), " is shorter than when the checkpoint was written"));
  std::filesystem::resize_file(path_, bytes, error);
  if (error) throw IoError(concat(path_.string(), ": ", error.message()));
}

}  // namespace mneme::lab
