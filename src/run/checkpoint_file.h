// run/checkpoint_file.h - state in a file with a checksum: all of it, or an error.
//
//   {CheckpointWriter out(path); out.put(step); agent.save(out); out.finish();}
//   CheckpointReader in(path); step = in.get<Index>(); agent.load(in); in.finish();
//
// The file is written under another name and takes its own when everything is on the disk.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/state.h"
#include "storage/disk.h"

namespace mneme::lab {

class CheckpointWriter final : public StateWriter {
 public:
  /// Throws IoError, here and later.
  explicit CheckpointWriter(std::filesystem::path path);
  ~CheckpointWriter() override;
  void write(const void* data, std::size_t bytes) override;
  /// Nothing is there before this returns.
  void finish();

 private:
  void flush();

  std::filesystem::path path_, temporary_;
  std::unique_ptr<File> file_;
  std::vector<std::byte> pending_;
  std::uint32_t sum_ = 0;
  bool finished_ = false;
};

class CheckpointReader final : public StateReader {
 public:
  /// Reads the whole file and compares its checksum. Throws IoError, CorruptData.
  explicit CheckpointReader(const std::filesystem::path& path);
  void read(void* data, std::size_t bytes) override;
  /// 3 is what CheckpointWriter writes; 2 is read too.
  int version() const { return version_; }
  /// Throws CorruptData if something is left.
  void finish() const;

 private:
  std::string path_;
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0, end_ = 0;
  int version_ = 0;
};

}  // namespace mneme::lab
