// envs/remote/process.cpp - start, poll and kill of a worker subprocess.
#include "envs/remote/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/text.h"
#include "mneme/error.h"

extern char** environ;

namespace mneme::envs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr off_t kMuchOutput = 1 << 20, kKeptOutput = 16384;
constexpr off_t kQuoted = 2000;  // bytes of output in a message
constexpr int kNotRun = 127;     // exit code of a program that could not be executed

// One thread per worker, readable crashes. Set only where the user has not.
constexpr std::array<std::string_view, 6> kDefaults = {
    "OMP_NUM_THREADS=1",    "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1",
    "PYTHONFAULTHANDLER=1", "PYTHONUNBUFFERED=1",     "PYTHONDONTWRITEBYTECODE=1"};

// PYTHONPATH with its absolute entries only. Empty and relative entries stand for the working
// directory, where a file such as numpy.py would be imported in place of the package.
std::string absolute_entries(std::string_view path) {
  std::string kept;
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    if (path.front() == '/') {
      if (!kept.empty()) kept += ':';
      kept += path.substr(0, colon);
    }
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return kept;
}

std::vector<std::string> environment() {
  constexpr std::string_view kPythonPath = "PYTHONPATH=";
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    std::string variable = *one;
    if (variable.starts_with(kPythonPath)) {
      const std::string kept =
          absolute_entries(std::string_view(variable).substr(kPythonPath.size()));
      if (kept.empty()) continue;
      variable = concat(kPythonPath, kept);
    }
    all.push_back(std::move(variable));
  }
  for (const std::string_view value : kDefaults) {
    const std::string_view name = value.substr(0, value.find('=') + 1);
    if (std::none_of(all.begin(), all.end(),
                     [&](const auto& one) { return one.starts_with(name); }))
      all.emplace_back(value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Between fork and exec: system calls only.
[[noreturn]] void exec_worker(const char* program, char* const* words, char* const* variables,
                              int control, int life, int output) {
  setpgid(0, 0);
  // When the other end of `life` closes, the kernel kills the whole group.
  fcntl(life, F_SETOWN, -getpid());
  fcntl(life, F_SETSIG, SIGKILL);
  fcntl(life, F_SETFL, fcntl(life, F_GETFL) | O_ASYNC);
  fcntl(life, F_SETFD, 0);
  fcntl(control, F_SETFD, 0);
  // Did it close before F_SETOWN was set?
  pollfd ends{life, POLLIN, 0};
  if (poll(&ends, 1, 0) != 0) _exit(kNotRun);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(program, words, variables);
  const char* why = strerrordesc_np(errno);
  for (const char* text : {program, ": ", why == nullptr ? "cannot be executed" : why, "\n"})
    if (write(STDERR_FILENO, text, strlen(text)) < 0) break;
  _exit(kNotRun);
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::microseconds>(end - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count() / 1000 + 1, 0, 1 << 30));
}

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() { return std::exchange(number_, -1); }

void FileDescriptor::reset() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

WorkerProcess::WorkerProcess(const std::filesystem::path& interpreter,
                             const std::filesystem::path& folder) {
  const auto refuse = [](const char* what) {
    return IoError(concat("cannot start a worker: ", what, ": ", std::strerror(errno)));
  };
  std::array<int, 2> ends{}, pipe{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw refuse("no socket");
  control_ = FileDescriptor(ends[0]);
  const FileDescriptor control(ends[1]);
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw refuse("no pipe");
  const FileDescriptor life(pipe[0]);
  life_ = FileDescriptor(pipe[1]);
  output_ = FileDescriptor(memfd_create("mneme-worker-output", MFD_CLOEXEC));
  if (output_.get() < 0) throw refuse("no memory for its output");
  // Appending, so that trim_output() can shorten it while it is written.
  fcntl(output_.get(), F_SETFL, O_APPEND);

  std::vector<std::string> words{interpreter.string(), folder.string(), "serve",
                                 std::to_string(control.get())};
  std::vector<std::string> variables = environment();
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  process_ = fork();
  if (process_ < 0) throw refuse("no process");
  if (process_ == 0)
    exec_worker(words.front().c_str(), argv.data(), envp.data(), control.get(), life.get(),
                output_.get());
  setpgid(process_, process_);  // in both processes: either may run first
  watch_ = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, process_, 0)));
}

WorkerProcess::~WorkerProcess() { close(0); }

