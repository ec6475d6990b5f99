// os/interrupt.h - Ctrl-C, SIGTERM and SIGHUP as a request to stop.
//
//   const InterruptGuard guard;
//   while (!done && !guard.requested()) step();
//   if (!done) throw guard.interrupted("stopped at step 12");
#pragma once

#include <array>
#include <csignal>
#include <string>

#include "mneme/error.h"
#include "os/exit_codes.h"

namespace mneme::lab {

/// The user or another process asked this one to stop, and it did.
struct Interrupted : Error {
  /// `code`: kStopped where the work can be continued, 128 and the signal where it cannot.
  explicit Interrupted(const std::string& message, int code = 128 + SIGINT)
      : Error(message), exit_code(code) {}
  int exit_code;
};

/// Counts SIGINT, SIGTERM and SIGHUP while it lives; the handlers from before come back after it.
/// A SIGHUP that was ignored (nohup) stays ignored. One at a time per process.
class InterruptGuard {
 public:
  /// exit_on_second: a second signal ends the process at once, with 128 and the signal.
  enum class Second { count, exit };
  explicit InterruptGuard(Second second = Second::count);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static int count();  ///< signals since the guard was made
  static bool requested() { return count() > 0; }
  static int signal();  ///< the last one; 0: none

  /// What to throw when nothing can be continued.
  static Interrupted interrupted(const std::string& message);

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace mneme::lab
