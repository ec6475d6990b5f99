// tests/cli/envs/install_test.cpp - `mneme envs install`, `register`, `remove` and `doctor`, with a
// script in place of Python.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "envs/remote/suites.h"
#include "mneme/error.h"
#include "suites/install.h"
#include "support/failing_disk.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;
using mneme::testing::TemporaryDirectory;

// Suites of the user who runs these tests play no part in them.
class NoSuites : public ::testing::Environment {
 public:
  void SetUp() override { setenv("MNEME_SUITES", "/nonexistent/suites", 1); }
};
const auto* const kNoSuites = ::testing::AddGlobalTestEnvironment(new NoSuites);

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

// What the script does is in files beside it: version, pip (ok, fail, wait), check (ok, fail). It
// notes how it was started.
constexpr const char* kScript = R"sh(#!/bin/sh
here=FOLDER
echo "$PWD: $*" >> $here/started
[ "$1" = -I ] && shift
case "$1 $2" in
"-c "*) cat $here/version ;;
"-m venv")
  [ "$(cat $here/venv)" = ok ] || { echo "No module named ensurepip"; exit 1; }
  mkdir -p $3/bin $3/lib/python3.11/site-packages/metaworld-3.1.1.dist-info
  echo "version = 3.11.9" > $3/pyvenv.cfg
  cp $here/python $3/bin/python ;;
"-m pip")
  echo "$@" >> $here/calls
  case $(cat $here/pip) in
  fail) echo "ERROR: No matching distribution found for metaworld"; exit 1 ;;
  wait) sleep 300 & echo $! > $here/sleeping; wait ;;
  esac
  echo "Successfully installed metaworld-3.1.1" ;;
*" check")
  [ "$(cat $here/check)" = ok ] || { echo "metaworld/reach: ImportError: no GL"; exit 1; }
  echo "metaworld/reach: 39 observed"
  echo "ok metaworld 3.1.1, mujoco 3.3.0" ;;
*) echo "what is $*?"; exit 3 ;;
esac
)sh";

class EnvsInstall : public ::testing::Test {
 protected:
  EnvsInstall()
      : fake_(directory_ / "fake"),
        worker_(directory_ / "worker"),
        suites_variable_("MNEME_SUITES", directory_ / "suites"),
        worker_variable_("MNEME_WORKER", directory_ / "worker") {
    fs::create_directories(fake_);
    fs::create_directories(worker_ / "requirements");
    std::ofstream(worker_ / "__main__.py") << "";
    std::ofstream(worker_ / "requirements" / "metaworld.txt") << "# pins\nmetaworld==3.1.1\n";
    std::ofstream(worker_ / "requirements" / "humanoid_bench.txt")
        << "torch==2.3.1\ntorchvision\nmujoco==3.1.6\n";
    std::string script = kScript;
    script.replace(script.find("FOLDER"), 6, fake_.string());
    std::ofstream(fake_ / "python") << script;
    chmod((fake_ / "python").c_str(), 0755);
    set("version", "3.11.9");
    for (const char* name : {"venv", "pip", "check"}) set(name, "ok");
  }

  void set(const char* name, const std::string& value) {
    std::ofstream(fake_ / name) << value << '\n';
  }
  std::string python() const { return (fake_ / "python").string(); }
  fs::path suite() const { return fs::path(directory_ / "suites") / "metaworld"; }
  Answer install(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"envs", "install", "metaworld", "--python", python()};
    words.insert(words.end(), more.begin(), more.end());
    return mneme_tool(words);
  }
  static bool usable() { return !envs::interpreter_of("metaworld").empty(); }

  TemporaryDirectory directory_;
  fs::path fake_, worker_;
  Variable suites_variable_, worker_variable_;
};