bool WorkerProcess::send(std::string_view message, std::span<const int> descriptors) {
  iovec part{const_cast<char*>(message.data()), message.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> space{};
  if (!descriptors.empty()) {
    header.msg_control = space.data();
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = -1;
  do sent = sendmsg(control_.get(), &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(message.size());
}

std::optional<Reply> WorkerProcess::receive(double seconds) {
  const auto end = after(seconds);
  for (;;) {
    std::array<pollfd, 2> from{pollfd{control_.get(), POLLIN, 0}, pollfd{watch_.get(), POLLIN, 0}};
    const int ready = poll(from.data(), from.size(), milliseconds_until(end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    if ((from[0].revents & POLLIN) != 0) {
      std::vector<char> bytes(kMostMessage);
      const ssize_t got =
          recv(control_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_TRUNC);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return std::nullopt;  // the worker closed its end
      if (static_cast<std::size_t>(got) > bytes.size())
        throw CorruptData(
            concat("the worker sent a message of ", got, " bytes, more than ", kMostMessage));
      return parse_reply({bytes.data(), static_cast<std::size_t>(got)});
    }
    if ((from[0].revents & (POLLHUP | POLLERR)) != 0 || (from[1].revents & POLLIN) != 0)
      return std::nullopt;
  }
}

bool WorkerProcess::wait(int signal, double seconds) {
  const auto end = after(seconds);
  for (;;) {
    std::array<pollfd, 3> from{pollfd{signal, POLLIN, 0}, pollfd{control_.get(), POLLIN, 0},
                               pollfd{watch_.get(), POLLIN, 0}};
    const int ready = poll(from.data(), from.size(), milliseconds_until(end));
    if (ready < 0 && errno == EINTR) continue;
    message_pending_ = (from[1].revents & POLLIN) != 0;
    if ((from[0].revents & POLLIN) == 0) return false;
    std::uint64_t count = 0;
    if (read(signal, &count, sizeof count) == sizeof count) return true;
  }
}

void WorkerProcess::sleep_until_signal(int signal, double seconds) {
  std::array<pollfd, 3> from{pollfd{signal, POLLIN, 0}, pollfd{control_.get(), POLLIN, 0},
                             pollfd{watch_.get(), POLLIN, 0}};
  const auto whole = static_cast<std::int64_t>(seconds * 1e9);
  const timespec time{whole / 1'000'000'000, whole % 1'000'000'000};
  ppoll(from.data(), from.size(), &time, nullptr);
}

bool WorkerProcess::running() {
  if (process_ < 0) return false;
  int status = 0;
  pid_t ended = 0;
  do ended = waitpid(process_, &status, WNOHANG);
  while (ended < 0 && errno == EINTR);
  if (ended == 0) return true;
  kill(-process_, SIGKILL);  // its children
  process_ = -1;
  if (ended < 0)
    exit_reason_ = "exited; exit status already reaped";
  else if (WIFSIGNALED(status))
    exit_reason_ =
        concat("was killed by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)),
               WTERMSIG(status) == SIGKILL ? "; out of memory?)" : ")");
  else
    exit_reason_ = WEXITSTATUS(status) == kNotRun
                       ? "could not be executed"
                       : concat("exited with code ", WEXITSTATUS(status));
  return false;
}

std::string WorkerProcess::output_tail() const {
  struct stat facts{};
  if (fstat(output_.get(), &facts) != 0 || facts.st_size == 0) return "";
  const off_t begin = std::max<off_t>(0, facts.st_size - kQuoted);
  std::string text(static_cast<std::size_t>(facts.st_size - begin), '\0');
  const ssize_t got = pread(output_.get(), text.data(), text.size(), begin);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  // From the beginning of a line, without control characters.
  if (begin > 0) text.erase(0, std::min(text.find('\n') + 1, text.size()));
  for (char& c : text)
    if (c != '\n' && std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void WorkerProcess::trim_output() {
  struct stat facts{};
  if (fstat(output_.get(), &facts) != 0 || facts.st_size < kMuchOutput) return;
  std::vector<char> end(kKeptOutput);
  const ssize_t got = pread(output_.get(), end.data(), end.size(), facts.st_size - kKeptOutput);
  if (ftruncate(output_.get(), 0) == 0 && got > 0 &&
      write(output_.get(), end.data(), static_cast<std::size_t>(got)) < 0)
    return;
}

bool WorkerProcess::close(double seconds) {
  const auto end = after(seconds);
  while (running() && Clock::now() < end) {
    pollfd ended{watch_.get(), POLLIN, 0};
    if (watch_.get() < 0 || poll(&ended, 1, milliseconds_until(end)) < 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (process_ < 0) return true;
  kill(-process_, SIGKILL);
  kill(process_, SIGKILL);  // if setpgid has not happened yet
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  return false;
}

}  // namespace mneme::envs
