// study/board.h - how a study stands, on standard error: a table that renews itself on a
// terminal, a line per event elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "ledger/ledger.h"

namespace mneme::lab {

struct BoardRun {
  std::string key = {};
  std::int64_t step = 0, steps = 0;
  double rate = 0;   ///< steps per second; 0: not known yet
  double score = 0;  ///< at the last evaluation; NaN before it
};

struct BoardState {
  std::string study = {};
  std::size_t runs = 0, done = 0, failed = 0, unavailable = 0;
  double seconds = 0;  ///< since the start
  double left = 0;     ///< estimated; NaN: not known
  std::vector<BoardRun> running = {};
};

/// The table: a line for the study, one per run under way.
std::vector<std::string> board_lines(const BoardState& state, std::size_t width);

class Board {
 public:
  explicit Board(bool quiet = false);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  /// On a terminal: draws the table, at most five times a second.
  void show(const BoardState& state);
  /// A line that stays.
  void say(const std::string& line);

 private:
  void wipe();

  bool terminal_, quiet_;
  std::size_t drawn_ = 0;  // lines on the screen
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace mneme::lab
