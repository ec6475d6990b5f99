// envs/remote/suites.cpp - list of the Python suites, and their places on this machine.
#include "envs/remote/suites.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "base/text.h"
#include "envs/spec.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

namespace fs = std::filesystem;

fs::path environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

bool is_worker(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / "__main__.py", none);
}

}  // namespace

const std::vector<PythonSuite>& python_suites() {
  static const std::vector<PythonSuite> kSuites = [] {
    constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
#include "envs/suite_facts.inc"
    };
    std::vector<PythonSuite> suites;
    for (const auto& [name, text] : kFiles) suites.push_back(parse_suite_facts(name, text));
    std::stable_partition(suites.begin(), suites.end(),
                          [](const PythonSuite& suite) { return suite.name != "synthetic"; });
    return suites;
  }();
  return kSuites;
}

const PythonSuite* find_python_suite(std::string_view name) {
  const std::string_view suite = name.substr(0, name.find('/'));
  for (const PythonSuite& one : python_suites())
    if (one.name == suite) return &one;
  return nullptr;
}

std::string evaluation_spec(const std::string& spec) {
  const PythonSuite* suite = find_python_suite(spec);
  if (suite == nullptr || suite->evaluation.empty()) return spec;
  EnvSpec wanted = parse_env_spec(spec);
  for (const auto& option : parse_env_spec(concat(suite->name, "/:", suite->evaluation)).options)
    if (std::none_of(wanted.options.begin(), wanted.options.end(),
                     [&](const auto& given) { return given.first == option.first; }))
      wanted.options.push_back(option);
  std::sort(wanted.options.begin(), wanted.options.end());
  return wanted.text();
}

fs::path suites_folder() {
  if (const fs::path named = environment("MNEME_SUITES"); !named.empty()) return named;
  if (const fs::path data = environment("XDG_DATA_HOME"); data.is_absolute())
    return data / "mneme" / "suites";
  const fs::path home = environment("HOME");
  if (home.empty())
    throw NotFound("no folder for suites: neither HOME nor XDG_DATA_HOME is set; set MNEME_SUITES");
  return home / ".local" / "share" / "mneme" / "suites";
}

fs::path interpreter_of(std::string_view suite) {
  if (find_python_suite(suite) == nullptr) return {};
  suite = suite.substr(0, suite.find('/'));
  std::string variable = "MNEME_PYTHON_";
  for (const char c : suite)
    variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  fs::path python = environment(variable.c_str());
  if (python.empty()) {
    try {
      std::ifstream file(suites_folder() / suite / "interpreter");
      std::string line;
      std::getline(file, line);
      python = line;
    } catch (const NotFound&) {  // no folder, nothing in it
      return {};
    }
  }
  std::error_code none;
  return !python.empty() && fs::is_regular_file(python, none) ? python : fs::path();
}

fs::path worker_folder() {
  if (const fs::path named = environment("MNEME_WORKER"); !named.empty()) {
    if (is_worker(named)) return fs::absolute(named);
    throw NotFound(concat("MNEME_WORKER is ", named.string(),
                          ", which has no __main__.py; set it to the folder python/mneme/worker of "
                          "a checkout, or unset it"));
  }
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  for (const fs::path& folder :
       {program.parent_path() / "../share/mneme/worker", fs::path(MNEME_WORKER_SOURCE)})
    if (is_worker(folder)) return folder.lexically_normal();
  throw NotFound(
      "the Python side of the suites is neither in share/mneme/worker beside this program nor in "
      "the tree it was built from; install mneme again, or set MNEME_WORKER to its folder");
}

}  // namespace mneme::envs
