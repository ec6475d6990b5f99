// suites/install.h - installation and removal of a Python suite.
//
// In suites_folder()/SUITE:
//   venv/         a virtual environment with the suite's pinned packages, made by mneme:
//                 venv/suite-made-by-mneme is written first, and nothing without it is ever removed
//   install.log   the whole output of the installation
//   interpreter   path of a Python that passed the smoke test, written last: the suite can be used
// An installation that stops in between leaves no `interpreter`; the next one starts over.
#pragma once

#include <filesystem>
#include <string>

#include "envs/remote/suites.h"
#include "suites/interpreter.h"

namespace mneme::lab {

/// The suite of that name. Throws NotFound with the nearest.
const envs::PythonSuite& suite_named(const std::string& name);

struct InstallOptions {
  std::string suite, python, checkout;
  bool again = false;
};
struct Installed {
  std::filesystem::path python;
  std::string versions;    ///< "metaworld 3.1.1, mujoco 3.3.0"; empty: not checked
  bool was_there = false;  ///< already installed
};

/// Throws NotFound and InvalidArgument for wrong usage, IoError with the end of the log where a
/// step fails, Interrupted.
Installed install_suite(const InstallOptions& options);

/// Registers an interpreter that has a suite; `check`: only if the suite's smoke test passes.
Installed register_suite(const std::string& suite, const std::string& python, bool check);

/// A suite on this machine.
struct SuiteState {
  std::filesystem::path python;  ///< empty: not installed
  std::filesystem::path gone;    ///< registered, and missing since
  bool ours = false;             ///< venv/ was made by mneme
  std::filesystem::path folder;  ///< in suites_folder()
  std::string python_version;    ///< from the files of the environment; empty if unknown
  std::string packages;          ///< likewise
};
/// Starts no process.
SuiteState state_of(const envs::PythonSuite& suite);

struct Removed {
  bool found = false;               ///< the suite was installed or registered
  std::filesystem::path kept = {};  ///< a venv that mneme did not make: left alone
};
/// Deletes the virtual environment that mneme made and unregisters the interpreter. Throws IoError.
Removed remove_suite(const envs::PythonSuite& suite);

}  // namespace mneme::lab
