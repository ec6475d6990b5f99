// os/subprocess.cpp - fork, exec, pipes, and a process group to end.
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
#include <cstring>
#include <utility>

#include "base/text.h"

namespace mneme::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 200;
constexpr auto kPatience = std::chrono::seconds(3);  // between SIGTERM and SIGKILL

struct Ends {
  int input, output, error;
  const char* directory;
};

// Between fork and exec: nothing but system calls.
[[noreturn]] void become(char* const* words, const Ends& ends, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before it could be watched
  setpgid(0, 0);                      // Ctrl-C reaches a whole terminal; the parent passes it on
  if (*ends.directory != '\0' && chdir(ends.directory) != 0) _exit(126);
  dup2(ends.input, STDIN_FILENO);
  dup2(ends.output, STDOUT_FILENO);
  dup2(ends.error, STDERR_FILENO);
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(one, SIG_DFL);
  execv(words[0], words);
  _exit(127);
}

// Closes itself.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  int release() { return std::exchange(number, -1); }
};

void make_pipe(Descriptor& read, Descriptor& write, const std::string& program) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw IoError(concat("cannot start ", program, ": ", std::strerror(errno)));
  read.number = ends[0];
  write.number = ends[1];
}

int opened(const char* path, int flags) {
  const int file = open(path, flags | O_CLOEXEC, 0600);
  if (file < 0) throw IoError(concat(path, ": ", std::strerror(errno)));
  return file;
}

}  // namespace

Subprocess::Subprocess(std::vector<std::string> words, const SubprocessOptions& options) {
  if (words.empty() || words.front().empty()) throw InvalidArgument("no program to start");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  Descriptor out_read, out_write, in_read, in_write, file, nothing;
  make_pipe(out_read, out_write, words.front());
  if (options.input)
    make_pipe(in_read, in_write, words.front());
  else
    in_read.number = opened("/dev/null", O_RDONLY);
  if (!options.output_file.empty())
    file.number = opened(options.output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  if (options.quiet) nothing.number = opened("/dev/null", O_WRONLY);
  const std::string directory = options.working_directory.string();
  const Ends ends{.input = in_read.number,
                  .output = options.output_file.empty() ? out_write.number : file.number,
                  .error = options.quiet ? nothing.number : out_write.number,
                  .directory = directory.c_str()};

  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) become(pointers.data(), ends, parent);
  if (process_ < 0)
    throw IoError(concat("cannot start ", words.front(), ": ", std::strerror(errno)));
  setpgid(process_, process_);  // parent or child, whichever runs first
  output_ = out_read.release();
  input_ = in_write.release();
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

Subprocess::~Subprocess() {
  if (!exited_) {
    signal_group(SIGKILL);
    wait();
  }
  close_input();
  close(output_);
}

void Subprocess::close_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

void Subprocess::read_output(const std::function<void(std::string_view)>& text) {
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t got = read(output_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) closed_ = true;
    if (got <= 0) return;
    text(std::string_view(bytes.data(), static_cast<std::size_t>(got)));
  }
}

bool Subprocess::exited() {
  int status = 0;
  if (!exited_ && waitpid(process_, &status, WNOHANG) == process_) {
    exited_ = true;
    status_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    status_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + status_.signal;
  }
  return exited_;
}

ExitStatus Subprocess::wait() {
  int status = 0;
  while (!exited_) {
    if (waitpid(process_, &status, 0) != process_ && errno == EINTR) continue;
    exited_ = true;
    status_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    status_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + status_.signal;
  }
  return status_;
}

void Subprocess::signal(int number) const {
  if (!exited_) kill(process_, number);
}
void Subprocess::signal_group(int number) const { kill(-process_, number); }

void LineReader::add(std::string_view text, const std::function<void(const std::string&)>& line) {
  for (const char c : text) {
    if (c != '\n' && c != '\r') {
      if (part_.size() < longest_) part_ += c;
    } else if (!part_.empty()) {
      line(part_);
      part_.clear();
    }
  }
}

void LineReader::finish(const std::function<void(const std::string&)>& line) {
  if (!part_.empty()) line(part_);
  part_.clear();
}

int run_child(const std::vector<std::string>& words, const ChildOutput& output) {
  const InterruptGuard guard;
  Subprocess child(words, {.output_file = {}, .working_directory = output.working_directory});
  LineReader lines;
  const auto listen = [&] {
    pollfd at{child.output(), POLLIN, 0};
    if (child.output_closed())
      usleep(10'000);  // it closed its output and still runs
    else
      poll(&at, 1, kTickMilliseconds);
    child.read_output([&](std::string_view text) { lines.add(text, output.line); });
  };
  while (!child.exited() && !guard.requested()) {
    listen();
    if (output.tick) output.tick();
  }
  if (guard.requested()) {
    child.signal_group(SIGTERM);
    const Clock::time_point until = Clock::now() + kPatience;
    while (!child.exited() && Clock::now() < until) listen();
    child.signal_group(SIGKILL);  // what it started and left behind
    throw guard.interrupted(concat("stopped ", words.front()));
  }
  child.read_output([&](std::string_view text) { lines.add(text, output.line); });
  lines.finish(output.line);
  return child.status().code;
}

}  // namespace mneme::lab
