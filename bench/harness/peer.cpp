// bench/harness/peer.cpp - two pipes and a shell.
#include "bench/harness/peer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <sstream>

#include "base/text.h"
#include "mneme/error.h"

extern char** environ;

namespace mneme::lab {
namespace {

struct Moments {
  double mean = 0, squared_error = 0;
};

Moments moments(const std::vector<double>& numbers) {
  const auto n = static_cast<double>(numbers.size());
  double sum = 0, squares = 0;
  for (const double x : numbers) sum += x;
  for (const double x : numbers) squares += (x - sum / n) * (x - sum / n);
  return {sum / n, n > 1 ? squares / (n - 1) / n : 0};
}

std::string apart(const char* what, const std::vector<double>& ours,
                  const std::vector<double>& theirs, double slack) {
  const Moments a = moments(ours), b = moments(theirs);
  const double error = std::sqrt(a.squared_error + b.squared_error);
  const double allowed = 5 * error + 0.02 * std::max(std::abs(a.mean), std::abs(b.mean)) + slack;
  if (std::abs(a.mean - b.mean) <= allowed) return "";
  return concat("mean ", what, " of an episode ", b.mean, " instead of ", a.mean, ", ",
                std::abs(a.mean - b.mean) / error, " standard errors apart");
}

}  // namespace

std::string difference(const Episodes& ours, const Episodes& theirs) {
  const auto sizes = [](const char* what, Index a, Index b) {
    return a == b ? std::string() : concat(what, " ", b, " instead of ", a);
  };
  for (const std::string& text :
       {sizes("observation size", ours.observation, theirs.observation),
        sizes("action size", ours.action, theirs.action),
        sizes("steps of an episode", ours.steps, theirs.steps),
        sizes("physics steps per step", ours.substeps, theirs.substeps),
        // Of sparse rewards most episodes see none: one step's worth does not count.
        apart("return", ours.returns, theirs.returns, 1),
        apart("motion", ours.motion, theirs.motion, 1e-9)})
    if (!text.empty()) return text;
  return "";
}

Peer::Peer(std::string name, const std::string& command) : name_(std::move(name)) {
  std::signal(SIGPIPE, SIG_IGN);  // a program that ends is an error to report, not our end
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0) throw IoError("cannot make a pipe");
  if (pipe2(up, O_CLOEXEC) != 0) {
    close(down[0]);
    close(down[1]);
    throw IoError("cannot make a pipe");
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, down[0], 0);
  posix_spawn_file_actions_adddup2(&files, up[1], 1);
  std::string shell = "sh", option = "-c", text = command;
  char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  const int failed = posix_spawn(&process_, "/bin/sh", &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  close(down[0]);
  close(up[1]);
  to_ = fdopen(down[1], "w");
  from_ = fdopen(up[0], "r");
  if (failed != 0) {
    process_ = -1;
    std::fclose(to_);
    std::fclose(from_);
    throw IoError(concat(name_, ": cannot start ", command));
  }
}

// It exits when its standard input is closed.
Peer::~Peer() {
  std::fclose(to_);
  std::fclose(from_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

std::string Peer::line(const std::string& question) {
  std::string answer;
  if (std::fputs((question + '\n').c_str(), to_) >= 0 && std::fflush(to_) == 0)
    for (int c; (c = std::fgetc(from_)) != EOF && c != '\n';) answer += static_cast<char>(c);
  if (answer.empty())
    throw IoError(concat("the peer ", name_, " ended when asked '", question,
                         "'; run its command by hand to see why"));
  return answer;
}

std::string Peer::ask(const std::string& question, const std::string& expected) {
  const std::string answer = line(question);
  if (answer.rfind(expected + ' ', 0) != 0)
    throw IoError(concat("the peer ", name_, " answered '", answer, "' when asked '", question,
                         "'; expected was '", expected, " ...'"));
  return answer.substr(expected.size() + 1);
}

bool Peer::take(const std::string& task, Index count, Index threads, const std::string& keys) {
  const std::string answer = line(concat("task ", task, ' ', count, ' ', threads, ' ', keys));
  why_.clear();
  if (answer.rfind("no ", 0) == 0) {
    why_ = answer.substr(3);
    return false;
  }
  if (answer.rfind("ok ", 0) != 0)
    throw IoError(concat("the peer ", name_, " answered '", answer,
                         "' to a task; expected was 'ok "
                         "VERSION' or 'no REASON'"));
  version_ = answer.substr(3);
  return true;
}

Episodes Peer::play() {
  std::istringstream answer(ask("play", "played"));
  Episodes result;
  answer >> result.observation >> result.action >> result.steps >> result.substeps;
  for (double sum, motion; answer >> sum >> motion;) {
    result.returns.push_back(sum);
    result.motion.push_back(motion);
  }
  if (result.returns.empty())
    throw IoError(concat("the peer ", name_, " played no episode: '", answer.str(), "'"));
  return result;
}

Index Peer::size() {
  const std::string answer = ask("size", "size");
  const Index count = std::atoll(answer.c_str());
  if (count < 1) throw IoError(concat("the peer ", name_, " has a size of '", answer, "'"));
  return count;
}

Peer::Seconds Peer::run(Index steps) {
  std::istringstream answer(ask(concat("run ", steps), "ran"));
  Seconds seconds;
  if (!(answer >> seconds.wall >> seconds.processor) || !(seconds.wall > 0) ||
      !(seconds.processor > 0))
    throw IoError(concat("the peer ", name_, " took no time: '", answer.str(), "'"));
  return seconds;
}

}  // namespace mneme::lab
