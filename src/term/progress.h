// term/progress.h - the progress display: lines on standard error that are drawn over themselves.
//
//   ProgressLine line("verifying");
//   verify_buffer(path, line.callback());
//
// Drawn on a terminal only, at most five times a second, never wider than it: a line that wraps
// could not be drawn over.
#pragma once

#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "term/number_format.h"
#include "term/screen.h"

namespace mneme::lab {

/// A bar of `width` columns of which `share` is filled: "━━━━╸────".
std::string bar_text(double share, std::size_t width);

/// "verifying  ━━━━╸────  52 %, 8 s left", at most `width` columns.
std::string progress_text(const std::string& what, double share, double seconds, std::size_t width);

/// A block of lines that is drawn over itself.
class StatusLines {
 public:
  /// Quiet: neither shows nor says anything.
  explicit StatusLines(bool quiet = false, std::ostream& out = std::cerr,
                       const Screen& screen = progress_screen())
      : out_(out), screen_(screen), quiet_(quiet) {}
  ~StatusLines() { clear(); }
  StatusLines(const StatusLines&) = delete;
  StatusLines& operator=(const StatusLines&) = delete;

  /// Draws the lines, clipped to the screen, unless the last ones are fresher than a fifth of a
  /// second or there is no terminal.
  void show(const std::vector<std::string>& lines);
  /// Whether the next `show` would draw.
  bool due() const;
  /// A line that stays, above the block.
  void say(const std::string& line);
  /// Takes the block off the screen.
  void clear();
  const Screen& screen() const { return screen_; }

 private:
  std::ostream& out_;
  const Screen screen_;
  bool quiet_;
  std::size_t drawn_ = 0;  // lines on the screen
  std::chrono::steady_clock::time_point shown_{};
};

/// A bar with the time that is left, once the work has taken longer than a second.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what) : what_(std::move(what)), start_(Clock::now()) {}

  void show(double share);
  std::function<void(double)> callback() {
    return [this](double share) { show(share); };
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  Clock::time_point start_;
  StatusLines lines_;
};

}  // namespace mneme::lab
