// cli/study/status_table.h - progress of a study on standard error: a table that redraws itself on a
// terminal, a line per event elsewhere.
#pragma once

#include <string>
#include <vector>

#include "mneme/index.h"
#include "study/observer.h"
#include "term/progress.h"

namespace mneme::lab {

/// The table: a line for the study, one per run that is training.
std::vector<std::string> status_lines(const StudyStatus& status, std::size_t width);

class StatusTable final : public StudyObserver {
 public:
  /// `out`: where the runs go, for the disk that is free there.
  StatusTable(bool quiet, Index jobs, std::string out);
  StatusTable(const StatusTable&) = delete;
  StatusTable& operator=(const StatusTable&) = delete;

  void on_plan(const StudyPlan& plan) override;
  void on_warning(const std::string& warning) override;
  void on_status(const StudyStatus& status) override;
  void on_done(const RunReport& run) override;
  void on_failed(const RunReport& run) override;
  void on_retry(const RunReport& run) override;
  void on_stopping(const std::string& reason, std::size_t runs) override;

 private:
  void print(const std::string& line);

  StatusLines lines_;
  bool quiet_;
  Index jobs_;
  std::string out_;
};

}  // namespace mneme::lab
