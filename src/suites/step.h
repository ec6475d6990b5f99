// suites/step.h - one program of an installation, with progress and a log.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace mneme::lab {

/// Phase, elapsed time and last line of output: one changing line on a terminal, plain lines
/// elsewhere.
class InstallProgress {
 public:
  InstallProgress(std::string suite, int phases);
  ~InstallProgress();
  InstallProgress(const InstallProgress&) = delete;
  InstallProgress& operator=(const InstallProgress&) = delete;

  void phase(const std::string& what);
  void line(const std::string& text);
  void show() const;

 private:
  std::string suite_, what_, last_;
  int phases_, at_ = 0;
  bool terminal_;
  std::chrono::steady_clock::time_point begun_;
};

/// Runs programs one after the other, in the directory "/": an interpreter finds no module in the
/// user's working directory, nor through relative entries of PYTHONPATH.
class Step {
 public:
  /// Both may be empty. A log is appended to; a symbolic link in its place is refused.
  Step(InstallProgress* progress, std::filesystem::path log)
      : progress_(progress), log_(std::move(log)) {}

  /// The lines of output. Throws IoError with the last lines if the exit code is not 0, Interrupted.
  std::vector<std::string> operator()(const std::string& what,
                                      const std::vector<std::string>& words) const;

 private:
  InstallProgress* progress_;
  std::filesystem::path log_;
};

}  // namespace mneme::lab
