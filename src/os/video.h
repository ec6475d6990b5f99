// os/video.h - frames into a file: compressed by the system's ffmpeg, or uncompressed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "os/file.h"
#include "os/subprocess.h"

namespace mneme::lab {

class Video {
 public:
  /// `path` ending in .y4m is written without an encoder (any player reads it, it is large); any
  /// other ending is ffmpeg's to understand. The file appears when it is finished. Throws NotFound
  /// where ffmpeg is missing, IoError where the file cannot be written.
  Video(const std::string& path, int width, int height, double frames_per_second);
  ~Video();
  Video(const Video&) = delete;
  Video& operator=(const Video&) = delete;

  /// One frame: width x height x 3 bytes. Throws IoError.
  void add(std::span<const std::uint8_t> rgb);
  /// Ends the file. Throws IoError if the encoder failed.
  void finish();

 private:
  void write(const void* data, std::size_t bytes);

  std::string path_;
  std::unique_ptr<NewFile> file_;
  std::unique_ptr<Subprocess> encoder_;
  std::vector<std::uint8_t> planes_;
};

}  // namespace mneme::lab
