// suites/install.cpp - a venv, pip, a smoke test, and one file that says it is all there.
#include "suites/install.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <optional>

#include "base/text.h"
#include "mneme/error.h"
#include "os/subprocess.h"
#include "suites/names.h"
#include "term/progress.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// From the pins in worker/requirements: NumPy 2.4 begins at 3.11, MuJoCo 3.3 has wheels up to 3.13,
// MyoSuite wants at most 3.12, which 3.12.1 is not.
struct Range {
  std::string_view suite;
  PythonRange pythons;
};
constexpr PythonVersion kAnyLater{4, 0, 0};
constexpr std::array kRanges{Range{"metaworld", {{3, 11, 0}, {3, 14, 0}}},
                             Range{"myo", {{3, 11, 0}, {3, 12, 1}}},
                             Range{"gym", {{3, 11, 0}, {3, 14, 0}}},
                             Range{"robotics", {{3, 11, 0}, {3, 14, 0}}},
                             Range{"dm_control", {{3, 11, 0}, kAnyLater}},
                             Range{"envpool", {{3, 11, 0}, kAnyLater}},
                             Range{"humanoid_bench", {{3, 10, 0}, {3, 12, 0}}},
                             Range{"isaac", {{3, 10, 0}, {3, 13, 0}}},
                             Range{"synthetic", {{3, 9, 0}, kAnyLater}}};

std::string text_of(const PythonVersion& version) {
  return concat(version.major, '.', version.minor, '.', version.patch);
}

// The phase, its time and the last line of output: one changing line on a terminal, plain lines
// elsewhere.
class Progress {
 public:
  Progress(std::string suite, int phases)
      : suite_(std::move(suite)), phases_(phases), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (terminal_) std::cerr << "\r\033[K" << std::flush;
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void phase(const std::string& what) {
    what_ = concat(suite_, "  ", ++at_, "/", phases_, " ", what);
    last_.clear();
    begun_ = Clock::now();
    if (terminal_)
      show();
    else
      std::cerr << what_ << '\n';
  }
  void line(const std::string& text) {
    last_ = text;
    if (terminal_) return;
    // Of pip's lines those that say how far it is.
    for (const char* word : {"Collecting", "Downloading", "Building", "Installing", "Successfully"})
      if (text.find(word) < 4)
        std::cerr << "  " << text.substr(0, std::min<std::size_t>(100, text.find(" (from ")))
                  << '\n';
  }
  void show() const {
    if (!terminal_) return;
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
    const std::chrono::duration<double> took = Clock::now() - begun_;
    const std::string text = concat(what_, "  ", duration_text(took.count()), "  ", last_);
    std::cerr << '\r' << text.substr(0, known ? size.ws_col - 1U : 79) << "\033[K" << std::flush;
  }

 private:
  std::string suite_, what_, last_;
  int phases_, at_ = 0;
  bool terminal_;
  Clock::time_point begun_;
};

// One program of an installation: its lines go to the log, the end of them into a complaint.
class Step {
 public:
  /// `kept`: the log is still there when somebody reads a complaint.
  Step(Progress* progress, fs::path log, bool kept)
      : progress_(progress), log_(std::move(log)), kept_(kept) {}

  void operator()(const std::string& what, const std::vector<std::string>& words) const {
    std::ofstream log(log_, std::ios::app);
    log << "$ " << join(words, " ") << std::endl;
    std::deque<std::string> tail;
    const int code = run_child(words, {.line =
                                           [&](const std::string& line) {
                                             log << line << std::endl;
                                             tail.push_back(line);
                                             if (tail.size() > 12) tail.pop_front();
                                             if (progress_ != nullptr) progress_->line(line);
                                           },
                                       .tick =
                                           [&] {
                                             if (progress_ != nullptr) progress_->show();
                                           }});
    if (code == 0) return;
    std::string text = concat(what, " failed with code ", code,
                              kept_ ? concat("; the end of ", log_.string(), ":") : "; it said:");
    for (const std::string& line : tail) text += concat("\n  ", line.substr(0, 300));
    throw IoError(text);
  }

 private:
  Progress* progress_;
  fs::path log_;
  bool kept_;
};

