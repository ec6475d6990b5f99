// os/subprocess.cpp - fork, exec, a pipe back, a process group to end.
#include "os/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/text.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 200;
constexpr auto kPatience =
    std::chrono::seconds(3);  // between asking a program to end and ending it

volatile std::sig_atomic_t interrupted = 0;

class CatchInterrupts {
 public:
  CatchInterrupts() {
    interrupted = 0;
    for (std::size_t at = 0; at < kSignals.size(); ++at)
      before_[at] = std::signal(kSignals[at], [](int) { interrupted = 1; });
  }
  ~CatchInterrupts() {
    for (std::size_t at = 0; at < kSignals.size(); ++at) std::signal(kSignals[at], before_[at]);
  }
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<void (*)(int), 3> before_{};
};

// Between fork and exec: nothing but system calls.
[[noreturn]] void become(char* const* words, const char* directory, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before it could be watched
  setpgid(0, 0);                      // Ctrl-C is passed on, in its order
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(one, SIG_DFL);
  if (*directory != '\0' && chdir(directory) != 0) _exit(127);
  execv(words[0], words);
  _exit(127);
}

class Child {
 public:
  Child(std::vector<std::string> words, const std::string& directory) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw IoError(concat("cannot start ", words.front(), ": ", std::strerror(errno)));
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) become(pointers.data(), directory.c_str(), ends[1], parent);
    const int error = errno;
    close(ends[1]);
    pipe_ = ends[0];
    fcntl(pipe_, F_SETFL, O_NONBLOCK);
    if (process_ < 0) {
      close(pipe_);
      throw IoError(concat("cannot start ", words.front(), ": ", std::strerror(error)));
    }
    setpgid(process_, process_);  // whoever of the two comes first
  }
  ~Child() {
    if (!ended_) {
      kill(-process_, SIGKILL);
      while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    close(pipe_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Whole lines so far, after at most a tick.
  template <class F>
  void listen(const F& line) {
    pollfd at{pipe_, POLLIN, 0};
    if (poll(&at, 1, open_ ? kTickMilliseconds : 0) <= 0 && open_) return;
    drain(line);
    if (!open_) usleep(10'000);  // closed its output and still runs
  }
  template <class F>
  void drain(const F& line) {
    std::array<char, 4096> bytes;
    for (;;) {
      const ssize_t got = read(pipe_, bytes.data(), bytes.size());
      if (got == 0) open_ = false;
      if (got <= 0) return;
      for (const char c : std::string_view(bytes.data(), static_cast<std::size_t>(got))) {
        if (c != '\n' && c != '\r') {
          if (part_.size() < 4000) part_ += c;
        } else if (!part_.empty()) {
          line(part_);
          part_.clear();
        }
      }
    }
  }
  template <class F>
  void last_words(const F& line) {
    drain(line);
    if (!part_.empty()) line(part_);
  }

  bool ended() {
    int status = 0;
    if (!ended_ && waitpid(process_, &status, WNOHANG) == process_) {
      ended_ = true;
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return ended_;
  }
  int code() const { return code_; }
  void signal_group(int signal) const { kill(-process_, signal); }

 private:
  pid_t process_ = -1;
  int pipe_ = -1, code_ = 0;
  bool ended_ = false, open_ = true;
  std::string part_;
};

}  // namespace

int run_child(const std::vector<std::string>& words, const ChildOutput& output) {
  const CatchInterrupts guard;
  Child child(words, output.working_directory.string());
  while (!child.ended() && interrupted == 0) {
    child.listen(output.line);
    if (output.tick) output.tick();
  }
  if (interrupted != 0) {
    child.signal_group(SIGTERM);
    const Clock::time_point until = Clock::now() + kPatience;
    while (!child.ended() && Clock::now() < until) child.listen(output.line);
    child.signal_group(SIGKILL);  // what it started and left behind
    throw Stopped(concat("stopped ", words.front()));
  }
  child.last_words(output.line);
  return child.code();
}

fs::path find_program(const std::string& name) {
  if (name.empty()) return {};
  const auto runs = [](const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    const fs::path path = fs::absolute(name).lexically_normal();
    return runs(path) ? path : fs::path();
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && runs(fs::path(folder) / name)) return fs::absolute(folder) / name;
  return {};
}

}  // namespace mneme::lab
