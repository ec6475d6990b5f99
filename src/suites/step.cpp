// suites/step.cpp - one program of an installation, with progress and a log.
#include "suites/step.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"
#include "os/subprocess.h"
#include "term/progress.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 10'000;  // kept: the last ones
constexpr std::size_t kQuotedLines = 12;

class Log {
 public:
  explicit Log(const fs::path& path)
      : file_(path.empty() ? -1 : open_regular(path, OpenFor::append)) {}
  ~Log() {
    if (file_ >= 0) close(file_);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  void line(const std::string& text) {
    if (file_ < 0) return;
    const std::string whole = text + "\n";
    if (write(file_, whole.data(), whole.size()) < 0)
      throw IoError(concat("cannot write the log: ", std::strerror(errno)));
  }

 private:
  int file_;
};

}  // namespace

InstallProgress::InstallProgress(std::string suite, int phases)
    : suite_(std::move(suite)), phases_(phases), terminal_(isatty(STDERR_FILENO) != 0) {}

InstallProgress::~InstallProgress() {
  if (terminal_) std::cerr << "\r\033[K" << std::flush;
}

void InstallProgress::phase(const std::string& what) {
  what_ = concat(suite_, "  ", ++at_, "/", phases_, " ", what);
  last_.clear();
  begun_ = std::chrono::steady_clock::now();
  if (terminal_)
    show();
  else
    std::cerr << what_ << '\n';
}

void InstallProgress::line(const std::string& text) {
  last_ = text;
  if (terminal_) return;
  // The lines of pip that show how far it is.
  for (const char* word : {"Collecting", "Downloading", "Building", "Installing", "Successfully"})
    if (text.find(word) < 4)
      std::cerr << "  " << text.substr(0, std::min<std::size_t>(100, text.find(" (from "))) << '\n';
}

void InstallProgress::show() const {
  if (!terminal_) return;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun_;
  const std::string text = concat(what_, "  ", duration_text(took.count()), "  ", last_);
  std::cerr << '\r' << text.substr(0, known ? size.ws_col - 1U : 79) << "\033[K" << std::flush;
}

std::vector<std::string> Step::operator()(const std::string& what,
                                          const std::vector<std::string>& words) const {
  Log log(log_);
  log.line("$ " + join(words, " "));
  std::vector<std::string> lines;
  const int code =
      run_child(words, {.line =
                            [&](const std::string& line) {
                              log.line(line);
                              if (lines.size() == kMostLines)
                                lines.erase(lines.begin(), lines.begin() + kMostLines / 2);
                              lines.push_back(line);
                              if (progress_ != nullptr) progress_->line(line);
                            },
                        .tick =
                            [&] {
                              if (progress_ != nullptr) progress_->show();
                            },
                        .working_directory = "/"});
  if (code == 0) return lines;
  std::string text = concat(
      what, " failed with exit code ", code,
      log_.empty() ? "; its output ended with:" : concat("; the end of ", log_.string(), ":"));
  const std::size_t begin = lines.size() - std::min(kQuotedLines, lines.size());
  for (std::size_t i = begin; i < lines.size(); ++i)
    text += concat("\n  ", lines[i].substr(0, 300));
  throw IoError(text);
}

}  // namespace mneme::lab
