// os/video.cpp - YUV4MPEG2, and a pipe to ffmpeg.
#include "os/video.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "mneme/error.h"
#include "os/path_search.h"

namespace mneme::lab {
namespace {

// ffmpeg's name of a format, by the ending of the file: the temporary file does not have it.
std::string format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const auto& [known, format] : {std::pair<const char*, const char*>{".mp4", "mp4"},
                                      {".mkv", "matroska"},
                                      {".mov", "mov"},
                                      {".webm", "webm"},
                                      {".gif", "gif"},
                                      {".avi", "avi"}})
    if (ending == known) return format;
  throw InvalidArgument(
      concat("a video must end in .mp4, .mkv, .mov, .webm, .gif, .avi or .y4m, ", "got ", path));
}

}  // namespace

Video::Video(const std::string& path, int width, int height, double frames_per_second)
    : path_(path) {
  const bool raw = path.ends_with(".y4m");
  const std::filesystem::path ffmpeg = raw ? std::filesystem::path() : find_program("ffmpeg");
  if (!raw && ffmpeg.empty())
    throw NotFound(concat("writing ", path,
                          " needs ffmpeg: apt-get install ffmpeg; or name a file that ends in ",
                          ".y4m, which needs no encoder"));
  const std::string format = raw ? std::string() : format_of(path);
  file_ = std::make_unique<NewFile>(path);
  if (raw) {
    const std::string rate =
        concat(static_cast<long>(std::lround(frames_per_second * 1000)), ":1000");
    const std::string header =
        concat("YUV4MPEG2 W", width, " H", height, " F", rate, " Ip A1:1 C444\n");
    file_->write(header.data(), header.size());
    planes_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
    return;
  }
  std::signal(SIGPIPE, SIG_IGN);  // an encoder that exits early is an error to report
  std::vector<std::string> words{ffmpeg.string(),
                                 "-y",
                                 "-loglevel",
                                 "error",
                                 "-f",
                                 "rawvideo",
                                 "-pix_fmt",
                                 "rgb24",
                                 "-s",
                                 concat(width, 'x', height),
                                 "-r",
                                 shortest_number(frames_per_second),
                                 "-i",
                                 "-"};
  if (format != "gif") words.insert(words.end(), {"-pix_fmt", "yuv420p"});
  words.insert(words.end(), {"-f", format, "file:" + file_->temporary().string()});
  encoder_ = std::make_unique<Subprocess>(words, SubprocessOptions{.input = true});
}

Video::~Video() = default;

void Video::write(const void* data, std::size_t bytes) {
  if (!encoder_) return file_->write(data, bytes);
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::write(encoder_->input(), at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw IoError(concat("cannot write ", path_, ": ffmpeg has stopped"));
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void Video::add(std::span<const std::uint8_t> rgb) {
  if (encoder_) return write(rgb.data(), rgb.size());
  // Full planes of luma and of the two color differences (BT.601, studio range).
  const std::size_t pixels = planes_.size() / 3;
  const auto level = [](double x) { return static_cast<std::uint8_t>(std::lround(x)); };
  for (std::size_t i = 0; i < pixels; ++i) {
    const double r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    planes_[i] = level(16 + 0.257 * r + 0.504 * g + 0.098 * b);
    planes_[pixels + i] = level(128 - 0.148 * r - 0.291 * g + 0.439 * b);
    planes_[2 * pixels + i] = level(128 + 0.439 * r - 0.368 * g - 0.071 * b);
  }
  write("FRAME\n", 6);
  write(planes_.data(), planes_.size());
}

void Video::finish() {
  if (encoder_) {
    encoder_->close_input();
    if (encoder_->wait().code != 0) throw IoError(concat("cannot finish ", path_));
  }
  file_->commit();
}

}  // namespace mneme::lab
