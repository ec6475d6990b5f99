// bench/replay/contest.cpp - turns, quantiles and the report.
#include "replay/contest.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "base/text.h"

namespace mneme::bench {

double now_ns(Clock clock) {
  std::timespec t{};
  clock_gettime(clock == Clock::thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

Spread spread_of(const std::vector<double>& values) {
  return {quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9), values.size()};
}

void take_turns(std::span<Contestant> contestants, int rounds, Clock clock) {
  constexpr int kWarm = 2;
  for (int round = 0; round < rounds + kWarm; ++round) {
    for (std::size_t k = 0; k < contestants.size(); ++k) {
      Contestant& c = contestants[(k + static_cast<std::size_t>(round)) % contestants.size()];
      if (c.prepare) c.prepare();
      const double begin = now_ns(clock);
      for (int r = 0; r < c.repeats; ++r) c.run();
      const double time = now_ns(clock) - begin;
      if (round >= kWarm) c.ns.push_back(time / (c.repeats * c.items));
    }
  }
}

Spread ratio(const Contestant& a, const Contestant& b) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < a.ns.size(); ++r) ratios.push_back(a.ns[r] / b.ns[r]);
  return spread_of(ratios);
}

std::string per_item(const Contestant& c, const char* item) {
  const double ns = quantile(c.ns, 0.5);
  char text[64];
  std::snprintf(text, sizeof text, ns < 10 ? "%.2g" : "%.0f", ns);
  return concat(text, " ns per ", item);
}

void Report::add(Figure figure) {
  const Spread& s = figure.spread;
  std::printf("%-58s %10.4g %-5s", figure.work.c_str(), s.median, figure.unit.c_str());
  std::printf(" (%.4g-%.4g)", s.p10, s.p90);
  if (figure.bar)
    std::printf(" bar %.4g %s", *figure.bar, s.median <= *figure.bar ? "met" : "NOT MET");
  std::printf("  %s\n", figure.beside.c_str());
  std::fflush(stdout);
  sections_.back().figures.push_back(std::move(figure));
}

void Report::write(Json& json) const {
  json.key("sections").begin_object();
  for (const Section& section : sections_) {
    json.key(section.name).begin_array();
    for (const Figure& f : section.figures) {
      json.begin_object().field("work", f.work).field("unit", f.unit);
      json.field("median", f.spread.median).field("p10", f.spread.p10).field("p90", f.spread.p90);
      json.field("count", f.spread.count);
      if (f.bar) json.field("bar", *f.bar);
      json.field("beside", f.beside).end_object();
    }
    json.end_array();
  }
  json.end_object();
}

}  // namespace mneme::bench
