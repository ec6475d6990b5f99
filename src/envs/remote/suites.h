// envs/remote/suites.h - the Python suites, and where their interpreters are on this machine.
//
// A suite can be used once `mneme envs install SUITE` (or `mneme envs register SUITE --python PATH`)
// has written SUITE/interpreter into the folder of suites: the path of a Python that passed the
// suite's smoke test. MNEME_PYTHON_SUITE (upper case, for example MNEME_PYTHON_METAWORLD) names
// another one for one process. Looking installs nothing and starts no process.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "envs/remote/suite_facts.h"

namespace mneme::envs {

/// By name; the scripted one, which is for tests, last.
const std::vector<PythonSuite>& python_suites();

/// The suite of a task name or of a suite's name; null for any other.
const PythonSuite* find_python_suite(std::string_view name);

/// The task spec to evaluate with: `spec` and its suite's evaluation options, where `spec` does not
/// set them. Specs of native tasks come back unchanged.
std::string evaluation_spec(const std::string& spec);

/// MNEME_SUITES, else mneme/suites in XDG_DATA_HOME or ~/.local/share.
std::filesystem::path suites_folder();

/// The interpreter that is registered for a suite; empty if none is, or if the file is gone.
std::filesystem::path interpreter_of(std::string_view suite);

/// The Python side, an absolute path: MNEME_WORKER, else share/mneme/worker beside the program, else
/// this source tree. Throws NotFound.
std::filesystem::path worker_folder();

}  // namespace mneme::envs
