// run/tables.h - the CSV files of a run: their names and columns.
//
// The only place that knows them. Writers take a line from here, readers find a column by its name,
// so that a new column is one line in tables.cpp and no reader counts commas.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace mneme::lab {

enum class RunTable {
  evaluation,   ///< a row per task and evaluation
  metrics,      ///< a row per name and step
  diagnostics,  ///< a row per reader, name and step
  timing        ///< a row per step, a column per phase: seconds since the run began
};

/// The name of the file, and its columns in order.
std::string_view file_of(RunTable table);
std::span<const std::string_view> columns_of(RunTable table);
/// The first line of the file, without its end.
std::string header_of(RunTable table);

namespace column {
inline constexpr std::string_view step = "step", frame = "frame", seconds = "seconds",
                                  task = "task", episodes = "episodes", mean_return = "return",
                                  deviation = "deviation", score = "score", success = "success",
                                  length = "length", reader = "reader", name = "name",
                                  value = "value";
}  // namespace column

/// What a row begins with: decisions, and simulation steps of one environment.
struct RowPlace {
  std::int64_t step = 0, frame = 0;
};

struct EvaluationLine {
  RowPlace at = {};
  double seconds = 0;
  std::string task = {};
  std::int64_t episodes = 0;
  double mean_return = 0, deviation = 0, score = 0;
  double success = 0;  ///< NaN: the cell is empty
  double length = 0;
};

std::string line_of(const EvaluationLine& row);
template <class Number>
std::string metric_line(const RowPlace& at, std::string_view name, Number value) {
  return concat(at.step, ',', at.frame, ',', name, ',', value);
}
std::string diagnostic_line(const RowPlace& at, std::string_view reader, std::string_view name,
                            double value);
/// `phases`: seconds of every phase, in the order of kPhases.
std::string timing_line(const RowPlace& at, double seconds, std::span<const double> phases);

/// The cells of a line.
std::vector<std::string_view> cells_of(std::string_view line);

/// The last step of a table's text, by the column `step`; -1 without a row. Throws CorruptData.
std::int64_t last_step_in(std::string_view text);

}  // namespace mneme::lab