TEST_F(EnvsInstall, RegistersSuiteThatPassedSmokeTest) {
  EXPECT_FALSE(usable());
  const auto before = json_of({"envs", "--suite", "metaworld"});
  EXPECT_EQ(before["tasks"].size(), 50U);
  EXPECT_FALSE(before["tasks"][0]["available"].boolean);

  const Answer answer = install();
  ASSERT_EQ(answer.code, kDone) << answer.err;
  MNEME_EXPECT_SAYS(answer.out, "metaworld is ready");
  MNEME_EXPECT_SAYS(answer.out, "metaworld 3.1.1, mujoco 3.3.0");
  EXPECT_EQ(envs::interpreter_of("metaworld/reach"), suite() / "venv/bin/python");
  MNEME_EXPECT_SAYS(content(fake_ / "calls"), "-r " + (worker_ / "requirements").string());
  MNEME_EXPECT_SAYS(content(suite() / "install.log"), "Successfully installed");
  EXPECT_TRUE(json_of({"envs", "--suite", "metaworld"})["tasks"][0]["available"].boolean);

  // A second time there is nothing to do, unless asked.
  const auto calls = content(fake_ / "calls").size();
  MNEME_EXPECT_SAYS(install().out, "already installed");
  EXPECT_EQ(content(fake_ / "calls").size(), calls);
  EXPECT_EQ(install({"--again"}).code, kDone);
  EXPECT_GT(content(fake_ / "calls").size(), calls);
}

TEST_F(EnvsInstall, FailedInstallRegistersNothingAndCanBeRepeated) {
  const auto expect_failed = [&](const char* part, const std::string& words) {
    const Answer answer = install();
    EXPECT_EQ(answer.code, kFailed) << part;
    EXPECT_EQ(answer.out, "");
    MNEME_EXPECT_SAYS(answer.err, words);
    MNEME_EXPECT_SAYS(answer.err, "install.log");
    EXPECT_FALSE(usable()) << part;
    EXPECT_FALSE(fs::exists(suite() / "interpreter")) << part;
  };
  set("venv", "no");
  expect_failed("venv", "apt-get install python3-venv");
  set("venv", "ok");
  set("pip", "fail");
  expect_failed("pip", "No matching distribution found");
  set("pip", "ok");
  set("check", "fail");
  expect_failed("check", "ImportError: no GL");
  set("check", "ok");
  EXPECT_EQ(install().code, kDone);
  EXPECT_TRUE(usable());
  // A failed reinstallation unregisters the suite.
  set("pip", "fail");
  EXPECT_EQ(install({"--again"}).code, kFailed);
  EXPECT_FALSE(usable());
}

