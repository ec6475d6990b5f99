// run/tables.cpp - columns, and lines in their order.
#include "run/tables.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mneme/error.h"
#include "run/timing.h"

namespace mneme::lab {
namespace {

constexpr std::array kEvaluation{
    column::step,        column::frame,     column::seconds, column::task,    column::episodes,
    column::mean_return, column::deviation, column::score,   column::success, column::length};
constexpr std::array kMetrics{column::step, column::frame, column::name, column::value};
constexpr std::array kDiagnostics{column::step, column::frame, column::reader, column::name,
                                  column::value};
// Three columns, then the phases.
constexpr auto kTiming = [] {
  std::array<std::string_view, 3 + kPhases.size()> all{column::step, column::frame,
                                                       column::seconds};
  std::copy(kPhases.begin(), kPhases.end(), all.begin() + 3);
  return all;
}();

}  // namespace

std::string_view file_of(RunTable table) {
  switch (table) {
    case RunTable::evaluation:
      return "eval.csv";
    case RunTable::metrics:
      return "metrics.csv";
    case RunTable::diagnostics:
      return "diagnostics.csv";
    case RunTable::timing:
      return "timing.csv";
  }
  return {};
}

std::span<const std::string_view> columns_of(RunTable table) {
  switch (table) {
    case RunTable::evaluation:
      return kEvaluation;
    case RunTable::metrics:
      return kMetrics;
    case RunTable::diagnostics:
      return kDiagnostics;
    case RunTable::timing:
      return kTiming;
  }
  return {};
}

std::string header_of(RunTable table) {
  std::string line;
  for (const std::string_view name : columns_of(table)) {
    if (!line.empty()) line += ',';
    line += name;
  }
  return line;
}

std::string line_of(const EvaluationLine& r) {
  return concat(r.at.step, ',', r.at.frame, ',', r.seconds, ',', r.task, ',', r.episodes, ',',
                r.mean_return, ',', r.deviation, ',', r.score, ',',
                std::isnan(r.success) ? std::string() : concat(r.success), ',', r.length);
}

std::string diagnostic_line(const RowPlace& at, std::string_view reader, std::string_view name,
                            double value) {
  return concat(at.step, ',', at.frame, ',', reader, ',', name, ',', value);
}

std::string timing_line(const RowPlace& at, double seconds, std::span<const double> phases) {
  std::string line = concat(at.step, ',', at.frame, ',', seconds);
  for (const double phase : phases) line += concat(',', phase);
  return line;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 0;;) {
    const std::size_t comma = line.find(',', at);
    cells.push_back(line.substr(at, comma - at));
    if (comma == std::string_view::npos) return cells;
    at = comma + 1;
  }
}

std::int64_t last_step_in(std::string_view text) {
  text = text.substr(0, text.rfind('\n') + 1);  // the last line may be half written
  if (text.empty()) return -1;
  const std::size_t first_end = text.find('\n');
  const auto header = cells_of(text.substr(0, first_end));
  const auto place = std::find(header.begin(), header.end(), column::step);
  if (place == header.end()) throw CorruptData("the table has no column 'step'");
  if (first_end + 1 >= text.size()) return -1;
  const std::size_t begin = text.rfind('\n', text.size() - 2) + 1;
  const auto cells = cells_of(text.substr(begin, text.size() - 1 - begin));
  const auto value = cells.size() == header.size()
                         ? parse_number(cells[static_cast<std::size_t>(place - header.begin())])
                         : std::nullopt;
  if (!value || *value != std::floor(*value) || std::abs(*value) > 9e15)
    throw CorruptData("the table's last line has no whole number of steps");
  return static_cast<std::int64_t>(*value);
}

}  // namespace mneme::lab
