// term/progress.h - one line on standard error for work that takes a while: a bar, the share, the
// time left.
//
//   ProgressLine line("verifying");
//   verify_buffer(path, line.callback());
//
// Shown only on a terminal, and only once the work has taken longer than a second.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace mneme::lab {

/// "47 s", "12 min", "3 h 5 min".
std::string duration_text(double seconds);

/// "verifying  [#####.....]  52 %, 8 s left", at most 79 characters.
std::string progress_text(const std::string& what, double share, double seconds);

class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(double share);
  std::function<void(double)> callback() {
    return [this](double share) { show(share); };
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  Clock::time_point start_, shown_;
  bool terminal_, visible_ = false;
};

}  // namespace mneme::lab
