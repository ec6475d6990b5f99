// suites/interpreter.cpp - Python interpreters: finding one for a suite, and its smoke test.
#include "suites/interpreter.h"

#include <cstdio>
#include <optional>

#include "base/text.h"
#include "mneme/error.h"
#include "os/subprocess.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

std::string text_of(const envs::PythonVersion& version) {
  return concat(version.major, '.', version.minor, '.', version.patch);
}

std::optional<envs::PythonVersion> version_of(const fs::path& python) {
  std::string reply;
  try {
    const std::string ask = "import sys; print('%d.%d.%d' % sys.version_info[:3])";
    if (run_child({python.string(), "-I", "-c", ask},
                  {.line = [&](const std::string& line) { reply = line; },
                   .tick = {},
                   .working_directory = "/"}) != 0)
      return std::nullopt;
  } catch (const IoError&) {
    return std::nullopt;
  }
  envs::PythonVersion version;
  if (std::sscanf(reply.c_str(), "%d.%d.%d", &version.major, &version.minor, &version.patch) != 3)
    return std::nullopt;
  return version;
}

bool fits(const envs::PythonRange& range, const envs::PythonVersion& version) {
  return version >= range.first && version < range.end;
}

}  // namespace

std::string text_of(const envs::PythonRange& range) {
  const std::string from = concat(range.first.major, '.', range.first.minor);
  if (range.end == envs::kAnyLaterPython) return concat(from, " or later");
  // Before 3.14.0 is up to 3.13; before 3.12.1 is up to 3.12.0.
  if (range.end.patch > 0)
    return concat(from, " to ", range.end.major, '.', range.end.minor, '.', range.end.patch - 1);
  return concat(from, " to ", range.end.major, '.', range.end.minor - 1);
}

fs::path choose_python(const envs::PythonSuite& suite, const std::string& named) {
  if (!named.empty()) {
    const fs::path python = find_program(named);
    if (python.empty()) throw InvalidArgument(concat("--python ", named, ": no such program"));
    const auto version = version_of(python);
    if (!version)
      throw InvalidArgument(concat("--python ", named, " is not a Python interpreter that runs"));
    if (!fits(suite.pythons, *version))
      throw InvalidArgument(concat("--python ", named, " is Python ", text_of(*version), "; ",
                                   suite.name, " needs ", text_of(suite.pythons)));
    return python;
  }
  std::vector<std::string> seen;
  for (const std::string name :
       {"python3", "python3.12", "python3.11", "python3.13", "python3.10", "python3.14"}) {
    const fs::path python = find_program(name);
    const auto version = python.empty() ? std::nullopt : version_of(python);
    if (!version) continue;
    if (fits(suite.pythons, *version)) return python;
    seen.push_back(concat(name, " is ", text_of(*version)));
  }
  throw IoError(concat(suite.name, " needs Python ", text_of(suite.pythons),
                       "; found: ", seen.empty() ? std::string("no python3") : join(seen),
                       ". Install one of those versions and name it with --python"));
}

fs::path worker_program() {
  try {
    return envs::worker_folder();
  } catch (const NotFound& error) {
    throw IoError(error.what());  // an incomplete installation, not wrong usage
  }
}

std::string smoke_test(const envs::PythonSuite& suite, const fs::path& python, const Step& step) {
  const std::string what = concat("the smoke test of ", suite.name, " with ", python.string());
  const std::vector<std::string> lines =
      step(what, {python.string(), worker_program().string(), "check", suite.name});
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (line->starts_with("ok ") && line->size() > 3) return line->substr(3);
  throw IoError(concat(what, " exited with code 0 but printed no line `ok NAME VERSION`; is ",
                       python.string(), " a Python interpreter?"));
}

}  // namespace mneme::lab
