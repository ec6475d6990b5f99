// run/event_file.h - scalars as TensorBoard reads them.
//
//   EventFile events(directory / "tensorboard", 0);
//   events.add(step, {{"score/walker-run", 0.31}, {"loss/critic", 1.2}});
//
// A file is a row of records: length, checksum of the length, bytes, checksum of the bytes. The
// bytes are a protocol buffer of TensorFlow's event.proto, of which this writes the five fields
// that scalars take. Names are fixed by TensorBoard: events.out.tfevents.SECONDS.anything, read in
// order.
//
// A resumed run continues in another file, which begins with an event that the session started
// again at this step: TensorBoard then drops what older files have from there on, the steps that
// were taken after the checkpoint and are taken again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mneme::lab {

class EventFile {
 public:
  /// A new file in this folder, which is made if need be. `resumed_at` above 0: what older files
  /// have of this step and later ones no longer counts. Throws IoError.
  EventFile(const std::filesystem::path& folder, std::int64_t resumed_at);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// Values of one step, in the file when this returns. Throws IoError.
  void add(std::int64_t step, const std::vector<std::pair<std::string, double>>& scalars);

  const std::filesystem::path& path() const { return path_; }

 private:
  void write(const std::string& event);

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace mneme::lab
