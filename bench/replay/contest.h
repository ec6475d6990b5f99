// bench/replay/contest.h - contestants that take turns, and what is reported of them.
//
// The machine may be shared: what counts is the ratio of two contestants in the same round, its
// median over the rounds and its 10-90 % range. Work without waiting is timed by the processor time
// of the thread, so that time given to other processes is not counted; work on files by the clock.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"

namespace mneme::bench {

enum class Clock { thread, wall };
double now_ns(Clock clock);

double quantile(std::vector<double> values, double q);

struct Spread {
  double median = 0, p10 = 0, p90 = 0;
  std::size_t count = 1;
};
Spread spread_of(const std::vector<double>& values);
/// A figure that is not measured but counted or computed.
inline Spread exactly(double value) { return {value, value, value, 1}; }

struct Contestant {
  std::string name;
  std::function<void()> run;
  double items;                        // per call of run
  int repeats = 1;                     // calls per turn
  std::function<void()> prepare = {};  // before a turn, not timed
  std::vector<double> ns = {};         // per item, one per round
};

/// Two rounds to warm up, then `rounds` rounds; the order moves on by one with each.
void take_turns(std::span<Contestant> contestants, int rounds, Clock clock = Clock::thread);

Spread ratio(const Contestant& a, const Contestant& b);

struct Figure {
  std::string work, unit;  // "x", "ns", "bytes", "s" or nothing
  Spread spread;
  std::optional<double> bar;  // at most this
  std::string beside;         // what else there is to say
};

/// "137 ns per row"
std::string per_item(const Contestant& c, const char* item);

class Report {
 public:
  void section(std::string name) { sections_.push_back({std::move(name), {}}); }
  /// Into the section begun last; prints it as well.
  void add(Figure figure);
  void write(Json& json) const;

 private:
  struct Section {
    std::string name;
    std::vector<Figure> figures;
  };
  std::vector<Section> sections_;
};

}  // namespace mneme::bench
