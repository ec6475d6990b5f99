// term/progress.cpp - drawing the progress line.
#include "term/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "base/text.h"

namespace mneme::lab {
std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 120) return concat(whole, " s");
  if (whole < 7200) return concat(whole / 60, " min");
  return concat(whole / 3600, " h ", whole % 3600 / 60, " min");
}

std::string progress_text(const std::string& what, double share, double seconds) {
  constexpr std::size_t kWidth = 30;
  const double done = std::clamp(share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(done * kWidth);
  std::string text =
      concat(what.substr(0, 20), "  [", std::string(filled, '#'), std::string(kWidth - filled, '.'),
             "]  ", static_cast<int>(done * 100), " %");
  if (done > 0 && done < 1) text += concat(", ", duration_text(seconds / done - seconds), " left");
  return text;
}

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)),
      start_(Clock::now()),
      shown_(start_),
      terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (visible_) std::cerr << "\r\033[K" << std::flush;  // the answer comes next
}

void ProgressLine::show(double share) {
  if (!terminal_) return;
  const auto now = Clock::now();
  const std::chrono::duration<double> since_start = now - start_, since_shown = now - shown_;
  if (since_start.count() < 1 || since_shown.count() < 0.1) return;
  shown_ = now;
  visible_ = true;
  std::cerr << '\r' << progress_text(what_, share, since_start.count()) << "\033[K" << std::flush;
}

}  // namespace mneme::lab
