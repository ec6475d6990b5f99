// suites/install.h - a suite in Python comes onto this machine, and goes again.
//
// In suites_folder()/SUITE:
//   installed     made first: the venv beside it is ours to delete
//   venv/         a virtual environment with the suite's pinned packages
//   install.log   everything the installation said
//   interpreter   written last, by rename: the suite can be used
// Whatever happens in between, there is no interpreter, and another attempt begins anew.
#pragma once

#include <filesystem>
#include <string>

#include "envs/remote/suites.h"

namespace mneme::lab {

struct PythonVersion {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const PythonVersion&) const = default;
};

/// Which Pythons a suite's packages are there for: from `first`, before `end`.
struct PythonRange {
  PythonVersion first, end;
};
PythonRange pythons_of(const envs::PythonSuite& suite);
/// "3.11 to 3.13".
std::string text_of(const PythonRange& range);

/// The suite of that name. Throws NotFound with the nearest.
const envs::PythonSuite& suite_named(const std::string& name);

struct InstallOptions {
  std::string suite, python, checkout;
  bool again = false;
};
struct Installed {
  std::filesystem::path python;
  std::string versions;    ///< "metaworld 3.1.1, mujoco 3.3.0"
  bool was_there = false;  ///< nothing had to be done
};

/// Throws NotFound and InvalidArgument for what makes no sense, IoError with the end of the log
/// where a step fails, Stopped.
Installed install_suite(const InstallOptions& options);

/// `check`: only if the suite's smoke test passes with this interpreter.
Installed register_suite(const std::string& suite, const std::string& python, bool check);

/// What there is of a suite on this machine.
struct SuiteState {
  std::filesystem::path python;  ///< empty: none
  std::filesystem::path gone;    ///< registered, and not there any more
  bool ours = false;             ///< install made a venv for it
  std::filesystem::path folder;  ///< in suites_folder()
  std::string python_version;    ///< as its files have it; empty where they do not
  std::string packages;          ///< likewise
};
/// Starts no process.
SuiteState state_of(const envs::PythonSuite& suite);

/// Deletes what install made and forgets the interpreter. False: there was nothing.
bool remove_suite(const envs::PythonSuite& suite);

/// The versions of a suite's packages if it works with this interpreter. Throws IoError with what
/// it said, Stopped.
std::string smoke_test(const envs::PythonSuite& suite, const std::filesystem::path& python);

}  // namespace mneme::lab
