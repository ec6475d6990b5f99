// study/board.cpp - drawing.
#include "study/board.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <iostream>

#include "base/text.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

std::size_t screen_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 79;
}

std::string cut(std::string text, std::size_t width) {
  if (text.size() > width) text = text.substr(0, width - 2) + "..";
  return text;
}

}  // namespace

std::vector<std::string> board_lines(const BoardState& state, std::size_t width) {
  std::string head = concat(state.study, "  ", state.done, " of ", state.runs, " runs done");
  if (state.failed > 0) head += concat(", ", state.failed, " failed");
  if (state.unavailable > 0) head += concat(", ", state.unavailable, " cannot go here");
  head += concat("  ", duration_text(state.seconds));
  if (!std::isnan(state.left)) head += concat(", about ", duration_text(state.left), " left");
  std::vector<std::string> lines{cut(head, width)};
  for (const BoardRun& run : state.running) {
    std::string numbers =
        concat("  ", run.steps > 0 ? 100 * run.step / run.steps : 0, " %  ",
               run.rate > 0 ? concat(count(std::round(run.rate)), " steps/s") : std::string("..."));
    if (!std::isnan(run.score)) numbers += concat("  score ", rounded(run.score, 3));
    const std::size_t room = width > numbers.size() + 10 ? width - numbers.size() - 2 : 8;
    lines.push_back(cut("  " + cut(run.key, room) + numbers, width));
  }
  return lines;
}

Board::Board(bool quiet) : terminal_(isatty(STDERR_FILENO) != 0), quiet_(quiet) {}

Board::~Board() { wipe(); }

void Board::wipe() {
  if (drawn_ == 0) return;
  // Up to the table's first line, and everything from there on away.
  std::cerr << "\r\033[" << drawn_ << "A\033[J" << std::flush;
  drawn_ = 0;
}

void Board::show(const BoardState& state) {
  if (!terminal_ || quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < std::chrono::milliseconds(200)) return;
  shown_ = now;
  const std::vector<std::string> lines = board_lines(state, screen_width());
  wipe();
  for (const std::string& line : lines) std::cerr << line << '\n';
  std::cerr << std::flush;
  drawn_ = lines.size();
}

void Board::say(const std::string& line) {
  if (quiet_) return;
  wipe();
  std::cerr << line << '\n' << std::flush;
}

}  // namespace mneme::lab
