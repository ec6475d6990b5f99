// bench/harness/peer.cpp - questions and answers over the pipes of a subprocess.
#include "bench/harness/peer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <sstream>

#include "base/text.h"
#include "mneme/error.h"

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

Peer::Peer(std::string name, const std::string& command)
    : name_(std::move(name)),
      process_({"/bin/sh", "-c", command}, {.input = true, .output_file = {}, .quiet = true}) {
  std::signal(SIGPIPE, SIG_IGN);  // a peer that exits is an error to report
}

// A peer exits when its standard input is closed.
Peer::~Peer() {
  process_.close_input();
  process_.wait();
}

bool Peer::send(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t sent = write(process_.input(), text.data(), text.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string Peer::line(const std::string& question) {
  std::size_t end = std::string::npos;
  if (send(question + '\n')) {
    while ((end = received_.find('\n')) == std::string::npos && !process_.output_closed()) {
      pollfd at{process_.output(), POLLIN, 0};
      poll(&at, 1, -1);
      process_.read_output([this](std::string_view text) { received_ += text; });
    }
  }
  const std::string answer = received_.substr(0, end);
  received_.erase(0, end == std::string::npos ? end : end + 1);
  if (answer.empty())
    throw IoError(concat("the peer ", name_, " exited when asked '", question,
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
