// os/video.cpp - YUV4MPEG2, and a pipe to ffmpeg.
#include "os/video.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// For a shell: in single quotes, which mean themselves.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace

Video::Video(const std::string& path, int width, int height, double frames_per_second)
    : path_(path), width_(width), height_(height) {
  const std::string rate =
      concat(static_cast<long>(std::lround(frames_per_second * 1000)), ":1000");
  if (ends_with(path, ".y4m")) {
    out_ = std::fopen(path.c_str(), "wb");
    if (out_ == nullptr) throw IoError(concat("cannot write ", path));
    std::fprintf(out_, "YUV4MPEG2 W%d H%d F%s Ip A1:1 C444\n", width, height, rate.c_str());
    planes_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
    return;
  }
  if (std::system("command -v ffmpeg >/dev/null 2>&1") != 0)
    throw NotFound(
        concat("writing ", path,
               " needs ffmpeg: apt-get install ffmpeg; or name a file that ends in .y4m, "
               "which needs no encoder"));
  std::signal(SIGPIPE, SIG_IGN);  // an encoder that gives up is an error to report, not our end
  std::string size = concat(width, 'x', height);
  encoder_ = true;
  out_ = popen(concat("ffmpeg -y -loglevel error -f rawvideo -pix_fmt rgb24 -s ", size, " -r ",
                      frames_per_second, " -i - -pix_fmt yuv420p ", quoted(path))
                   .c_str(),
               "w");
  if (out_ == nullptr) throw IoError("cannot start ffmpeg");
}

Video::~Video() {
  if (out_ != nullptr) encoder_ ? pclose(out_) : std::fclose(out_);
}

void Video::add(std::span<const std::uint8_t> rgb) {
  bool fine = true;
  if (encoder_) {
    fine = std::fwrite(rgb.data(), 1, rgb.size(), out_) == rgb.size();
  } else {
    // Full planes of luma and of the two colour differences (BT.601, studio range).
    const std::size_t pixels = planes_.size() / 3;
    const auto level = [](double x) { return static_cast<std::uint8_t>(std::lround(x)); };
    for (std::size_t i = 0; i < pixels; ++i) {
      const double r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
      planes_[i] = level(16 + 0.257 * r + 0.504 * g + 0.098 * b);
      planes_[pixels + i] = level(128 - 0.148 * r - 0.291 * g + 0.439 * b);
      planes_[2 * pixels + i] = level(128 + 0.439 * r - 0.368 * g - 0.071 * b);
    }
    fine = std::fputs("FRAME\n", out_) >= 0 &&
           std::fwrite(planes_.data(), 1, planes_.size(), out_) == planes_.size();
  }
  if (!fine) throw IoError(concat("cannot write ", path_));
}

void Video::finish() {
  const int status = encoder_ ? pclose(out_) : std::fclose(out_);
  out_ = nullptr;
  if (status != 0) throw IoError(concat("cannot finish ", path_));
}

}  // namespace mneme::lab
