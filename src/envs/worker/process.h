// envs/worker/process.h - a program of the suite's interpreter, a socket to it, its last words, and
// the certainty that it ends when we do.
//
// The worker leads a process group of its own. Closing it kills the group; when this process ends
// without closing it (kill -9), the kernel does the same through a pipe whose other end we hold.
// One thread at a time.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "envs/worker/answer.h"

namespace mneme::envs {

/// A descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }
  int get() const { return number_; }
  int release();
  void reset();

 private:
  int number_ = -1;
};

class WorkerProcess {
 public:
  /// Runs `interpreter folder serve FD`. Throws IoError if the machine refuses; a program that
  /// cannot be run is told by the first receive().
  WorkerProcess(const std::filesystem::path& interpreter, const std::filesystem::path& folder);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// False if nobody listens any more.
  bool send(std::string_view message, std::span<const int> descriptors = {});

  /// The next message, or nothing if the time is over or the worker has ended. Throws CorruptData
  /// for one that is too long or not of the form.
  std::optional<Answer> receive(double seconds);

  /// Waits until `signal` (an eventfd) has been written. False: the time is over, or the worker has
  /// ended, or it has sent a message instead.
  bool wait(int signal, double seconds);
  /// Sleeps that long, or until there is something to wait() for.
  void nap(int signal, double seconds);
  /// Whether a message had come by the end of the last wait().
  bool spoke() const { return spoke_; }

  /// Whether it still runs; if not, ending() says how it ended.
  bool running();
  const std::string& ending() const { return ending_; }

  /// The end of what it wrote to standard output and standard error.
  std::string last_words() const;
  /// Throws away all but the end of what it wrote, once there is much of it.
  void trim_output();

  /// Waits that long for it to end by itself, then kills its group. Whether it ended by itself.
  bool close(double seconds);

  pid_t id() const { return process_; }

 private:
  pid_t process_ = -1;
  Descriptor control_, life_, output_, watch_;
  std::string ending_;
  bool spoke_ = false;
};

}  // namespace mneme::envs
