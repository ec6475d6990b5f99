// tests/os/processes_test.cpp - subprocesses, signals, command lines.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "os/command_line.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/subprocess.h"
#include "support/failing_disk.h"

namespace mneme::lab {
namespace {

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

std::string output_of(const std::string& script, const SubprocessOptions& options = {}) {
  Subprocess child(shell(script), options);
  child.wait();
  std::string text;
  child.read_output([&](std::string_view part) { text += part; });
  return text;
}

TEST(Subprocess, ReportsExitCodesAndSignals) {
  EXPECT_EQ(Subprocess(shell("exit 7"), {}).wait().code, 7);
  const ExitStatus killed = Subprocess(shell("kill -TERM $$"), {}).wait();
  EXPECT_EQ(killed.signal, SIGTERM);
  EXPECT_EQ(killed.code, 128 + SIGTERM);
  EXPECT_EQ(Subprocess({"/nonexistent/program"}, {}).wait().code, 127);
  EXPECT_THROW(Subprocess({}, {}), InvalidArgument);
}

TEST(Subprocess, HasEmptyInputItsDirectoryAndDefaultSignals) {
  const mneme::testing::TemporaryDirectory directory;
  EXPECT_EQ(output_of("cat; echo out; echo err >&2"), "out\nerr\n");
  EXPECT_EQ(output_of("pwd", {.output_file = {}, .working_directory = directory.path()}),
            directory.path().string() + "\n");
  EXPECT_EQ(
      output_of("echo hidden >&2; echo file",
                {.output_file = directory / "answer", .quiet = true, .working_directory = {}}),
      "");
  EXPECT_EQ(read_file(directory / "answer"), "file\n");
  Subprocess cat({"/bin/cat"}, {.input = true, .output_file = {}, .working_directory = {}});
  ASSERT_EQ(write(cat.input(), "through", 7), 7);
  cat.close_input();
  cat.wait();
  std::string text;
  cat.read_output([&](std::string_view part) { text += part; });
  EXPECT_EQ(text, "through");
}

TEST(Subprocess, KillsItsGroupWhenItGoes) {
  pid_t grandchild = 0;
  {
    Subprocess child(shell("sleep 100 & echo $!; wait"), {});
    std::string text;
    while (text.find('\n') == std::string::npos)
      child.read_output([&](std::string_view part) { text += part; });
    grandchild = std::stoi(text);
    EXPECT_EQ(kill(grandchild, 0), 0);
  }
  for (int tries = 0; tries < 200 && kill(grandchild, 0) == 0; ++tries) {
    // A zombie until init has seen it.
    const auto stat = read_file_if_present("/proc/" + std::to_string(grandchild) + "/stat");
    if (!stat || stat->find(") Z ") != std::string::npos) return;
    usleep(10'000);
  }
  EXPECT_NE(kill(grandchild, 0), 0);
}

TEST(RunChild, PassesLinesAndStopsOnASignal) {
  std::vector<std::string> lines;
  const ChildOutput output{.line = [&](const std::string& line) { lines.push_back(line); },
                           .tick = [] {}};
  EXPECT_EQ(run_child(shell("printf 'a\\nb\\r\\n\\nlast'; exit 3"), output), 3);
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "last"}));
  const ChildOutput interrupting{.line = [](const std::string&) { raise(SIGINT); }, .tick = [] {}};
  try {
    run_child(shell("echo now; sleep 100"), interrupting);
    ADD_FAILURE();
  } catch (const Interrupted& stopped) {
    EXPECT_EQ(stopped.exit_code, 128 + SIGINT);
  }
}

TEST(InterruptGuard, CountsSignalsAndRestoresHandlers) {
  struct sigaction before{}, after{};
  sigaction(SIGTERM, nullptr, &before);
  {
    const InterruptGuard guard;
    EXPECT_FALSE(guard.requested());
    raise(SIGTERM);
    raise(SIGINT);
    EXPECT_EQ(guard.count(), 2);
    EXPECT_EQ(guard.signal(), SIGINT);
    EXPECT_EQ(InterruptGuard::interrupted("stopped").exit_code, 130);
  }
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  // nohup stays in force.
  ::signal(SIGHUP, SIG_IGN);
  {
    const InterruptGuard guard;
    raise(SIGHUP);
    EXPECT_FALSE(guard.requested());
  }
  ::signal(SIGHUP, SIG_DFL);
}

TEST(InterruptGuardDeathTest, SecondSignalCanEndTheProcess) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard(InterruptGuard::Second::exit);
        raise(SIGINT);
        raise(SIGINT);
      },
      ::testing::ExitedWithCode(130), "");
}

TEST(CommandLine, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(command_line({"study", "fig3", "--set", "utd=1/2"}), "mneme study fig3 --set utd=1/2");
  EXPECT_EQ(command_line({"a b", "", "it's", "$HOME", "per:alpha=0.5", "x;y", "*"}),
            "mneme 'a b' '' 'it'\\''s' '$HOME' per:alpha=0.5 'x;y' '*'");
  EXPECT_EQ(output_of("printf %s " + shell_word("a'b \"c\" $(d) \\e")), "a'b \"c\" $(d) \\e");
}

}  // namespace
}  // namespace mneme::lab