std::optional<PythonVersion> version_of(const fs::path& python) {
  std::string answer;
  try {
    const std::string ask = "import sys; print('%d.%d.%d' % sys.version_info[:3])";
    if (run_child({python.string(), "-c", ask},
                  {.line = [&](const std::string& line) { answer = line; }, .tick = {}}) != 0)
      return std::nullopt;
  } catch (const Stopped&) {
    throw;
  } catch (const IoError&) {
    return std::nullopt;
  }
  PythonVersion version;
  if (std::sscanf(answer.c_str(), "%d.%d.%d", &version.major, &version.minor, &version.patch) != 3)
    return std::nullopt;
  return version;
}

bool fits(const PythonRange& range, const PythonVersion& version) {
  return version >= range.first && version < range.end;
}

// The interpreter to make the environment with: the one that was named, else python3, else any
// other on the search path that the suite's packages are there for.
fs::path choose_python(const envs::PythonSuite& suite, const std::string& named) {
  const PythonRange range = pythons_of(suite);
  if (!named.empty()) {
    const fs::path python = find_program(named);
    if (python.empty())
      throw InvalidArgument(concat("--python ", named, ": there is no such program"));
    const auto version = version_of(python);
    if (!version) throw InvalidArgument(concat("--python ", named, " is not a Python that runs"));
    if (!fits(range, *version))
      throw InvalidArgument(concat("--python ", named, " is Python ", text_of(*version), "; ",
                                   suite.name, " needs ", text_of(range)));
    return python;
  }
  std::vector<std::string> seen;
  for (const std::string name :
       {"python3", "python3.12", "python3.11", "python3.13", "python3.10", "python3.14"}) {
    const fs::path python = find_program(name);
    const auto version = python.empty() ? std::nullopt : version_of(python);
    if (!version) continue;
    if (fits(range, *version)) return python;
    seen.push_back(concat(name, " is ", text_of(*version)));
  }
  throw IoError(concat(suite.name, " needs Python ", text_of(range), "; here ",
                       seen.empty() ? std::string("there is no python3") : join(seen),
                       ". Install one of those and name it with --python"));
}

// One installation at a time.
class Lock {
 public:
  Lock(const fs::path& folder, std::string_view suite) {
    file_ = open((folder / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
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
        concat(folder.string(), ": ", error.message(), "; MNEME_SUITES names another folder"));
}

void write_by_rename(const fs::path& path, const std::string& text) {
  const fs::path part = path.string() + ".part";
  {
    std::ofstream file(part, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw IoError(concat(part.string(), ": cannot write; is the disk full?"));
  }
  std::error_code error;
  fs::rename(part, path, error);
  if (error) throw IoError(concat(path.string(), ": ", error.message()));
}

// An installation of mneme without its Python side is not the user's mistake.
fs::path worker() {
  try {
    return envs::worker_folder();
  } catch (const NotFound& error) {
    throw IoError(error.what());
  }
}

std::string check_in(const envs::PythonSuite& suite, const fs::path& python, const Step& step,
                     const fs::path& log) {
  step(concat("the smoke test of ", suite.name, " with ", python.string()),
       {python.string(), worker().string(), "check", std::string(suite.name)});
  // Its last line: ok NAME VERSION, NAME VERSION
  std::ifstream file(log);
  std::string versions;
  for (std::string line; std::getline(file, line);)
    if (line.rfind("ok ", 0) == 0) versions = line.substr(3);
  return versions;
}

fs::path site_packages(const fs::path& environment) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(environment / "lib", none))
    if (entry.path().filename().string().rfind("python3", 0) == 0 &&
        fs::is_directory(entry.path() / "site-packages", none))
      return entry.path() / "site-packages";
  return {};
}

// The line of a requirements file that names torch, if there is one: it comes first and alone, so
// that nothing else decides which torch.
std::string torch_line(const fs::path& requirements) {
  std::ifstream file(requirements);
  for (std::string line; std::getline(file, line);)
    if (line.rfind("torch", 0) == 0 && line.find_first_of("=<>! ") == 5)
      return line.substr(0, line.find_first_of(" #;"));
  return {};
}

fs::path checkout_of(const envs::PythonSuite& suite, const std::string& given) {
  const bool needed = !suite.note.empty();
  if (!needed && !given.empty())
    throw InvalidArgument(concat("--checkout: ", suite.name, " comes from packages alone"));
  if (!needed) return {};
  if (given.empty())
    throw InvalidArgument(concat(suite.name, " is no package; it needs ", suite.note, " DIR"));
  const fs::path folder = fs::absolute(given).lexically_normal();
  std::error_code none;
  if (!fs::is_directory(folder / suite.name, none))
    throw InvalidArgument(
        concat("--checkout ", given, ": there is no folder ", suite.name, " in it"));
  return folder;
}

}  // namespace

