// os/subprocess.h - a program run to its end, its output line by line. Ctrl-C and SIGTERM end it too,
// with everything it started.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "mneme/error.h"

namespace mneme::lab {

/// Somebody pressed Ctrl-C, or asked this process to end.
struct Stopped : IoError {
  using IoError::IoError;
};

struct ChildOutput {
  std::function<void(const std::string& line)> line;  ///< of standard output and standard error
  std::function<void()> tick;                         ///< several times a second; may be empty
  std::filesystem::path working_directory = {};       ///< empty: this process's
};

/// The exit code, or 128 and the signal that ended it. Standard input is empty. Throws IoError if
/// it cannot be started, Stopped.
int run_child(const std::vector<std::string>& words, const ChildOutput& output);

/// A program by its path, or by a name that the search path has; empty if there is none.
std::filesystem::path find_program(const std::string& name);

}  // namespace mneme::lab
