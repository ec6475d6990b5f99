// study/engines/local/run_process.cpp - fork, exec, a pipe back.
#include "study/engines/local/run_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

// Between fork and exec: nothing but system calls.
[[noreturn]] void become(const char* program, char* const* words, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before it could be watched
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  // Ctrl-C reaches the whole terminal; the study passes it on in its own order.
  setpgid(0, 0);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  execv(program, words);
  _exit(127);
}

}  // namespace

Worker::Worker(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               std::filesystem::path directory)
    : log_(std::move(directory)) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw IoError(concat("cannot start a worker: ", std::strerror(errno)));
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) become(program.c_str(), pointers.data(), ends[1], parent);
  close(ends[1]);
  if (process_ < 0) {
    close(ends[0]);
    throw IoError(concat("cannot start a worker: ", std::strerror(errno)));
  }
  pipe_ = ends[0];
  fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

Worker::~Worker() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(pipe_);
}

void Worker::listen() {
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t got = read(pipe_, bytes.data(), bytes.size());
    if (got <= 0) return;
    const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
    log_.write(text);
    for (const char c : text) {
      if (c != '\n') {
        if (line_.size() < 4096) line_ += c;
        continue;
      }
      if (line_.starts_with("mneme: ") && !line_.starts_with("mneme: note: "))
        complaint_ = line_.substr(7);
      line_.clear();
    }
  }
}

bool Worker::ended() {
  if (process_ < 0) return true;
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return false;
  process_ = -1;
  listen();
  ending_.done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  ending_.killed = WIFSIGNALED(status);
  ending_.stopped = !ending_.killed && complaint_.starts_with("stopped at step");
  if (ending_.killed)
    ending_.words = concat("ended by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)),
                           WTERMSIG(status) == SIGKILL ? "; was the memory full?)" : ")");
  else if (!ending_.done)
    ending_.words =
        complaint_.empty() ? concat("ended with code ", WEXITSTATUS(status)) : complaint_;
  return true;
}

void Worker::ask_to_stop() const {
  if (process_ > 0) kill(process_, SIGTERM);
}

void Worker::kill_now() const {
  if (process_ > 0) kill(process_, SIGKILL);
}

}  // namespace mneme::lab
