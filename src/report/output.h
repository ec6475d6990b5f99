// report/output.h - a report written down: as JSON (which the page draws), as CSV files,
// as a few lines for a terminal.
#pragma once

#include <filesystem>
#include <ostream>

#include "report/study_report.h"

namespace mneme::lab {

/// Form: web/README.md, kind "report". `command` made it; `ledger` is where its runs are.
std::string report_json(const StudyReport& report, const std::string& command,
                        const std::string& ledger);

/// The setup, the summary and the verdict alone.
std::string summary_json(const StudyReport& report);

/// One file per table and plot, in a folder that is made if need be; returns their names. The
/// scores of a group are in the form that `mneme stats` reads. Throws IoError.
std::vector<std::string> write_report_csv(const StudyReport& report,
                                          const std::filesystem::path& folder);

/// Table of gains, what is missing, and how far to trust it.
void write_report_text(const StudyReport& report, std::ostream& out);

/// The headline (what is shown after correction for the number of comparisons and of runs), how far
/// to trust it, and which agents have not learned.
std::vector<std::string> report_summary(const StudyReport& report);

/// "54 of 60 runs are finished; 2 failed, 4 not started".
std::string completeness(const StudyScores& scores);

}  // namespace mneme::lab