TEST_F(EnvsInstall, InterruptStopsPip) {
  set("pip", "wait");
  std::thread stopper([&] {
    for (int i = 0; i < 1000 && content(fake_ / "sleeping").empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(getpid(), SIGINT);
  });
  const Answer answer = install();
  stopper.join();
  EXPECT_EQ(answer.code, 128 + SIGINT);
  MNEME_EXPECT_SAYS(answer.err, "mneme envs install metaworld");
  EXPECT_FALSE(usable());
  const pid_t sleeping = std::stoi(content(fake_ / "sleeping"));
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    // A zombie has exited.
    const std::string status = content(concat("/proc/", sleeping, "/stat"));
    gone = status.empty() || status.find(") Z") != std::string::npos;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(gone);
  set("pip", "ok");
  EXPECT_EQ(install().code, kDone);
}

TEST_F(EnvsInstall, RejectsUnsupportedPythonVersion) {
  set("version", "3.9.2");
  const Answer old = install();
  EXPECT_EQ(old.code, kUsage);
  MNEME_EXPECT_SAYS(old.err, "is Python 3.9.2; metaworld needs 3.11 to 3.13");
  set("version", "3.12.1");
  MNEME_EXPECT_SAYS(
      mneme_tool({"envs", "install", "humanoid_bench", "--checkout", fake_, "--python", python()})
          .err,
      "no folder humanoid_bench");
  EXPECT_EQ(text_of(suite_named("myo").pythons), "3.11 to 3.12.0");
  EXPECT_EQ(text_of(suite_named("dm_control").pythons), "3.11 or later");
  set("version", "nonsense");
  MNEME_EXPECT_SAYS(install().err, "not a Python interpreter that runs");
  expect_refused({"envs", "install", "metaworld", "--python", "/no/such/python"},
                 {"/no/such/python", "no such program"});
  // No version on PATH fits.
  set("version", "3.9.2");
  fs::create_symlink(python(), fake_ / "python3");
  const Variable path("PATH", fake_.string() + ":/usr/bin-without-python");
  const Answer none = mneme_tool({"envs", "install", "metaworld"});
  EXPECT_EQ(none.code, kFailed);
  MNEME_EXPECT_SAYS(none.err, "metaworld needs Python 3.11 to 3.13");
  EXPECT_FALSE(fs::exists(suite() / "venv"));
}

TEST_F(EnvsInstall, CheckoutIsLinkedAndTorchInstalledFirst) {
  fs::create_directories(fs::path(directory_ / "checkout") / "humanoid_bench");
  expect_refused({"envs", "install", "humanoid_bench", "--python", python()}, {"--checkout"});
  const Answer answer = mneme_tool({"envs", "install", "humanoid_bench", "--python", python(),
                                    "--checkout", directory_ / "checkout"});
  ASSERT_EQ(answer.code, kDone) << answer.err;
  const std::string calls = content(fake_ / "calls");
  EXPECT_LT(calls.find("off torch==2.3.1\n"), calls.find("-r ")) << calls;
  const fs::path venv = fs::path(directory_ / "suites") / "humanoid_bench" / "venv";
  EXPECT_EQ(content(venv / "lib/python3.11/site-packages/mneme_checkout.pth"),
            (directory_ / "checkout").string() + "\n");
}

TEST_F(EnvsInstall, RejectsWrongUsage) {
  expect_refused({"envs", "install", "metaworl"}, {"metaworld"});
  expect_refused({"envs", "install", "isaac"}, {"cannot be installed by pip", "register isaac"});
  expect_refused({"envs", "install", "metaworld", "--checkout", "/tmp"}, {"packages alone"});
  const Variable elsewhere("MNEME_WORKER", directory_ / "nowhere");
  const Answer lost = install();
  EXPECT_EQ(lost.code, kFailed);
  MNEME_EXPECT_SAYS(lost.err, "MNEME_WORKER");
}

TEST_F(EnvsInstall, ForeignVenvIsKept) {
  fs::create_directories(suite() / "venv");
  std::ofstream(suite() / "venv" / "mine") << "x";
  EXPECT_EQ(install().code, kFailed);
  EXPECT_TRUE(fs::exists(suite() / "venv" / "mine"));
  EXPECT_EQ(mneme_tool({"envs", "remove", "metaworld", "--yes"}).code, kDone);
  EXPECT_TRUE(fs::exists(suite() / "venv" / "mine"));
}

TEST_F(EnvsInstall, RemoveKeepsRegisteredInterpreter) {
  set("check", "fail");
  EXPECT_EQ(mneme_tool({"envs", "register", "metaworld", "--python", python()}).code, kFailed);
  EXPECT_FALSE(usable());
  EXPECT_EQ(mneme_tool({"envs", "register", "metaworld", "--python", python(), "--force"}).code,
            kDone);
  EXPECT_EQ(envs::interpreter_of("metaworld"), fake_ / "python");
  EXPECT_EQ(mneme_tool({"envs", "remove", "metaworld", "--yes"}).code, kDone);
  EXPECT_TRUE(fs::exists(fake_ / "python"));
  EXPECT_FALSE(usable());

  set("check", "ok");
  ASSERT_EQ(install().code, kDone);
  MNEME_EXPECT_SAYS(mneme_tool({"envs", "remove", "metaworld", "--yes"}).out, "is removed");
  EXPECT_FALSE(fs::exists(suite()));
  MNEME_EXPECT_SAYS(mneme_tool({"envs", "remove", "metaworld", "--yes"}).out, "was not installed");
}

TEST_F(EnvsInstall, StartsInterpretersIsolatedAndOutsideWorkingDirectory) {
  ASSERT_EQ(install().code, kDone);
  std::istringstream started(content(fake_ / "started"));
  int seen = 0;
  for (std::string line; std::getline(started, line); ++seen) {
    EXPECT_TRUE(line.starts_with("/: ")) << line;
    EXPECT_TRUE(line.starts_with("/: -I ") || line.find(" check metaworld") != std::string::npos)
        << line;
  }
  EXPECT_GE(seen, 4);  // version, venv, pip, check
}

TEST_F(EnvsInstall, RegisterRejectsProgramWithoutOkLine) {
  const Answer answer = mneme_tool({"envs", "register", "metaworld", "--python", "/bin/true"});
  EXPECT_EQ(answer.code, kFailed);
  EXPECT_EQ(answer.out, "");
  MNEME_EXPECT_SAYS(answer.err, "printed no line `ok NAME VERSION`");
  EXPECT_FALSE(usable());
  const Answer forced =
      mneme_tool({"envs", "register", "metaworld", "--python", "/bin/true", "--force"});
  EXPECT_EQ(forced.code, kDone);
  EXPECT_EQ(forced.out.find("ready"), std::string::npos);
  MNEME_EXPECT_SAYS(forced.out, "without a smoke test");
}

// A log with a predictable name in a folder that others can write to could be planted.
TEST_F(EnvsInstall, SmokeTestIgnoresPlantedLog) {
  const fs::path victim = directory_ / "victim", temporary = directory_ / "temporary";
  std::ofstream(victim) << "ok planted 9.9\n";
  fs::create_directories(temporary);
  const Variable folder("TMPDIR", temporary);
  const fs::path planted = temporary / concat("mneme-check-", getpid(), ".log");
  fs::create_symlink(victim, planted);
  const Answer answer = mneme_tool({"envs", "register", "metaworld", "--python", "/bin/true"});
  EXPECT_EQ(answer.code, kFailed);
  EXPECT_EQ(answer.out.find("planted"), std::string::npos);
  EXPECT_EQ(content(victim), "ok planted 9.9\n");
  EXPECT_TRUE(fs::is_symlink(planted));
}

TEST_F(EnvsInstall, PlantedLinksAreNotWrittenThrough) {
  const fs::path victim = directory_ / "victim";
  std::ofstream(victim) << "mine\n";
  fs::create_directories(suite());
  for (const char* name : {"interpreter.part", "install.log", "lock"}) {
    fs::remove(suite() / name);
    fs::create_symlink(victim, suite() / name);
    const Answer answer = install({"--again"});
    EXPECT_EQ(content(victim), "mine\n") << name << '\n' << answer.err;
    EXPECT_TRUE(answer.code == kDone || answer.err.find(name) != std::string::npos ||
                answer.err.find("cannot write") != std::string::npos)
        << answer.err;
    fs::remove(suite() / name);
  }
}

TEST_F(EnvsInstall, RemoveNeverFollowsLinksAndKeepsForeignDirectories) {
  // A link in place of the environment, to a directory that even has the marker.
  ASSERT_EQ(install().code, kDone);
  const fs::path elsewhere = directory_ / "elsewhere";
  fs::rename(suite() / "venv", elsewhere);
  fs::create_directory_symlink(elsewhere, suite() / "venv");
  const Answer linked = mneme_tool({"envs", "remove", "metaworld", "--yes"});
  EXPECT_EQ(linked.code, kDone) << linked.err;
  MNEME_EXPECT_SAYS(linked.out, "was kept: mneme did not make it");
  EXPECT_TRUE(fs::exists(elsewhere / "bin" / "python"));
  EXPECT_TRUE(fs::is_symlink(suite() / "venv"));
  const Answer again = install({"--again"});
  EXPECT_EQ(again.code, kFailed);
  MNEME_EXPECT_SAYS(again.err, "was not made by mneme");

  // A link inside the environment is removed, what it points to is not.
  fs::remove(suite() / "venv");
  ASSERT_EQ(install().code, kDone);
  fs::create_directory_symlink(elsewhere, suite() / "venv" / "link");
  EXPECT_EQ(mneme_tool({"envs", "remove", "metaworld", "--yes"}).code, kDone);
  EXPECT_FALSE(fs::exists(suite()));
  EXPECT_TRUE(fs::exists(elsewhere / "bin" / "python"));

  // The user's own directory in place of one that mneme made.
  ASSERT_EQ(install().code, kDone);
  fs::remove_all(suite() / "venv");
  fs::create_directories(suite() / "venv" / "data");
  EXPECT_EQ(mneme_tool({"envs", "remove", "metaworld", "--yes"}).code, kDone);
  EXPECT_TRUE(fs::exists(suite() / "venv" / "data"));
}

TEST_F(EnvsInstall, DoctorReportsStateAndRemedy) {
  const auto state = [&](std::vector<std::string> more, int code) {
    std::vector<std::string> words{"envs", "doctor", "metaworld", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = mneme_tool(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    return test::parse_json(answer.out)["suites"][0];
  };
  EXPECT_EQ(state({}, kFailed)["state"].text, "missing");
  MNEME_EXPECT_SAYS(state({}, kFailed)["remedy"].text, "mneme envs install metaworld");
  ASSERT_EQ(install().code, kDone);
  EXPECT_EQ(state({}, kDone)["state"].text, "installed");
  EXPECT_EQ(state({}, kDone)["versions"].text, "metaworld 3.1.1");
  EXPECT_EQ(state({}, kDone)["python_version"].text, "3.11.9");
  EXPECT_EQ(state({"--check"}, kDone)["state"].text, "works");
  EXPECT_EQ(state({"--check"}, kDone)["versions"].text, "metaworld 3.1.1, mujoco 3.3.0");
  set("check", "fail");
  EXPECT_EQ(state({"--check"}, kFailed)["state"].text, "broken");
  MNEME_EXPECT_SAYS(state({"--check"}, kFailed)["remedy"].text, "--again");
  fs::remove(suite() / "venv" / "bin" / "python");
  EXPECT_EQ(state({}, kFailed)["state"].text, "broken");
  MNEME_EXPECT_SAYS(state({}, kFailed)["problem"].text, "no longer exists");

  // Of all suites: those that are missing are not a failure.
  const Answer all = mneme_tool({"envs", "doctor"});
  EXPECT_EQ(all.code, kDone) << all.err;
  for (const char* name : {"mujoco", "opengl", "metaworld", "myo", "isaac"})
    MNEME_EXPECT_SAYS(all.out, name);
  EXPECT_EQ(all.out.find("synthetic"), std::string::npos);
  expect_refused({"envs", "doctor", "metaworl"}, {"metaworld"});
}

TEST_F(EnvsInstall, ListStartsNoProcessAndNamesInstallCommand) {
  const Answer tasks = mneme_tool({"envs", "--suite", "metaworld"});
  ASSERT_EQ(tasks.code, kDone) << tasks.err;
  MNEME_EXPECT_SAYS(tasks.out, "metaworld/reach 39 4 200 0 1 no");
  MNEME_EXPECT_SAYS(tasks.out, "The paper names the v2 environments");
  const Answer list = mneme_tool({"envs"});
  ASSERT_EQ(list.code, kDone) << list.err;
  MNEME_EXPECT_SAYS(list.out, "metaworld/ Meta-World 50 no: mneme envs install metaworld");
  MNEME_EXPECT_SAYS(list.out, "mneme envs install metaworld");
  EXPECT_EQ(list.out.find("synthetic"), std::string::npos);
  // A Python that would leave a trace, if it were asked.
  set("version", "3.11.9");
  const Variable named("MNEME_PYTHON_METAWORLD", python());
  EXPECT_TRUE(json_of({"envs", "--suite", "metaworld"})["tasks"][0]["available"].boolean);
  EXPECT_EQ(json_of({"envs", "--suite", "metaworld"})["tasks"][0]["keys"].size(), 0U);
  EXPECT_FALSE(fs::exists(fake_ / "calls"));
  EXPECT_EQ(mneme_tool({"envs", "--suite", "robotics"}).code, kDone);
}

// A real venv, and pip without packages to install. Attack: modules of the same names in the user's
// working directory.
TEST(EnvsInstallSlow, RealVenvIgnoresModulesInWorkingDirectory) {
  const TemporaryDirectory directory;
  const Variable suites("MNEME_SUITES", directory / "suites");
  const fs::path worker = directory / "worker";
  fs::create_directories(worker / "requirements");
  std::ofstream(worker / "__main__.py") << "import sys\nprint('ok', *sys.argv[1:])\n";
  std::ofstream(worker / "requirements" / "robotics.txt") << "# nothing\n";
  const Variable there("MNEME_WORKER", worker);
  const fs::path hostile = directory / "hostile", before = fs::current_path();
  fs::create_directories(hostile);
  for (const char* module : {"pip", "venv", "ensurepip", "sitecustomize", "json"})
    std::ofstream(hostile / concat(module, ".py"))
        << "open('" << (hostile / "PWNED").string() << "', 'w')\n";
  fs::current_path(hostile);
  const Variable modules("PYTHONPATH", ":.");
  const Answer answer = mneme_tool({"envs", "install", "robotics"});
  fs::current_path(before);
  ASSERT_EQ(answer.code, kDone) << answer.err;
  EXPECT_FALSE(fs::exists(hostile / "PWNED"));
  MNEME_EXPECT_SAYS(answer.out, "check robotics");
  EXPECT_FALSE(state_of(suite_named("robotics")).python_version.empty());
  EXPECT_EQ(mneme_tool({"envs", "remove", "robotics", "--yes"}).code, kDone);
}

}  // namespace
}  // namespace mneme::lab
