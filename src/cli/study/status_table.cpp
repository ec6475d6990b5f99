// cli/study/status_table.cpp - drawing.
#include "cli/study/status_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <iostream>

#include "base/text.h"
#include "cli/study/plan_table.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

std::size_t screen_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 79;
}

std::string shortened(std::string text, std::size_t width) {
  if (text.size() > width) text = text.substr(0, width - 2) + "..";
  return text;
}

}  // namespace

std::vector<std::string> status_lines(const StudyStatus& status, std::size_t width) {
  std::string head = concat(status.study, "  ", status.done, " of ", status.runs, " runs done");
  if (status.failed > 0) head += concat(", ", status.failed, " failed");
  if (status.unavailable > 0) head += concat(", ", status.unavailable, " unavailable");
  head += concat("  ", duration_text(status.seconds));
  if (!std::isnan(status.left)) head += concat(", about ", duration_text(status.left), " left");
  std::vector<std::string> lines{shortened(head, width)};
  for (const RunStatus& run : status.running) {
    std::string numbers =
        concat("  ", run.steps > 0 ? 100 * run.step / run.steps : 0, " %  ",
               run.rate > 0 ? concat(count(std::round(run.rate)), " steps/s") : std::string("..."));
    if (!std::isnan(run.score)) numbers += concat("  score ", rounded(run.score, 3));
    const std::size_t room = width > numbers.size() + 10 ? width - numbers.size() - 2 : 8;
    lines.push_back(shortened("  " + shortened(run.key, room) + numbers, width));
  }
  return lines;
}

StatusTable::StatusTable(bool quiet, Index jobs, std::string out)
    : terminal_(isatty(STDERR_FILENO) != 0), quiet_(quiet), jobs_(jobs), out_(std::move(out)) {}

StatusTable::~StatusTable() { erase(); }

void StatusTable::erase() {
  if (drawn_ == 0) return;
  // Up to the table's first line, then clear to the end of the screen.
  std::cerr << "\r\033[" << drawn_ << "A\033[J" << std::flush;
  drawn_ = 0;
}

void StatusTable::print(const std::string& line) {
  if (quiet_) return;
  erase();
  std::cerr << line << '\n' << std::flush;
}

void StatusTable::on_plan(const StudyPlan& plan) {
  if (!quiet_) print_plan(std::cerr, plan, jobs_, out_);
}

// Also when quiet: a warning is no progress.
void StatusTable::on_warning(const std::string& warning) {
  erase();
  std::cerr << "mneme: note: " << warning << '\n' << std::flush;
}

void StatusTable::on_status(const StudyStatus& status) {
  if (!terminal_ || quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < std::chrono::milliseconds(200)) return;
  shown_ = now;
  const std::vector<std::string> lines = status_lines(status, screen_width());
  erase();
  for (const std::string& line : lines) std::cerr << line << '\n';
  std::cerr << std::flush;
  drawn_ = lines.size();
}

void StatusTable::on_done(const RunReport& run) {
  print(concat("done    ", run.key,
               std::isnan(run.score) ? "" : concat("  score ", rounded(run.score, 3)), "  ",
               duration_text(run.seconds), "  (", run.done, " of ", run.runs, ")"));
}

void StatusTable::on_failed(const RunReport& run) {
  print(concat("failed  ", run.key, ": ", run.reason));
}

void StatusTable::on_retry(const RunReport& run) {
  print(concat("again   ", run.key, ": ", run.reason));
}

void StatusTable::on_stopping(const std::string& reason, std::size_t runs) {
  print(concat(reason, "; saving ", runs, runs == 1 ? " run" : " runs",
               "; press Ctrl-C again to kill ", runs == 1 ? "it" : "them"));
}

}  // namespace mneme::lab
