// term/progress.cpp - bars, and the escape sequences that take lines back.
#include "term/progress.h"

#include <algorithm>

#include "base/text.h"

namespace mneme::lab {

std::string bar_text(double share, std::size_t width) {
  const double done = std::clamp(share, 0.0, 1.0);
  const auto halves = static_cast<std::size_t>(done * static_cast<double>(2 * width));
  std::string bar;
  for (std::size_t k = 0; k < width; ++k)
    bar += 2 * k + 1 < halves ? "━" : 2 * k < halves ? "╸" : "─";
  return bar;
}

std::string progress_text(const std::string& what, double share, double seconds,
                          std::size_t width) {
  const double done = std::clamp(share, 0.0, 1.0);
  std::string end = concat("  ", static_cast<int>(done * 100), " %");
  if (done > 0 && done < 1) end += concat(", ", duration_text(seconds / done - seconds), " left");
  const std::string begin = clipped(what, 20) + "  ";
  const std::size_t taken = display_width(begin) + display_width(end);
  const std::size_t room = width > taken ? std::min<std::size_t>(30, width - taken) : 0;
  return clipped(begin + bar_text(done, room) + end, width);
}

bool StatusLines::due() const {
  return screen_.live && !quiet_ &&
         std::chrono::steady_clock::now() - shown_ >= std::chrono::milliseconds(200);
}

void StatusLines::show(const std::vector<std::string>& lines) {
  if (!due()) return;
  shown_ = std::chrono::steady_clock::now();
  clear();
  // One column less than there are: some terminals wrap at the last one.
  const std::size_t room = screen_.width > 1 ? screen_.width - 1 : 79;
  for (const std::string& line : lines) out_ << clipped(line, room) << '\n';
  out_ << std::flush;
  drawn_ = lines.size();
}

void StatusLines::say(const std::string& line) {
  if (quiet_) return;
  clear();
  out_ << line << '\n' << std::flush;
}

void StatusLines::clear() {
  if (drawn_ == 0) return;
  out_ << "\r\033[" << drawn_ << "A\033[J" << std::flush;  // up to the first line, all below away
  drawn_ = 0;
}

void ProgressLine::show(double share) {
  if (!lines_.due()) return;
  const std::chrono::duration<double> since_start = Clock::now() - start_;
  if (since_start.count() < 1) return;
  const std::size_t width = lines_.screen().width > 1 ? lines_.screen().width - 1 : 79;
  lines_.show({progress_text(what_, share, since_start.count(), width)});
}

}  // namespace mneme::lab