PythonRange pythons_of(const envs::PythonSuite& suite) {
  for (const Range& range : kRanges)
    if (range.suite == suite.name) return range.pythons;
  return {{3, 9, 0}, kAnyLater};
}

std::string text_of(const PythonRange& range) {
  const std::string from = concat(range.first.major, '.', range.first.minor);
  if (range.end == kAnyLater) return concat(from, " or later");
  // Before 3.14.0 is up to 3.13; before 3.12.1 is up to 3.12.0.
  if (range.end.patch > 0)
    return concat(from, " to ", range.end.major, '.', range.end.minor, '.', range.end.patch - 1);
  return concat(from, " to ", range.end.major, '.', range.end.minor - 1);
}

const envs::PythonSuite& suite_named(const std::string& name) {
  std::vector<std::string> known;
  for (const envs::PythonSuite& suite : envs::python_suites()) {
    if (suite.name == name) return suite;
    known.emplace_back(suite.name);
  }
  throw NotFound(unknown_name("suite in Python", name, known));
}

std::string smoke_test(const envs::PythonSuite& suite, const fs::path& python) {
  // Nobody looks at this log once it has passed.
  const fs::path log = fs::temp_directory_path() / concat("mneme-check-", getpid(), ".log");
  struct Remove {
    const fs::path& path;
    ~Remove() {
      std::error_code none;
      fs::remove(path, none);
    }
  } const remove{log};
  return check_in(suite, python, Step(nullptr, log, false), log);
}

Installed install_suite(const InstallOptions& o) {
  const envs::PythonSuite& suite = suite_named(o.suite);
  if (!suite.installable)
    throw InvalidArgument(concat(suite.name, " cannot be installed by pip; it needs ", suite.note));
  const fs::path checkout = checkout_of(suite, o.checkout);
  const fs::path requirements = worker() / "requirements" / concat(suite.name, ".txt");
  std::error_code error;
  if (!fs::exists(requirements, error))
    throw IoError(concat(requirements.string(), " is missing; install mneme again"));
  const fs::path folder = folder_of(suite), venv = folder / "venv", log = folder / "install.log";
  const fs::path python = venv / "bin" / "python", marker = folder / "installed";
  make_folder(folder);
  const Lock lock(folder, suite.name);
  if (!o.again && fs::exists(folder / "interpreter", error) && fs::exists(marker, error)) {
    if (const fs::path there = envs::interpreter_of(suite.name); there == python)
      return {there, state_of(suite).packages, true};
  }
  const fs::path base = choose_python(suite, o.python);
  if (fs::exists(fs::symlink_status(venv)) && !fs::exists(marker, error))
    throw IoError(concat(venv.string(), " was not made by mneme; move it away"));

  // From here on the suite is not registered until the end.
  fs::remove(folder / "interpreter", error);
  write_by_rename(marker, concat("mneme envs install ", suite.name, "\n"));
  fs::remove_all(venv, error);
  fs::remove(log, error);
  const std::string torch = torch_line(requirements);
  Progress progress(o.suite, torch.empty() ? 3 : 4);
  const Step step(&progress, log, true);
  try {
    progress.phase(concat("virtual environment, by ", base.string()));
    try {
      step("making the virtual environment", {base.string(), "-m", "venv", venv.string()});
    } catch (const Stopped&) {
      throw;
    } catch (const IoError& failed) {
      throw IoError(concat(failed.what(), "\nDebian and Ubuntu have it in a package of its own: ",
                           "apt-get install python3-venv"));
    }
    const std::vector<std::string> pip{
        python.string(),  "-m", "pip", "install", "--no-input", "--disable-pip-version-check",
        "--progress-bar", "off"};
    const auto install = [&](const std::string& what, const std::vector<std::string>& more) {
      std::vector<std::string> words = pip;
      words.insert(words.end(), more.begin(), more.end());
      progress.phase(what);
      step("pip", words);
    };
    if (!torch.empty()) install(torch, {torch});
    install("packages", {"-r", requirements.string()});
    if (!checkout.empty()) {
      const fs::path site = site_packages(venv);
      if (site.empty()) throw IoError(concat(venv.string(), " has no site-packages"));
      write_by_rename(site / "mneme_checkout.pth", checkout.string() + "\n");
    }
    progress.phase("smoke test");
    const std::string versions = check_in(suite, python, step, log);
    write_by_rename(folder / "interpreter", python.string() + "\n");
    return {python, versions, false};
  } catch (const Stopped&) {
    throw Stopped(concat("stopped; ", suite.name,
                         " is not installed. Begin again with: mneme envs ", "install ",
                         suite.name));
  }
}

