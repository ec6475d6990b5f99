// suites/install.cpp - installation and removal of a Python suite.
#include "suites/install.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/remove.h"
#include "os/subprocess.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

// Inside the environment; of all names in one the last, so that it is removed last.
constexpr const char* kMarker = "suite-made-by-mneme";

// One installation at a time.
class Lock {
 public:
  Lock(const fs::path& folder, std::string_view suite) {
    file_ = open((folder / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file_ < 0) throw IoError(concat(folder.string(), ": cannot write: ", std::strerror(errno)));
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      close(file_);
      throw IoError(concat("another process is installing or removing ", suite, "; wait for it"));
    }
  }
  ~Lock() { close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

fs::path folder_of(const envs::PythonSuite& suite) {
  return fs::absolute(envs::suites_folder()) / suite.name;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw IoError(
        concat(folder.string(), ": ", error.message(), "; set MNEME_SUITES to use another folder"));
}

bool present(const fs::path& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

bool is_link(const fs::path& path) {
  std::error_code none;
  return fs::is_symlink(fs::symlink_status(path, none));
}

// Whether the environment is a directory that mneme made; a symbolic link on the way is not proof.
bool made_by_mneme(const fs::path& venv) {
  std::error_code none;
  return !is_link(venv.parent_path()) && !is_link(venv) &&
         fs::is_regular_file(fs::symlink_status(venv / kMarker, none));
}

// Removes an environment that mneme made; of any other nothing.
void remove_environment(const fs::path& venv) {
  if (!present(venv)) return;
  if (!made_by_mneme(venv))
    throw IoError(concat(venv.string(), " was not made by mneme (it has no ", kMarker,
                         ", or is a symbolic link); move it away"));
  remove_marked_directory(venv, venv / kMarker);
}

void make_environment_folder(const fs::path& venv, const std::string& suite) {
  std::error_code error;
  if (!fs::create_directory(venv, error))
    throw IoError(concat(venv.string(), ": ", error ? error.message() : "exists"));
  write_file(venv / kMarker, concat("mneme envs install ", suite, "\n"));
}

fs::path site_packages(const fs::path& environment) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(environment / "lib", none))
    if (entry.path().filename().string().starts_with("python3") &&
        fs::is_directory(entry.path() / "site-packages", none))
      return entry.path() / "site-packages";
  return {};
}

// The line of a requirements file that pins torch: it is installed first and alone, so that no
// other package chooses the version.
std::string torch_line(const fs::path& requirements) {
  std::ifstream file(requirements);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("torch") && line.find_first_of("=<>! ") == 5)
      return line.substr(0, line.find_first_of(" #;"));
  return {};
}

fs::path checkout_of(const envs::PythonSuite& suite, const std::string& given) {
  const bool needed = !suite.needs.empty();
  if (!needed && !given.empty())
    throw InvalidArgument(concat("--checkout: ", suite.name, " comes from packages alone"));
  if (!needed) return {};
  if (given.empty())
    throw InvalidArgument(concat(suite.name, " is not a package; it needs ", suite.needs, " DIR"));
  const fs::path folder = fs::absolute(given).lexically_normal();
  std::error_code none;
  if (!fs::is_directory(folder / suite.name, none))
    throw InvalidArgument(concat("--checkout ", given, " has no folder ", suite.name));
  return folder;
}

// Makes the virtual environment and installs the packages.
void fill_environment(const envs::PythonSuite& suite, const fs::path& base, const fs::path& venv,
                      const fs::path& requirements, const fs::path& checkout,
                      InstallProgress& progress, const Step& step) {
  progress.phase(concat("virtual environment, by ", base.string()));
  make_environment_folder(venv, suite.name);
  try {
    step("making the virtual environment", {base.string(), "-I", "-m", "venv", venv.string()});
  } catch (const IoError& failed) {
    throw IoError(concat(failed.what(), "\nDebian and Ubuntu have venv in a package of its own: ",
                         "apt-get install python3-venv"));
  }
  const auto install = [&](const std::string& what, const std::vector<std::string>& more) {
    std::vector<std::string> words{(venv / "bin" / "python").string(),
                                   "-I",
                                   "-m",
                                   "pip",
                                   "install",
                                   "--no-input",
                                   "--disable-pip-version-check",
                                   "--progress-bar",
                                   "off"};
    words.insert(words.end(), more.begin(), more.end());
    progress.phase(what);
    step("pip", words);
  };
  if (const std::string torch = torch_line(requirements); !torch.empty()) install(torch, {torch});
  install("packages", {"-r", requirements.string()});
  if (checkout.empty()) return;
  const fs::path site = site_packages(venv);
  if (site.empty()) throw IoError(concat(venv.string(), " has no site-packages"));
  write_file(site / "mneme_checkout.pth", checkout.string() + "\n");
}

