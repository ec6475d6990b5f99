// os/subprocess.h - a program in a process of its own.
//
//   Subprocess child({"/usr/bin/env", "true"}, {});
//   while (!child.exited()) child.wait_for_output(100);
//
// The only place of src/ above envs that starts programs. A child never outlives its parent, has
// an empty standard input unless it is asked for, and no shell reads its words.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/error.h"
#include "os/interrupt.h"
#include "os/path_search.h"

namespace mneme::lab {

/// How a process ended.
struct ExitStatus {
  int code = 0;    ///< 128 and the signal if a signal ended it, as shells count
  int signal = 0;  ///< 0: it exited by itself
};

struct SubprocessOptions {
  bool input = false;                            ///< a pipe to its standard input; else /dev/null
  std::filesystem::path output_file = {};        ///< standard output goes here; else the pipe
  bool quiet = false;                            ///< standard error to /dev/null; else the pipe
  std::filesystem::path working_directory = {};  ///< empty: this process's
};

class Subprocess {
 public:
  /// `words`: the path of the program, then its arguments. Throws IoError if it cannot be started.
  Subprocess(std::vector<std::string> words, const SubprocessOptions& options);
  /// Kills its process group if it still runs.
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  pid_t id() const { return process_; }
  int output() const { return output_; }  ///< standard output and error; never blocks
  int input() const { return input_; }    ///< -1 without a pipe
  void close_input();

  /// What it has printed since the last call; never waits.
  void read_output(const std::function<void(std::string_view)>& text);
  bool output_closed() const { return closed_; }

  /// Whether it has exited; never waits.
  bool exited();
  ExitStatus wait();  ///< for its exit
  const ExitStatus& status() const { return status_; }

  void signal(int number) const;        ///< the process alone
  void signal_group(int number) const;  ///< with everything it started

 private:
  pid_t process_ = -1;
  int output_ = -1, input_ = -1;
  bool exited_ = false, closed_ = false;
  ExitStatus status_;
};

/// Text cut into lines: what arrives in pieces leaves by the line.
class LineReader {
 public:
  /// Longer lines are cut. Carriage returns end a line too; empty lines are dropped.
  explicit LineReader(std::size_t longest = 4096) : longest_(longest) {}
  void add(std::string_view text, const std::function<void(const std::string&)>& line);
  void finish(const std::function<void(const std::string&)>& line);

 private:
  std::size_t longest_;
  std::string part_;
};

struct ChildOutput {
  std::function<void(const std::string& line)> line;  ///< of standard output and standard error
  std::function<void()> tick;                         ///< several times a second; may be empty
  std::filesystem::path working_directory = {};       ///< empty: this process's
};

/// Runs a program to its end. Returns its exit code, or 128 and the signal that ended it. Throws
/// IoError if it cannot be started; Interrupted after Ctrl-C or SIGTERM, the program and everything
/// it started ended by then.
int run_child(const std::vector<std::string>& words, const ChildOutput& output);

}  // namespace mneme::lab
