// os/video.h - frames into a file: compressed by the system's ffmpeg, or as they are.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace mneme::lab {

class Video {
 public:
  /// `path` ending in .y4m is written without an encoder (any player reads it, it is large); every
  /// other ending is ffmpeg's to understand. Throws NotFound where that is missing, IoError where
  /// the file cannot be written.
  Video(const std::string& path, int width, int height, double frames_per_second);
  ~Video();
  Video(const Video&) = delete;
  Video& operator=(const Video&) = delete;

  /// One frame: width x height x 3 bytes. Throws IoError.
  void add(std::span<const std::uint8_t> rgb);
  /// Ends the file. Throws IoError if the encoder was not content.
  void finish();

 private:
  std::string path_;
  int width_, height_;
  bool encoder_ = false;
  std::FILE* out_ = nullptr;
  std::vector<std::uint8_t> planes_;
};

}  // namespace mneme::lab