std::string lower(std::string text) {
  for (char& c : text)
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Versions of the suite's packages, from the names of their .dist-info folders.
std::string installed_packages(const envs::PythonSuite& suite, const fs::path& environment) {
  std::vector<std::string> packages;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(site_packages(environment), none)) {
    const std::string info = entry.path().filename().string();
    const std::size_t end = info.rfind(".dist-info"), dash = info.find('-');
    if (end == std::string::npos || dash == std::string::npos || dash > end) continue;
    const std::string package = lower(info.substr(0, dash));
    for (const std::string& known : suite.packages)
      if (package == lower(known))
        packages.push_back(concat(package, ' ', info.substr(dash + 1, end - dash - 1)));
  }
  std::sort(packages.begin(), packages.end());
  return join(packages);
}

}  // namespace

const envs::PythonSuite& suite_named(const std::string& name) {
  std::vector<std::string> known;
  for (const envs::PythonSuite& suite : envs::python_suites()) {
    if (suite.name == name) return suite;
    known.emplace_back(suite.name);
  }
  throw NotFound(unknown_name("Python suite", name, known));
}

Installed install_suite(const InstallOptions& o) {
  const envs::PythonSuite& suite = suite_named(o.suite);
  if (!suite.installable)
    throw InvalidArgument(
        concat(suite.name, " cannot be installed by pip; it needs ", suite.needs));
  const fs::path checkout = checkout_of(suite, o.checkout);
  const fs::path requirements = worker_program() / "requirements" / concat(suite.name, ".txt");
  std::error_code error;
  if (!fs::exists(requirements, error))
    throw IoError(concat(requirements.string(), " is missing; install mneme again"));
  const fs::path folder = folder_of(suite), venv = folder / "venv", log = folder / "install.log";
  const fs::path python = venv / "bin" / "python";
  make_folder(folder);
  const Lock lock(folder, suite.name);
  if (!o.again && present(folder / "interpreter") && made_by_mneme(venv) &&
      envs::interpreter_of(suite.name) == python)
    return {python, state_of(suite).packages, true};
  const fs::path base = choose_python(suite, o.python);

  // From here on the suite is not registered until the end.
  if (present(venv) && !made_by_mneme(venv)) remove_environment(venv);  // throws
  remove_known_file(folder, "interpreter");
  remove_environment(venv);
  remove_known_file(folder, "install.log");
  InstallProgress progress(o.suite, torch_line(requirements).empty() ? 3 : 4);
  const Step step(&progress, log);
  try {
    fill_environment(suite, base, venv, requirements, checkout, progress, step);
    progress.phase("smoke test");
    const std::string versions = smoke_test(suite, python, step);
    write_file(folder / "interpreter", python.string() + "\n");
    return {python, versions, false};
  } catch (const Interrupted& stopped) {
    throw Interrupted(concat("stopped; ", suite.name, " is not installed. To start over: mneme ",
                             "envs install ", suite.name),
                      stopped.exit_code);
  }
}

Installed register_suite(const std::string& name, const std::string& python, bool check) {
  const envs::PythonSuite& suite = suite_named(name);
  // Not resolved: the python of a venv is a link, and its own path decides where it finds packages.
  const fs::path program = find_program(python);
  if (program.empty()) throw InvalidArgument(concat("--python ", python, ": no such program"));
  Installed installed{program, {}, false};
  if (check) {
    InstallProgress progress(name, 1);
    progress.phase("smoke test");
    installed.versions = smoke_test(suite, program);
  }
  const fs::path folder = folder_of(suite);
  make_folder(folder);
  const Lock lock(folder, suite.name);
  write_file(folder / "interpreter", program.string() + "\n");
  return installed;
}

SuiteState state_of(const envs::PythonSuite& suite) {
  SuiteState state;
  state.python = envs::interpreter_of(suite.name);
  try {
    state.folder = folder_of(suite);
  } catch (const NotFound&) {  // no home directory: nothing is installed
    return state;
  }
  state.ours = made_by_mneme(state.folder / "venv");
  if (state.python.empty()) {
    std::ifstream file(state.folder / "interpreter");
    std::string line;
    if (std::getline(file, line)) state.gone = line;
    return state;
  }
  const fs::path environment = state.python.parent_path().parent_path();
  std::ifstream settings(environment / "pyvenv.cfg");
  for (std::string line; std::getline(settings, line);)
    if (line.starts_with("version = ")) state.python_version = line.substr(10);
  state.packages = installed_packages(suite, environment);
  return state;
}

Removed remove_suite(const envs::PythonSuite& suite) {
  const fs::path folder = folder_of(suite), venv = folder / "venv";
  if (!present(folder)) return {};
  const Lock lock(folder, suite.name);
  Removed removed{.found = remove_known_file(folder, "interpreter")};
  if (made_by_mneme(venv)) {
    removed.found = true;
    remove_environment(venv);
  } else if (present(venv)) {
    removed.kept = venv;
  }
  remove_known_file(folder, "install.log");
  remove_known_file(folder, "lock");
  if (!is_link(folder)) remove_empty_directory(folder);
  return removed;
}

}  // namespace mneme::lab
