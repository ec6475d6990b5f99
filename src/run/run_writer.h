// run/run_writer.h - everything a run writes while it trains: its tables and event files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/evaluation.h"
#include "run/event_file.h"
#include "run/run_table.h"
#include "run/timing.h"

namespace mneme::lab {

class RunWriter {
 public:
  /// Tables in this directory, made where they are missing. Throws IoError.
  explicit RunWriter(const std::filesystem::path& directory);

  /// Event files too, if `wanted` or if the directory has some. `first_step`: what older files have
  /// of this step and later ones no longer counts; 0 for a new run.
  void open_events(const std::filesystem::path& directory, bool wanted, std::int64_t first_step);

  void evaluations(const RowPlace& at, double seconds, const std::vector<Evaluation>& results);

  /// A row of metrics.csv; with a tag, a scalar of the event file too.
  template <class Number>
  void metric(const RowPlace& at, const std::string& name, Number value,
              const std::string& tag = {}) {
    metrics_.add(metric_line(at, name, value));
    if (!tag.empty()) scalar(tag, static_cast<double>(value));
  }
  void scalar(const std::string& tag, double value) { scalars_.emplace_back(tag, value); }
  void diagnostic(const RowPlace& at, const std::string& reader, const std::string& name,
                  double value);
  void timing(const RowPlace& at, double seconds, const Timing& phases);
  /// The scalars since the last call go to the event file.
  void end_step(std::int64_t step);

  /// Where the tables are, and the phases' seconds; `Archive` as in run/training_state.h.
  template <class Archive>
  void visit_state(Archive& state, Timing& phases) {
    state.part(metrics_);
    state.part(evaluations_);
    state.part(diagnostics_);
    state.part(phases);
    state.part(timing_);
  }

 private:
  RunTableFile metrics_, evaluations_, diagnostics_, timing_;
  std::unique_ptr<EventFile> events_;  // empty unless wanted
  std::vector<std::pair<std::string, double>> scalars_;
};

}  // namespace mneme::lab
