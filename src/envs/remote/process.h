// envs/remote/process.h - worker subprocess with a control socket and captured output.
//
// The worker leads a process group of its own. Closing it kills the group; when this process exits
// without closing it (kill -9), the kernel kills the group through a pipe whose other end this
// process holds. One thread at a time.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "envs/remote/protocol.h"

namespace mneme::envs {

/// A descriptor that is closed with its owner.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { reset(); }
  int get() const { return number_; }
  int release();
  void reset();

 private:
  int number_ = -1;
};

class WorkerProcess {
 public:
  /// Runs `interpreter folder serve FD`. Throws IoError if the process cannot be created; a program
  /// that cannot be executed shows at the first receive().
  WorkerProcess(const std::filesystem::path& interpreter, const std::filesystem::path& folder);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// False if the worker has closed its end.
  bool send(std::string_view message, std::span<const int> descriptors = {});

  /// The next message, or nothing after the timeout or when the worker has exited. Throws
  /// CorruptData for one that is too long or malformed.
  std::optional<Reply> receive(double seconds);

  /// Waits until `signal` (an eventfd) is written. False: timeout, the worker exited, or it sent a
  /// message instead.
  bool wait(int signal, double seconds);
  /// Sleeps that long, or until wait() would return.
  void sleep_until_signal(int signal, double seconds);
  /// Whether a message had arrived by the end of the last wait().
  bool message_pending() const { return message_pending_; }

  /// Whether it still runs; if not, exit_reason() describes how it exited.
  bool running();
  const std::string& exit_reason() const { return exit_reason_; }

  /// The end of its standard output and standard error.
  std::string output_tail() const;
  /// Discards all but the end of its output once that is long.
  void trim_output();

  /// Waits that long for it to exit, then kills its group. True if it exited by itself.
  bool close(double seconds);

  pid_t id() const { return process_; }

 private:
  pid_t process_ = -1;
  FileDescriptor control_, life_, output_, watch_;
  std::string exit_reason_;
  bool message_pending_ = false;
};

}  // namespace mneme::envs