Installed register_suite(const std::string& name, const std::string& python, bool check) {
  const envs::PythonSuite& suite = suite_named(name);
  // Not resolved: a venv's python is a link, and what it is decides where it looks for packages.
  const fs::path program = find_program(python);
  if (program.empty())
    throw InvalidArgument(concat("--python ", python, ": there is no such program"));
  Installed installed{program, {}, false};
  if (check) {
    Progress progress(name, 1);
    progress.phase("smoke test");
    installed.versions = smoke_test(suite, program);
  }
  const fs::path folder = folder_of(suite);
  make_folder(folder);
  const Lock lock(folder, suite.name);
  write_by_rename(folder / "interpreter", program.string() + "\n");
  return installed;
}

SuiteState state_of(const envs::PythonSuite& suite) {
  SuiteState state;
  state.python = envs::interpreter_of(suite.name);
  try {
    state.folder = folder_of(suite);
  } catch (const NotFound&) {  // no home: nothing is installed
    return state;
  }
  std::error_code none;
  state.ours = fs::exists(state.folder / "installed", none);
  if (state.python.empty()) {
    std::ifstream file(state.folder / "interpreter");
    std::string line;
    if (std::getline(file, line)) state.gone = line;
    return state;
  }
  const fs::path environment = state.python.parent_path().parent_path();
  std::ifstream settings(environment / "pyvenv.cfg");
  for (std::string line; std::getline(settings, line);)
    if (line.rfind("version = ", 0) == 0) state.python_version = line.substr(10);
  std::vector<std::string> packages;
  for (const auto& entry : fs::directory_iterator(site_packages(environment), none)) {
    std::string info = entry.path().filename().string();
    const std::size_t end = info.rfind(".dist-info"), dash = info.find('-');
    if (end == std::string::npos || dash == std::string::npos) continue;
    std::string package = info.substr(0, dash);
    std::transform(package.begin(), package.end(), package.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* known : {"metaworld", "myosuite", "gymnasium", "gymnasium_robotics",
                              "dm_control", "envpool", "isaaclab", "mujoco", "numpy", "torch"})
      if (package == known)
        packages.push_back(concat(package, ' ', info.substr(dash + 1, end - dash - 1)));
  }
  std::sort(packages.begin(), packages.end());
  state.packages = join(packages);
  return state;
}

bool remove_suite(const envs::PythonSuite& suite) {
  const fs::path folder = folder_of(suite);
  std::error_code error;
  if (!fs::exists(folder, error)) return false;
  const Lock lock(folder, suite.name);
  bool found = fs::remove(folder / "interpreter", error);
  if (fs::exists(folder / "installed", error)) {
    found = true;
    fs::remove_all(folder / "venv", error);
    if (error) throw IoError(concat((folder / "venv").string(), ": ", error.message()));
    for (const char* name : {"install.log", "interpreter.part", "installed"})
      fs::remove(folder / name, error);
  }
  fs::remove(folder / "lock", error);
  fs::remove(folder, error);  // unless somebody else keeps something in it
  return found;
}

}  // namespace mneme::lab
