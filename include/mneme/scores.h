// mneme/scores.h - from a CSV file to a score matrix: reading, checking, normalizing, averaging
// over training.
//
//   // columns run, task, step, value and maybe method
//   ScoreTable table = read_scores("tg.csv");
//   std::vector<MethodCurves> methods = arrange({&table, 1});
//   normalise(methods[0].curves, scales);        // scale_of(task, Suite::automatic) for each
//   ScoreMatrix scores = auc(methods[0].curves);
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/stats.h"

namespace mneme::stats {

// Reading ----------

struct ScoreRow {
  std::string method, run, task;
  double step = 0;   // environment steps, not negative
  double value = 0;  // finite
  std::size_t line = 0;
};

struct ScoreTable {
  std::string source;  // file name, for messages
  std::vector<ScoreRow> rows;
};

/// CSV text with a header line. Columns run, task, step and value in any order, optionally method;
/// others are left unread. Quoted fields, CRLF and a byte-order mark are fine; a field does not
/// span lines. Rows without a method column get `method`. Throws CorruptData with the line number:
/// no header or column, wrong number of fields, empty cell, NaN or infinity, a
/// duplicate, a line over 65,536 characters.
ScoreTable parse_scores(std::string_view text, std::string_view source,
                        std::string_view method = "scores");

/// The same from a file. Throws IoError if it cannot be read.
ScoreTable read_scores(const std::string& path, std::string_view method = "scores");

// Learning curves ----------

/// Scores of one method over training. All curves share the checkpoints.
struct Curves {
  std::vector<std::string> tasks;
  std::vector<std::vector<std::string>> runs;            // of each task
  std::vector<double> steps;                             // ascending
  std::vector<std::vector<std::vector<double>>> values;  // [task][run][checkpoint]
};

struct MethodCurves {
  std::string name;
  Curves curves;
};

/// One set of curves for each method; methods, tasks and runs in order of first appearance.
/// Throws CorruptData if a curve lacks a checkpoint that others have, if methods differ in tasks,
/// or, unless `unequal_runs`, if a task of a method lacks a run that its other tasks have.
std::vector<MethodCurves> arrange(std::span<const ScoreTable> tables, bool unequal_runs = false);

/// The curves without checkpoints at step 0, which say nothing about learning.
/// Throws InvalidArgument if nothing is left.
Curves without_step_zero(const Curves& curves);

/// Mean over checkpoints of every curve: plain, not trapezoid. All checkpoints count; see
/// without_step_zero.
ScoreMatrix auc(const Curves& curves);

/// The score at the last checkpoint.
ScoreMatrix final_scores(const Curves& curves);

/// Mean over runs, then over tasks, at each checkpoint.
std::vector<double> mean_curve(const Curves& curves);

// Normalization ----------

/// automatic: by task name, humanoidbench (h1-walk-v0, h1hand-cube), dmc (dog-run), all else as it
/// is. isaaclab: divided by the baseline's mean final return, see final_return_scales.
enum class Suite { automatic, none, humanoidbench, dmc, metaworld, myosuite, isaaclab };

/// Throws NotFound with the known names and the nearest.
Suite suite_of(std::string_view name);
std::string_view name_of(Suite suite);

/// score = (value - random) / (threshold - random).
struct Scale {
  double random = 0;
  double threshold = 1;
  Suite suite = Suite::none;
};

/// HumanoidBench's own success bar for h1hand-crawl is 700; the paper's table says 800 (erratum
/// E18).
inline constexpr double kPaperCrawlThreshold = 800;

/// The built-in constants. Throws NotFound for a task the suite does not have, InvalidArgument for
/// Suite::isaaclab or a threshold that is not above the random score.
Scale scale_of(std::string_view task, Suite suite, double crawl_threshold = kPaperCrawlThreshold);

/// {0, mean final return} for each task of the baseline. Throws InvalidArgument if one is not above
/// 0.
std::vector<Scale> final_return_scales(const Curves& baseline);

/// Applies one scale per task. Throws InvalidArgument if their number differs, or if a success rate
/// (metaworld, myosuite) lies outside [0, 1]; then nothing has changed.
void normalise(Curves& curves, std::span<const Scale> scales);

}  // namespace mneme::stats
