// run/run_writer.cpp - rows into tables, scalars into event files.
#include "run/run_writer.h"

#include <cmath>

#include "base/text.h"

namespace mneme::lab {
namespace {

constexpr const char* kEventFolder = "tensorboard";

}  // namespace

RunWriter::RunWriter(const std::filesystem::path& directory)
    : metrics_(directory, RunTable::metrics),
      evaluations_(directory, RunTable::evaluation),
      diagnostics_(directory, RunTable::diagnostics),
      timing_(directory, RunTable::timing) {}

void RunWriter::open_events(const std::filesystem::path& directory, bool wanted,
                            std::int64_t first_step) {
  std::error_code error;
  if (wanted || std::filesystem::exists(directory / kEventFolder, error))
    events_ = std::make_unique<EventFile>(directory / kEventFolder, first_step);
}

void RunWriter::evaluations(const RowPlace& at, double seconds,
                            const std::vector<Evaluation>& results) {
  for (const Evaluation& one : results) {
    if (one.episodes == 0) continue;
    evaluations_.add(line_of(EvaluationLine{.at = at,
                                            .seconds = seconds,
                                            .task = one.task,
                                            .episodes = one.episodes,
                                            .mean_return = one.mean_return,
                                            .deviation = one.deviation,
                                            .score = one.score,
                                            .success = one.success,
                                            .length = one.length}));
    scalar(concat("score/", one.task), one.score);
    scalar(concat("return/", one.task), one.mean_return);
    if (!std::isnan(one.success)) scalar(concat("success/", one.task), one.success);
  }
  end_step(at.step);
}

void RunWriter::diagnostic(const RowPlace& at, const std::string& reader, const std::string& name,
                           double value) {
  if (std::isnan(value)) return;
  diagnostics_.add(diagnostic_line(at, reader, name, value));
  scalar(concat("replay_", reader, '/', name), value);
}

void RunWriter::timing(const RowPlace& at, double seconds, const Timing& phases) {
  timing_.add(timing_line(at, seconds, phases.all()));
}

void RunWriter::end_step(std::int64_t step) {
  if (events_) events_->add(step, scalars_);
  scalars_.clear();
}

}  // namespace mneme::lab
