// run/checkpoint_file.h - state in a file with a checksum: all of it, or an error.
//
//   {CheckpointWriter out(path); out.put(step); agent.save(out); out.finish();}
//   CheckpointReader in(path); step = in.get<Index>(); agent.load(in); in.finish();
//
// The file is written under a temporary name and renamed when everything is on the disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/state.h"
#include "os/file.h"

namespace mneme::lab {

/// What CheckpointWriter writes; CheckpointReader also reads the one before it.
inline constexpr int kCheckpointVersion = 3;

class CheckpointWriter final : public StateWriter {
 public:
  /// Throws IoError, here and later.
  explicit CheckpointWriter(std::filesystem::path path);
  void write(const void* data, std::size_t bytes) override;
  /// The file does not exist before this returns.
  void finish();

 private:
  void flush();

  NewFile file_;
  std::vector<std::byte> pending_;
  std::uint32_t sum_ = 0;
};

class CheckpointReader final : public StateReader {
 public:
  /// Reads the whole file and compares its checksum. Throws IoError, CorruptData.
  explicit CheckpointReader(const std::filesystem::path& path);
  void read(void* data, std::size_t bytes) override;
  int version() const { return version_; }
  /// Throws CorruptData if something is left.
  void finish() const;

 private:
  std::string path_, bytes_;
  std::size_t at_ = 0, end_ = 0;
  int version_ = 0;
};

}  // namespace mneme::lab
