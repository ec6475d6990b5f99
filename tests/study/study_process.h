// tests/study/study_process.h - `mneme study` in a process that a test can interrupt and kill.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace mneme::lab {

class StudyProcess {
 public:
  /// The real program, with these words; its output goes to `log`.
  StudyProcess(std::vector<std::string> words, const std::filesystem::path& log) {
    words.insert(words.begin(), MNEME_PROGRAM);
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is stopped leaves no study behind
      if (freopen(log.c_str(), "a", stderr) == nullptr ||
          freopen(log.c_str(), "a", stdout) == nullptr)
        _exit(126);
      std::vector<char*> pointers;
      for (std::string& word : words) pointers.push_back(word.data());
      pointers.push_back(nullptr);
      execv(MNEME_PROGRAM, pointers.data());
      _exit(127);
    }
  }
  ~StudyProcess() {
    if (process_ > 0) send(SIGKILL), wait();
  }
  StudyProcess(const StudyProcess&) = delete;
  StudyProcess& operator=(const StudyProcess&) = delete;

  void send(int signal) const { kill(process_, signal); }
  pid_t id() const { return process_; }

  /// Its exit code, or minus the signal that ended it.
  int wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  /// Whether it ended by itself within this time.
  bool ended_within(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      siginfo_t info{};
      if (waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == process_)
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

 private:
  pid_t process_ = -1;
};

/// A study whose runs take a second: `seeds` seeds, two samplers, one task that needs no simulator.
inline std::string small_study(int seeds, int steps) {
  return "agent = \"simbav2\"\ntasks = [\"dummy/count:limit=9\"]\nsamplers = [\"uniform\", "
         "\"truncated_geometric:alpha=5\"]\nseeds = " +
         std::to_string(seeds) + "\nsteps = " + std::to_string(steps) +
         "\nevaluation = {checkpoints = 4, episodes = 2}\nsettings = {random_steps = 10, "
         "learning_starts = 20, batch_size = 8, capacity = 500, critic_width = 4, actor_width = "
         "4}\n";
}

}  // namespace mneme::lab
