// mneme/buffer_files.h - looking into a buffer's directory without being the one who uses it.
//
//   mneme::BufferInfo info = mneme::buffer_info("replay");      // reads the manifest only
//   mneme::verify_buffer("replay");                             // reads everything
//   mneme::export_buffer("replay", "columns");                  // NumPy files
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mneme/replay_buffer.h"

namespace mneme {

struct BufferInfo {
  ReplayConfig config;
  std::uint64_t commit = 0;          ///< how many there have been
  Index transitions = 0;             ///< stored, in all streams
  std::uint64_t added = 0;           ///< ever added
  std::uint64_t cuts = 0;            ///< streams interrupted without an end
  std::uint64_t ends = 0;            ///< stored transitions after which nothing follows
  std::vector<Index> sizes;          ///< transitions stored, by stream
  std::vector<std::string> readers;  ///< names; "" is the buffer's own
  std::uint64_t bytes = 0;           ///< of all its files
  std::size_t files = 0;
};

/// Called with the share that is done, in [0, 1].
using Progress = std::function<void(double)>;

/// What the last commit holds; works while another process has the buffer open. Throws IoError if
/// there is no buffer, CorruptData.
BufferInfo buffer_info(const std::string& path);

/// Reads every row of the last commit and compares checksums. Throws CorruptData for what does not
/// fit, IoError if the buffer is open elsewhere. Returns the number of bytes it looked at.
std::uint64_t verify_buffer(const std::string& path, const Progress& progress = {});

/// Writes the columns of all stored transitions, stream by stream and oldest first, as NumPy files
/// into a directory: observation, action, reward, next_observation, end (0 none, 1 terminated, 2
/// truncated, 3 cut), stream, sequence, and the extra fields; bf16, which NumPy lacks, as float32.
/// Returns the files. Throws IoError, also if one of them exists already; CorruptData.
std::vector<std::string> export_buffer(const std::string& path, const std::string& directory,
                                       const Progress& progress = {});

}  // namespace mneme
