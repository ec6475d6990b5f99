// cli/study/status_table.cpp - lines of the progress of a study.
#include "cli/study/status_table.h"

#include <cmath>
#include <iostream>

#include "base/text.h"
#include "cli/study/plan_table.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
std::vector<std::string> status_lines(const StudyStatus& status, std::size_t width) {
  std::string head = concat(status.study, "  ", status.done, " of ", status.runs, " runs done");
  if (status.failed > 0) head += concat(", ", status.failed, " failed");
  if (status.unavailable > 0) head += concat(", ", status.unavailable, " unavailable");
  head += concat("  ", duration_text(status.seconds));
  if (!std::isnan(status.left)) head += concat(", about ", duration_text(status.left), " left");
  std::vector<std::string> lines{clipped(head, width)};
  for (const RunStatus& run : status.running) {
    std::string numbers =
        concat("  ", run.steps > 0 ? 100 * run.step / run.steps : 0, " %  ",
               run.rate > 0 ? concat(count(std::round(run.rate)), " steps/s") : std::string("..."));
    if (!std::isnan(run.score)) numbers += concat("  score ", rounded(run.score, 3));
    const std::size_t room = width > numbers.size() + 10 ? width - numbers.size() - 2 : 8;
    lines.push_back(clipped("  " + clipped(run.key, room) + numbers, width));
  }
  return lines;
}

StatusTable::StatusTable(bool quiet, Index jobs, std::string out)
    : lines_(quiet), quiet_(quiet), jobs_(jobs), out_(std::move(out)) {}

void StatusTable::print(const std::string& line) { lines_.say(line); }

void StatusTable::on_plan(const StudyPlan& plan) {
  if (!quiet_) print_plan(std::cerr, plan, jobs_, out_);
}

// Also when quiet: warnings are not progress.
void StatusTable::on_warning(const std::string& warning) {
  lines_.clear();
  std::cerr << "mneme: note: " << warning << '\n' << std::flush;
}

void StatusTable::on_status(const StudyStatus& status) {
  if (lines_.due()) lines_.show(status_lines(status, lines_.screen().width - 1));
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
