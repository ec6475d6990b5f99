// suites/interpreter.h - Python interpreters: finding one for a suite, and its smoke test.
//
// Programs of the standard library (venv, pip) run isolated (-I): the user's working directory,
// PYTHONPATH and user site-packages are not searched.
#pragma once

#include <filesystem>
#include <string>

#include "envs/remote/suites.h"
#include "suites/step.h"

namespace mneme::lab {

/// "3.11 to 3.13".
std::string text_of(const envs::PythonRange& range);

/// The interpreter to make a suite's environment with: `named`, else python3, else another version
/// on PATH that the suite's packages support. Throws InvalidArgument for a name that does not fit,
/// IoError without one.
std::filesystem::path choose_python(const envs::PythonSuite& suite, const std::string& named);

/// The versions of a suite's packages if its smoke test passes with this interpreter: exit code 0
/// and a line `ok NAME VERSION, ...`. Throws IoError with its output, Interrupted.
std::string smoke_test(const envs::PythonSuite& suite, const std::filesystem::path& python,
                       const Step& step = Step(nullptr, {}));

/// The Python side of the suites. Throws IoError where it is missing.
std::filesystem::path worker_program();

}  // namespace mneme::lab
